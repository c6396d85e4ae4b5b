/** Addresses at random: none that isn't public passes in any spelling, and public ones do. */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { isPublicAddress } from "../../lib/fetch/address.ts";
import { readTarget } from "../../lib/fetch/target.ts";
import { testRules } from "../support/remote.ts";

const rules = testRules();

/**
 * What isn't public, from IANA's special-purpose registries (IPv4: RFC 6890 and later; IPv6: RFC
 * 4291, 6890 and later), multicast, and Azure's own address; first address and length of the prefix.
 */
const BLOCKED_4: [number[], number][] = [
  [[0, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[100, 64, 0, 0], 10],
  [[127, 0, 0, 0], 8],
  [[168, 63, 129, 16], 32],
  [[169, 254, 0, 0], 16],
  [[172, 16, 0, 0], 12],
  [[192, 0, 0, 0], 24],
  [[192, 0, 2, 0], 24],
  [[192, 31, 196, 0], 24],
  [[192, 52, 193, 0], 24],
  [[192, 88, 99, 0], 24],
  [[192, 168, 0, 0], 16],
  [[192, 175, 48, 0], 24],
  [[198, 18, 0, 0], 15],
  [[198, 51, 100, 0], 24],
  [[203, 0, 113, 0], 24],
  [[224, 0, 0, 0], 4],
  [[240, 0, 0, 0], 4],
];

/** Within 2000::/3; everything outside of it is blocked as well. Groups of 16 bits. */
const BLOCKED_6: [number[], number][] = [
  [[0x2001, 0, 0, 0, 0, 0, 0, 0], 23],
  [[0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32],
  [[0x2002, 0, 0, 0, 0, 0, 0, 0], 16],
  [[0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48],
  [[0x3fff, 0, 0, 0, 0, 0, 0, 0], 20],
];

/** Prefixes before an IPv4 address in the last 32 bits: compatible, mapped, translated, ISATAP. */
const CARRIERS = [
  "::",
  "::ffff:",
  "::ffff:0:",
  "64:ff9b::",
  "64:ff9b:1::",
  "2a00:1450:4001:830:0:5efe:",
];

const join = (parts: readonly number[], bits: number): bigint =>
  parts.reduce((whole, part) => (whole << BigInt(bits)) | BigInt(part), 0n);

/** A random address of `width` bits below a prefix. */
function within(prefix: bigint, length: number, width: number): fc.Arbitrary<bigint> {
  const free = BigInt(width - length);
  return fc.bigInt({ min: 0n, max: (1n << free) - 1n }).map((rest) =>
    (prefix >> free << free) | rest
  );
}

const isWithin = (address: bigint, prefix: bigint, length: number, width: number): boolean =>
  address >> BigInt(width - length) === prefix >> BigInt(width - length);

const blocked4 = fc.oneof(
  ...BLOCKED_4.map(([parts, length]) => within(join(parts, 8), length, 32)),
);
const public4 = fc.bigInt({ min: 0n, max: 0xffffffffn }).filter((address) =>
  !BLOCKED_4.some(([parts, length]) => isWithin(address, join(parts, 8), length, 32))
);

const blocked6 = fc.oneof(
  ...BLOCKED_6.map(([parts, length]) => within(join(parts, 16), length, 128)),
  // Outside of 2000::/3, with the well-known parts of it more often than chance has it.
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).filter((address) => address >> 125n !== 1n),
  ...[[0xfc00, 7], [0xfe80, 10], [0xfec0, 10], [0xff00, 8], [0x100, 64]].map(([group, length]) =>
    within(BigInt(group!) << 112n, length!, 128)
  ),
  within(0n, 64, 128),
);
const public6 = within(1n << 125n, 3, 128).filter((address) =>
  !BLOCKED_6.some(([parts, length]) => isWithin(address, join(parts, 16), length, 128)) &&
  (address >> 32n & 0xfcffffffn) !== 0x5efen
);

const octetsOf = (address: bigint): number[] =>
  [24n, 16n, 8n, 0n].map((shift) => Number(address >> shift & 0xffn));
const dotted = (address: bigint): string => octetsOf(address).join(".");
const groupsOf = (address: bigint): string[] =>
  Array.from({ length: 8 }, (_, n) => (address >> BigInt(112 - 16 * n) & 0xffffn).toString(16));

/** One number as the WHATWG URL standard reads it. */
const spelledNumber = (value: number) =>
  fc.tuple(fc.constantFrom(10, 8, 16, 17), fc.integer({ min: 0, max: 6 })).map(([base, zeros]) => {
    const padding = "0".repeat(zeros);
    if (base === 10) return String(value);
    if (base === 8) return `0${padding}${value.toString(8)}`;
    const digits = `${padding}${value.toString(16)}`;
    return base === 16 ? `0x${digits}` : `0X${digits.toUpperCase()}`;
  });

/** One to four parts, each in a base of its own; digits, letters and dots in odd alphabets. */
const spelled4 = (address: bigint) =>
  fc.integer({ min: 1, max: 4 }).chain((count) => {
    const octets = octetsOf(address);
    const last = octets.slice(count - 1).reduce((whole, octet) => whole * 256 + octet, 0);
    const parts = [...octets.slice(0, count - 1), last];
    return fc.tuple(
      fc.tuple(...parts.map(spelledNumber)),
      fc.constantFrom(".", "。", "．", "｡", "%2e"),
      fc.constantFrom("", ".", "。"),
      fc.constantFrom("plain", "fullwidth", "escaped"),
    ).map(([texts, dot, end, style]) => texts.map((text) => restyled(text, style)).join(dot) + end);
  });

function restyled(text: string, style: string): string {
  if (style === "plain") return text;
  return [...text].map((letter) => {
    const code = letter.charCodeAt(0);
    return style === "escaped" ? `%${code.toString(16)}` : String.fromCharCode(code + 0xfee0);
  }).join("");
}

/** Groups written out or compressed, padded, in either case, the last two dotted or not. */
const spelled6 = (address: bigint) =>
  fc.record({ compress: fc.boolean(), pad: fc.boolean(), upper: fc.boolean(), dots: fc.boolean() })
    .map(({ compress, pad, upper, dots }) => {
      const groups = groupsOf(address).map((group) => pad ? group.padStart(4, "0") : group);
      const end = dots ? [dotted(address & 0xffffffffn)] : groups.slice(6);
      const written = [...groups.slice(0, 6), ...end].join(":");
      const text = compress ? written.replace(/(?:^|:)(?:0+:)+/, "::") : written;
      return upper ? text.toUpperCase() : text;
    });

const hostIn = (text: string) => readTarget(`https://${text}/`, rules).hostname;
const blocked = { code: "fetch-blocked-address" };

Deno.test("no IPv4 address that isn't public passes, whatever its spelling", () => {
  fc.assert(
    fc.property(blocked4.chain((a) => fc.tuple(fc.constant(a), spelled4(a))), ([address, text]) => {
      assert.equal(isPublicAddress(dotted(address)), false);
      assert.equal(isPublicAddress(text), false);
      assert.throws(() => hostIn(text), blocked, text);
    }),
    { numRuns: 4000 },
  );
});

Deno.test("no IPv6 address that isn't public passes, whatever its spelling", () => {
  fc.assert(
    fc.property(blocked6.chain(spelled6), (text) => {
      assert.equal(isPublicAddress(text), false, text);
      assert.throws(() => hostIn(`[${text}]`), blocked, text);
    }),
    { numRuns: 4000 },
  );
});

Deno.test("no IPv4 address passes inside an IPv6 one", () => {
  const teredo = (address: bigint) =>
    `2001:0:4136:e378:8000:63bf:${groupsOf(address ^ 0xffffffffn).slice(6).join(":")}`;
  const sixToFour = (address: bigint) => `2002:${groupsOf(address).slice(6).join(":")}::1`;
  fc.assert(
    fc.property(fc.oneof(blocked4, public4), fc.constantFrom(...CARRIERS), (address, carrier) => {
      const tail = groupsOf(address).slice(6).join(":");
      for (
        const text of [
          carrier + dotted(address),
          carrier + tail,
          teredo(address),
          sixToFour(address),
        ]
      ) {
        assert.equal(isPublicAddress(text), false, text);
        assert.throws(() => hostIn(`[${text}]`), blocked, text);
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("public addresses pass, and a URL's spelling of them is undone", () => {
  fc.assert(
    fc.property(public4.chain((a) => fc.tuple(fc.constant(a), spelled4(a))), ([address, text]) => {
      assert.equal(isPublicAddress(dotted(address)), true, dotted(address));
      assert.equal(hostIn(text), dotted(address));
    }),
    { numRuns: 4000 },
  );
  fc.assert(
    fc.property(public6.chain((a) => fc.tuple(fc.constant(a), spelled6(a))), ([address, text]) => {
      assert.equal(isPublicAddress(text), true, text);
      const host = hostIn(`[${text}]`).slice(1, -1);
      // Compressed by the URL standard; written out again, it is the same.
      const [head, tail] = host.split("::").map((half) => half === "" ? [] : half.split(":"));
      const fill = Array(8 - head!.length - (tail?.length ?? 0)).fill("0");
      assert.deepEqual(tail ? [...head!, ...fill, ...tail] : head, groupsOf(address));
    }),
    { numRuns: 4000 },
  );
});

Deno.test("no text but an address is one, and no text makes it throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789abfx.:%[]") })),
      (text) => {
        if (isPublicAddress(text)) assert.match(text, /^[0-9]+(?:\.[0-9]+){3}$|^[0-9a-f:.]+$/i);
      },
    ),
    { numRuns: 5000 },
  );
  fc.assert(
    fc.property(
      public4,
      fc.constantFrom(" ", ".", "%lo", "/32", ":80", "\0", "\n"),
      (address, odd) => {
        assert.equal(isPublicAddress(dotted(address) + odd), false);
        assert.equal(isPublicAddress(odd + dotted(address)), false);
      },
    ),
    { numRuns: 500 },
  );
});
