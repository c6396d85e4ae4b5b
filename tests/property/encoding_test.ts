import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { decodeBase64url, encodeBase64url } from "../../lib/encoding/base64url.ts";
import { canonicalJson, isCanonicalJson } from "../../lib/encoding/canonical.ts";
import { decodeUtf8, parseJson } from "../../lib/encoding/json.ts";
import { parseTimestamp } from "../../lib/encoding/timestamp.ts";

/** Strings of any code units, lone surrogates included, and the keys that objects treat oddly. */
const text = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)),
});
const key = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "toJSON", "length", "", "-1", "01", "1e3"),
  fc.integer({ min: 0, max: 2 ** 32 + 2 }).map(String),
  fc.constantFrom("4294967294", "4294967295", "4294967296"),
);

/** JSON texts with members in any order, duplicates, odd number spellings and white space. */
const { json } = fc.letrec<{ json: string; member: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, depthSize: "large" },
    fc.oneof(
      fc.constantFrom("null", "true", "-0", "1.0", "1e2", "1E400", "0.1", "9007199254740993"),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      text.map((value) => JSON.stringify(value)),
    ),
    fc.array(tie("json"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
    {
      arbitrary: fc.array(tie("member"), { maxLength: 6 }).map((m) => `{${m.join(",")}}`),
      weight: 2,
    },
  ),
  member: fc.tuple(key, tie("json"), fc.constantFrom("", "", "", " "))
    .map(([name, value, space]) => `${JSON.stringify(name)}:${space}${value}`),
}));

Deno.test("canonicalJson: idempotent, keeps the value, and isCanonicalJson agrees", () => {
  fc.assert(
    fc.property(json, (source) => {
      const value: unknown = JSON.parse(source);
      const canonical = canonicalJson(value);
      const again: unknown = JSON.parse(canonical);
      assert.equal(canonicalJson(again), canonical);
      assert.equal(isCanonicalJson(canonical, again), true);
      assert.equal(isCanonicalJson(source, value), source === canonical);
      if (!source.includes("E400")) {
        // Member order aside, and with -0 written as 0, nothing was lost.
        assert.deepEqual(again, JSON.parse(JSON.stringify(value)));
      }
      assert.equal(canonical.isWellFormed(), true);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("canonicalJson: the order in which members were written doesn't matter", () => {
  const members = fc.uniqueArray(fc.tuple(key, fc.nat()), { selector: ([k]) => k, maxLength: 12 });
  const write = (list: [string, number][]) =>
    `{${list.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(",")}}`;
  fc.assert(
    fc.property(members, fc.nat(), (list, turn) => {
      const at = list.length === 0 ? 0 : turn % list.length;
      const turned = [...list.slice(at), ...list.slice(0, at)].reverse();
      assert.equal(
        canonicalJson(JSON.parse(write(list))),
        canonicalJson(JSON.parse(write(turned))),
      );
      const keys = Object.keys(JSON.parse(canonicalJson(JSON.parse(write(list)))));
      assert.deepEqual(new Set(keys), new Set(list.map(([k]) => k)));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("parseJson: never throws, and agrees with JSON.parse within the depth", () => {
  const parse = (source: string) => {
    try {
      return { ok: true, value: JSON.parse(source) };
    } catch {
      return { ok: false, code: "not-json" };
    }
  };
  const mutated = fc.tuple(
    json,
    fc.nat(),
    fc.constantFrom('"', "\\", "[", "]", "{", ",", "\ufeff", ""),
  )
    .map(([source, at, insert]) => {
      const cut = at % (source.length + 1);
      return source.slice(0, cut) + insert + source.slice(cut + at % 2);
    });
  fc.assert(
    fc.property(fc.oneof(json, mutated, text), (source) => {
      assert.deepEqual(parseJson(source), parse(source));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("parseJson: the measured depth is the value's depth", () => {
  const depthOf = (value: unknown): number =>
    typeof value !== "object" || value === null
      ? 0
      : 1 + Math.max(0, ...Object.values(value).map(depthOf));
  fc.assert(
    fc.property(json, fc.integer({ min: 0, max: 6 }), (source, limit) => {
      fc.pre(noDuplicates(source));
      const parsed = parseJson(source, limit);
      assert.equal(parsed.ok, depthOf(JSON.parse(source)) <= limit);
    }),
    { numRuns: 2000 },
  );
});

/** A duplicate member is measured though it is dropped: leave those texts out. */
function noDuplicates(source: string): boolean {
  let members = 0;
  JSON.parse(source, (_, value) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      members += Object.keys(value).length;
    }
    return value;
  });
  let colons = 0;
  for (const part of source.replaceAll(/"(?:[^"\\]|\\.)*"/gs, "")) if (part === ":") colons++;
  return colons === members;
}

Deno.test("base64url: decodes what it encodes, and accepts no other spelling", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const encoded = encodeBase64url(bytes);
      assert.equal(encoded, bytes.toBase64({ alphabet: "base64url", omitPadding: true }));
      assert.deepEqual(decodeBase64url(encoded, bytes.length), new Uint8Array(bytes));
      assert.equal(decodeBase64url(encoded, bytes.length + 1), null);
    }),
    { numRuns: 1000 },
  );
  const nearly = fc.string({
    unit: fc.constantFrom(..."ABCgwxyz0189-_+/= é\n"),
    minLength: 43,
    maxLength: 43,
  });
  fc.assert(
    fc.property(fc.oneof(nearly, text), (candidate) => {
      const decoded = decodeBase64url(candidate, 32);
      if (decoded !== null) assert.equal(encodeBase64url(decoded), candidate);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("decodeUtf8: never throws, and what it decodes has those bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const decoded = decodeUtf8(bytes);
      if (decoded !== null) {
        assert.deepEqual(new TextEncoder().encode(decoded), new Uint8Array(bytes));
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("parseTimestamp: reads every ISO instant of the years 0 to 9999", () => {
  fc.assert(
    fc.property(fc.integer({ min: -62167219200000, max: 253402300799999 }), (ms) => {
      assert.equal(parseTimestamp(new Date(ms).toISOString()), ms);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("parseTimestamp: what it accepts is spelled as the instant it yields", () => {
  const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, "0"));
  const year = fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, "0"));
  const month = fc.integer({ min: 0, max: 13 }).map((n) => String(n).padStart(2, "0"));
  const day = fc.integer({ min: 27, max: 32 }).map(String);
  fc.assert(
    fc.property(
      year,
      month,
      day,
      fc.oneof(two, fc.constantFrom("00", "23", "24")),
      two,
      two,
      (...part) => {
        const [y, mo, d, h, mi, s] = part;
        const candidate = `${y}-${mo}-${d}T${h}:${mi}:${s}Z`;
        const ms = parseTimestamp(candidate);
        if (ms !== null) {
          assert.equal(new Date(ms).toISOString(), candidate.replace("Z", ".000Z"));
        } else {
          const lenient = new Date(candidate);
          const same = !Number.isNaN(lenient.getTime()) &&
            lenient.toISOString() === candidate.replace("Z", ".000Z");
          assert.equal(same, false, candidate);
        }
      },
    ),
    { numRuns: 5000 },
  );
});
