/**
 * Names that mean something to JavaScript, wherever a stranger can put a name; and names made to
 * collide.
 */
import assert from "node:assert/strict";
import { canonicalJson } from "../../../lib/encoding/canonical.ts";
import { createKey } from "../../../lib/issuer/keys.ts";
import { mintAdmission } from "../../../lib/issuer/mint.ts";
import { createPool, toPoolFile } from "../../../lib/issuer/pool.ts";
import { signEnvelope } from "../../../lib/issuer/receipt.ts";
import type { Envelope } from "../../../lib/protocol/envelope.ts";
import { readPool } from "../../../lib/protocol/pool.ts";
import { readRequirements } from "../../../lib/trust/acceptance.ts";
import { readInput, verifyInput } from "../../../lib/verify/input.ts";
import { recognise } from "../../../lib/verify/recognise.ts";
import type { Report } from "../../../lib/verify/report.ts";
import { verifyDocument, verifyRun } from "../../../lib/verify/verify.ts";
import { registry } from "../../../service/trust.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";
import { admissionOf, challengeOf, receiptBody, SESSION, signBody } from "../../support/forge.ts";
import { linesOf, rowOf } from "../../support/runs.ts";

/** Inherited by every object, meaningful to a promise or a serialiser, or an index. */
const NAMES = [
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
  "then",
  "toJSON",
  "length",
  "name",
  "caller",
  "0",
  "4294967294",
];

const verifier = createVerifyContext("auto");
const { references } = verifier;
const key = createKey();

function codeOf({ outcome, reason }: Report): string {
  assert.equal(outcome, "invalid");
  return reason!.inner === undefined ? reason!.code : `${reason!.code} › ${reason!.inner.code}`;
}

const check = async (document: unknown) => codeOf(await verifyDocument(document, verifier));
const receiptWith = (challenge: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  signBody(key, receiptBody(challengeOf(key, 0, challenge), more));
const admissionWith = (changes: Record<string, unknown>) =>
  admissionOf(
    key,
    [receiptBody(challengeOf(key, 0, { sessionId: SESSION.sessionId }))],
    changes,
  );
const POLICY = { suite: "v2", cells: ["h:echo:t0"], challenges: 1, minPass: 1, ttlSeconds: 300 };

Deno.test("a name that every object inherits is no suite, family, session, policy or pool", async () => {
  const pool = toPoolFile(createPool("touchstone", ["algal:t1"]));
  const poolCode = (changes: Record<string, unknown>) => {
    const read = readPool({ ...pool, ...changes });
    return read.ok ? "ok" : read.reason.code;
  };
  for (const name of NAMES) {
    const places: [place: string, found: string, code: string][] = [
      ["suite version", await check(await receiptWith({ suiteVersion: name })), "suite-unknown"],
      ["family", await check(await receiptWith({ family: name })), "cell-unknown"],
      [
        "format",
        await check(
          await receiptWith({}, {
            verdict: { pass: true, format: name, answeredAt: SESSION.answeredAt },
          }),
        ),
        "format-mismatch",
      ],
      ["challenge id", await check(await receiptWith({ challengeId: name })), "payload-malformed"],
      ["session id", await check(await receiptWith({ sessionId: name })), "payload-malformed"],
      ["kind", await check(await signBody(key, { kind: name })), "payload-malformed"],
      [
        "pool key",
        await check(await receiptWith({ heldout: { poolKey: name } })),
        "heldout-malformed",
      ],
      ["marker", await check(await receiptWith({ heldout: name })), "heldout-malformed"],
      [
        "protocol",
        await check({ protocol: name, payload: "{}", signature: "" }),
        "protocol-unknown",
      ],
      ["session", await check(await admissionWith({ sessionId: name })), "session-id-malformed"],
      [
        "policy's suite",
        await check(await admissionWith({ policy: { ...POLICY, suite: name } })),
        "policy-malformed",
      ],
      [
        "policy's cell",
        await check(await admissionWith({ policy: { ...POLICY, cells: [name] } })),
        "policy-malformed",
      ],
      ["pool's suite", poolCode({ suite: name }), "pool-suite-unknown"],
      ["pool's protocol", poolCode({ protocol: name }), "protocol-unknown"],
      ["pool's family", poolCode({ cells: [{ ...pool.cells[0], family: name }] }), "cell-unknown"],
    ];
    for (const [place, found, code] of places) assert.equal(found, code, `${name} as ${place}`);

    const cell = `${name.toLowerCase().replaceAll("_", "")}:t0`;
    if (/^[a-z0-9]+:/.test(cell)) {
      const policy = { ...POLICY, cells: [cell] };
      assert.equal(await check(await admissionWith({ policy })), "policy-cell-unknown", cell);
    }
    for (const parameter of ["issuer", "policy"] as const) {
      const read = readRequirements({ [parameter]: [name] }, registry());
      assert.ok(!read.ok && read.error.code === `${parameter}-unknown-name`, name);
    }
    // Nor is a parameter of that name one of ours.
    const query = JSON.parse(`{${JSON.stringify(name)}:["x"]}`);
    assert.deepEqual(readRequirements(query, registry()), { ok: true, requirements: null });
  }
});

Deno.test("nor is it a run's suite, family or type", async () => {
  const codeOfRun = async (edit: (lines: Record<string, unknown>[]) => void) => {
    const lines: Record<string, unknown>[] = linesOf("clankdar-frontier-v1", [rowOf("sat", 4, 1)]);
    edit(lines);
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    return codeOf(await verifyRun(new TextEncoder().encode(text), verifier));
  };
  for (const name of NAMES) {
    assert.equal(await codeOfRun((l) => l[0]!.suiteVersion = name), "manifest", name);
    assert.equal(await codeOfRun((l) => l[1]!.family = name), "instance-id", name);
    assert.equal(await codeOfRun((l) => l[1]!.type = name), "record-type", name);
  }
});

/** The text of an object with one member more, whatever its name. */
function withMember(value: unknown, name: string, member: unknown): Record<string, unknown> {
  const entries = Object.entries(value as Record<string, unknown>);
  const copy = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(member)}}`);
  for (const [own, content] of entries) {
    Object.defineProperty(copy, own, {
      value: content,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** Every object in a JSON value, with its path. */
function* objectsIn(value: unknown, path: (string | number)[] = []): Generator<typeof path> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield path;
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, [...path, name]);
}

/** A copy in which the object at `path` is what `edit` makes of it. */
function edited(
  value: unknown,
  [step, ...rest]: (string | number)[],
  edit: (object: unknown) => unknown,
): unknown {
  if (step === undefined) return edit(value);
  if (Array.isArray(value)) {
    return value.with(Number(step), edited(value[Number(step)], rest, edit));
  }
  const object = value as Record<string, unknown>;
  return { ...object, [step]: edited(object[step], rest, edit) };
}

const minted = await mintAdmission({
  cells: ["algal:t1"],
  answers: ["right", "wrong"],
  minPass: 1,
  key,
  references,
});
/** The first challenge is left out: a receipt has to repeat it, member by member. */
const body: { receipts: Envelope[] } = JSON.parse(minted.envelope.payload);
const firstReceipt = JSON.parse(body.receipts[0]!.payload);

Deno.test("an unknown member of any name changes nothing, at whatever level", async () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const plain = await verifyDocument(minted.envelope, verifier);
  assert.equal(plain.outcome, "verified");
  const trap = { polluted: true, pass: false, outcome: "invalid", protocol: "x", length: 1e9 };
  const sameBut = ({ id: _, ...report }: Report) => report;
  for (const name of NAMES) {
    for (const member of [trap, null, "text", [trap]]) {
      const add = (object: unknown) => withMember(object, name, member);
      const envelope = await verifyDocument(add(minted.envelope), verifier);
      assert.deepEqual(envelope, plain, `${name} in the envelope`);
      for (const path of objectsIn(body)) {
        // Challenges are repeated in receipts: unknown members of them are compared (protocols spec 14 no. 1).
        if (path[0] === "challenges" || path[0] === "receipts") continue;
        const payload = edited(body, path, add);
        const signed = await signEnvelope("clankdar-gate-v1", key, payload);
        assert.ok(signed.payload.includes(JSON.stringify(name)));
        const report = await verifyDocument(signed, verifier);
        assert.deepEqual(sameBut(report), sameBut(plain), `${name} at ${path.join(".")}`);
      }
      const receipt = await signBody(key, add(firstReceipt));
      const carried = { ...body, receipts: [receipt, body.receipts[1]!] };
      const report = await verifyDocument(
        await signEnvelope("clankdar-gate-v1", key, carried),
        verifier,
      );
      assert.deepEqual(sameBut(report), sameBut(plain), `${name} in a receipt`);
    }
  }
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
  assert.ok(!("polluted" in {}));
});

Deno.test("a member missing is missing, whatever __proto__ holds", async () => {
  const envelope = canonicalJson({ ...minted.envelope });
  const wrapped = JSON.parse(`{"__proto__":${envelope}}`);
  assert.equal(await check(wrapped), "document-unrecognised");
  const bundle = new TextEncoder().encode(`{"__proto__":{"documents":[${envelope}]}}`);
  const read = await readInput(bundle, { bytes: 1e6, documents: 10 });
  assert.ok(read.ok);
  const [report] = await verifyInput(read.input, verifier);
  assert.equal(codeOf(report!), "document-unrecognised");

  for (const member of ["kind", "sessionId", "policy", "challenges", "receipts", "verdict"]) {
    const { [member]: moved, ...rest } = body as unknown as Record<string, unknown>;
    const moving = withMember(rest, "__proto__", { [member]: moved });
    const code = await check(await signEnvelope("clankdar-gate-v1", key, moving));
    assert.match(code, /^(payload-malformed|session-id-malformed|policy-malformed)$/, member);
  }
  for (const member of Object.keys(firstReceipt)) {
    const { [member]: moved, ...rest } = firstReceipt;
    const moving = withMember(rest, "__proto__", { [member]: moved });
    assert.equal(await check(await signBody(key, moving)), "payload-malformed", member);
  }
});

/**
 * Texts that V8 hashes without a seed, as their number modulo 2^24, and that so share the few buckets
 * of any table with up to 65,536 of them: a table of n such keys takes about n²/2 steps to fill.
 */
const COLLIDING = Array.from({ length: 30_000 }, (_, k) => String(2 ** 30 + k * 2 ** 16));

/** Keys of hashed tables that one document may choose, whatever it holds. */
const MAX_CHOSEN = 64;

/** Runs `run`, and counts the unseeded keys that are entered into maps and sets meanwhile. */
async function chosenKeys(run: () => Promise<unknown>): Promise<number> {
  const { add } = Set.prototype;
  const { set } = Map.prototype;
  let count = 0;
  const note = (value: unknown) => {
    if (typeof value === "number" || typeof value === "string" && /^\d{1,10}$/.test(value)) count++;
  };
  Set.prototype.add = function (value) {
    note(value);
    return add.call(this, value);
  };
  Map.prototype.set = function (name, value) {
    note(name);
    return set.call(this, name, value);
  };
  try {
    await run();
  } finally {
    Set.prototype.add = add;
    Map.prototype.set = set;
  }
  return count;
}

Deno.test("however many colliding names a document holds, no table is filled with them", async () => {
  const many = COLLIDING;
  const members = Object.fromEntries(many.map((name) => [name, 0]));
  const signed = (body: unknown) => signEnvelope("clankdar-gate-v1", key, body);
  const pool = toPoolFile(createPool("touchstone", ["algal:t1"]));
  const lines = (edit: (lines: Record<string, unknown>[]) => void) => {
    const lines: Record<string, unknown>[] = linesOf("clankdar-frontier-v1", [rowOf("sat", 4, 1)]);
    edit(lines);
    return lines.map((line) => JSON.stringify(line)).join("\n");
  };
  const inputs: [name: string, text: string][] = [
    ["documents", JSON.stringify(many.slice(0, 1000))],
    ["members of a document", JSON.stringify({ ...minted.envelope, ...members })],
    ["members of a body", JSON.stringify(await signed({ ...body, ...members }))],
    [
      "cells of a policy",
      JSON.stringify(await signed({ ...body, policy: { ...POLICY, cells: many } })),
    ],
    ["challenges", JSON.stringify(await signed({ ...body, challenges: many }))],
    ["receipts", JSON.stringify(await signed({ ...body, receipts: many }))],
    ["pools", JSON.stringify({ documents: [], pools: many })],
    ["cells of a pool", JSON.stringify({ documents: [], pools: [{ ...pool, cells: many }] })],
    ["members of a pool", JSON.stringify({ documents: [], pools: [{ ...pool, ...members }] })],
    ["a log", JSON.stringify({ head: members, entries: many })],
    ["lines", many.slice(0, 1000).join("\n")],
    ["seeds of a run", lines((l) => l[0]!.seeds = many)],
    ["cells of a run", lines((l) => l[0]!.cells = many)],
    ["members of a run's line", lines((l) => Object.assign(l[1]!, members))],
    ["tool calls of a run", lines((l) => l[1]!.detail = { transcript: many })],
  ];
  for (const [name, text] of inputs) {
    const chosen = await chosenKeys(async () => {
      const read = await readInput(new TextEncoder().encode(text), { bytes: 4e6, documents: 1000 });
      if (read.ok) await verifyInput(read.input, verifier);
      else assert.ok(read.reason.code, name);
    });
    assert.ok(chosen <= MAX_CHOSEN, `${name}: ${chosen} keys`);
  }
  // The measure does see what it is for.
  assert.equal(await chosenKeys(() => Promise.resolve(new Set(many.slice(0, 100)))), 100);
});

Deno.test("a run's seeds may be any, and as many as there are rows", async () => {
  const rows = Array.from({ length: 300 }, (_, k) => rowOf("sat", 4, k * 2 ** 16));
  const text = linesOf("clankdar-frontier-v1", rows).map((line) => JSON.stringify(line)).join("\n");
  const chosen = await chosenKeys(async () => {
    // The rows are no puzzles of the family: it is read to its end, and the first row is wrong.
    const report = await verifyRun(new TextEncoder().encode(text), verifier);
    assert.equal(codeOf(report), "instance-mismatch");
  });
  assert.ok(chosen <= MAX_CHOSEN, `${chosen} keys`);
});

Deno.test("recognising a document looks at own members only", () => {
  for (const name of NAMES) {
    const value = JSON.parse(`{"protocol":${JSON.stringify(name)}}`);
    assert.equal(recognise(value).kind, "unknown", name);
  }
});
