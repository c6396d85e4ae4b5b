/**
 * Shapes of every kind of document: each limited text at its limit and one beyond, in UTF-16 units; and
 * each member with wrong things in it, told in our own words. Numbers: protocols spec 4, 5, 8.2, 13;
 * runs spec 1.1 to 1.3. An emoji has two units, one code point, and four bytes of UTF-8.
 */
import assert from "node:assert/strict";
import { IssuerError } from "../../../lib/issuer/error.ts";
import { createKey, toJwk } from "../../../lib/issuer/keys.ts";
import { createPool, toPoolFile } from "../../../lib/issuer/pool.ts";
import { signEnvelope } from "../../../lib/issuer/receipt.ts";
import { answer, closeSession, openSession, readSession } from "../../../lib/issuer/session.ts";
import { readPolicy } from "../../../lib/protocol/policy.ts";
import { readPool } from "../../../lib/protocol/pool.ts";
import { checkRun } from "../../../lib/protocol/run.ts";
import { type Reason } from "../../../lib/protocol/reason.ts";
import { readIssuers, readPolicies, RegistryError } from "../../../lib/trust/registry.ts";
import { type Report } from "../../../lib/verify/report.ts";
import { verifyDocument } from "../../../lib/verify/verify.ts";
import { requireDisclosure } from "../../../routes/api/pool_request.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";
import { admissionOf, challengeOf, receiptBody, SESSION, signBody } from "../../support/forge.ts";
import { bytesOf, type Line, linesOf, placeholders, rowOf } from "../../support/runs.ts";

const verifier = createVerifyContext("auto", assert.fail);
const key = createKey();
const EMOJI = "😀";

/** A text of `units` UTF-16 units, of which as many as possible are emojis. */
const astral = (units: number) => EMOJI.repeat(units >> 1) + "a".repeat(units & 1);

function codes({ outcome, reason }: Report): string {
  if (outcome !== "invalid") return String(outcome);
  return reason!.inner === undefined ? reason!.code : `${reason!.code} › ${reason!.inner.code}`;
}

const check = async (document: unknown) => codes(await verifyDocument(document, verifier));
const alone = async (challenge: Record<string, unknown>, body: Record<string, unknown> = {}) =>
  await check(await signBody(key, receiptBody(challengeOf(key, 0, challenge), body)));
async function inSession(
  challenge: Record<string, unknown>,
  body: Record<string, unknown> = {},
  claims: Record<string, unknown> = {},
): Promise<string> {
  const held = { sessionId: SESSION.sessionId, ...challenge };
  return await check(
    await admissionOf(key, [receiptBody(challengeOf(key, 0, held), body)], claims),
  );
}

const CLAIM = 256;
const ANSWER = 65_536;

for (const member of ["context", "subject"]) {
  Deno.test(`a challenge's ${member} has at most 256 units`, async () => {
    const fits = { [member]: astral(CLAIM) };
    assert.equal(await alone(fits), "issuer-claimed");
    assert.equal(await inSession(fits, {}, fits), "issuer-claimed");
    for (const units of [CLAIM + 1, CLAIM + 2, 2 * CLAIM]) {
      const tooLong = { [member]: astral(units) };
      assert.equal(await alone(tooLong), "payload-malformed", `${units}`);
      assert.equal(await inSession(tooLong, {}, tooLong), "challenge-malformed", `${units}`);
    }
  });
}

Deno.test("a subject has a unit at least, a context none", async () => {
  assert.equal(await alone({ subject: "" }), "payload-malformed");
  assert.equal(await alone({ context: "" }), "issuer-claimed");
});

for (const member of ["response", "expected"]) {
  Deno.test(`a receipt's ${member} has at most 65,536 units`, async () => {
    // One at a time: both together would pass the limit of a payload's bytes.
    const failed = { ...receiptBody({}).verdict, pass: false };
    const body = (units: number) => ({ verdict: failed, [member]: astral(units) });
    assert.equal(await alone({}, body(ANSWER)), "issuer-claimed");
    assert.equal(await inSession({}, body(ANSWER)), "issuer-claimed");
    for (const units of [ANSWER + 1, ANSWER + 2, ANSWER + 1000]) {
      assert.equal(await alone({}, body(units)), "payload-malformed");
      assert.equal(await inSession({}, body(units)), "receipt-invalid › payload-malformed");
    }
  });
}

Deno.test("a prompt's limit is in bytes: an emoji has four", async () => {
  const fits = EMOJI.repeat(64 * 1024 / 4);
  assert.equal(await alone({ prompt: fits }), "issuer-claimed");
  assert.equal(await alone({ prompt: fits + "a" }), "payload-malformed");
});

Deno.test("a payload's limit is in bytes: an emoji has four", async () => {
  const body = receiptBody(challengeOf(key));
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
  const room = 256 * 1024 - bytes({ ...body, zz: "" });
  const fits = EMOJI.repeat(room >> 2) + "a".repeat(room & 3);
  assert.equal(await check(await signBody(key, { ...body, zz: fits })), "issuer-claimed");
  assert.equal(await check(await signBody(key, { ...body, zz: fits + "a" })), "document-too-large");
});

Deno.test("ids, hashes, keys and labels have no room for an emoji", async () => {
  for (const id of ["challengeId", "sessionId", "seedCommit", "nonce"]) {
    const written = challengeOf(key, 0, { sessionId: SESSION.sessionId }) as Record<
      string,
      unknown
    >;
    const right = `${written[id]}`;
    for (const length of [right.length - 1, right.length, right.length - 2]) {
      assert.equal(
        await alone({ ...written, [id]: right.slice(0, length - 1) + EMOJI }),
        "payload-malformed",
      );
    }
  }
  const pool = toPoolFile(createPool("touchstone", ["algal:t1"]));
  for (const label of [astral(22), astral(128), "a".repeat(21), "a".repeat(129)]) {
    const read = readPool({ ...pool, cells: [{ ...pool.cells[0], label }] });
    assert.ok(!read.ok);
    assert.equal(read.reason.code, "label-malformed");
  }
  for (const label of ["a".repeat(22), "a".repeat(128)]) {
    const read = readPool({ ...pool, cells: [{ ...pool.cells[0], label }] });
    assert.ok(!read.ok);
    assert.equal(read.reason.code, "pool-key-mismatch");
  }
});

/** A run of two rows, the first of them changed, and the code that it comes to. */
async function runWith(changes: Line, adapter?: string): Promise<string> {
  const rows = [rowOf("sat", 4, 7, changes), rowOf("sat", 4, 8)];
  const lines = linesOf("clankdar-frontier-v1", rows);
  const named = adapter === undefined ? lines : lines.map((line) => ({ ...line, adapter }));
  const { outcome, reason } = await checkRun(bytesOf(named), placeholders);
  return outcome === "invalid" ? reason!.code : String(outcome);
}

const entry = { turn: 0, role: "model", text: "x" };
const inEntry = (more: Line) => ({ detail: { transcript: [{ ...entry, ...more }] } });

const RUN_TEXTS: [name: string, most: number, changes: (text: string) => Line, code: string][] = [
  ["prompt", ANSWER, (prompt) => ({ prompt, error: "x", pass: false }), "result-field"],
  ["expected", ANSWER, (expected) => ({ expected, error: "x", pass: false }), "result-field"],
  ["response", ANSWER, (response) => ({ response, pass: false }), "result-field"],
  ["a transcript's text", 8192, (text) => inEntry({ text }), "transcript"],
  ["a transcript's tool", 64, (tool) => inEntry({ tool, role: "tool" }), "transcript"],
  ["episodeError", 64, (episodeError) => ({ detail: { episodeError } }), "episode-field"],
];

for (const [name, most, changes, code] of RUN_TEXTS) {
  Deno.test(`a run's limits are in units: ${name}`, async () => {
    // Whatever replaying says of such a row afterwards, its shape is right.
    assert.notEqual(await runWith(changes(astral(most))), code);
    assert.equal(await runWith(changes(astral(most + 1))), code);
    assert.equal(await runWith(changes(astral(most + 2))), code);
  });
}

Deno.test("a run's limits are in units: adapter", async () => {
  assert.equal(await runWith({}, astral(200)), "verified");
  assert.equal(await runWith({}, astral(201)), "adapter-label");
});

Deno.test("the session kit refuses what its own documents couldn't hold, in units", async () => {
  const policy = {
    suite: "touchstone",
    cells: ["algal:t1"],
    challenges: 1,
    minPass: 1,
    ttlSeconds: 60,
  };
  const now = Date.UTC(2026, 0, 1);
  const open = (claims: { subject?: string; context?: string }) =>
    openSession({ key, policy, now, references: verifier.references, ...claims });
  const refused = (error: unknown) =>
    error instanceof IssuerError && error.code === "payload-malformed";
  for (const member of ["subject", "context"]) {
    const session = await open({ [member]: astral(CLAIM) });
    const { admission } = await closeSession(session, key, now);
    assert.equal(await check(admission), "verified");
    await assert.rejects(open({ [member]: astral(CLAIM + 1) }), refused);
  }
  const session = await open({});
  const { challenge } = session.items[0]!;
  const answered = (units: number) => answer(session, challenge.challengeId, astral(units), now);
  assert.equal((await answered(8192)).accepted, false);
  await assert.rejects(answered(8193), (error: IssuerError) => error.code === "response-too-long");
});

/** Sentences of the schema library, and of the runtime. */
const FOREIGN =
  /Invalid|expected .* received|Too (?:small|big)|must match|Unrecognized|Required|undefined|NaN|object Object|TypeError|JSON at position/;

/** Ours: the beginning of a sentence, without a full stop. */
function assertOurs(message: string, what: string): void {
  assert.doesNotMatch(message, FOREIGN, what);
  assert.match(message, /\S/, what);
}

function assertReason(reason: Reason | null, what: string): void {
  for (let at: Reason | null | undefined = reason; at; at = at.inner) assertOurs(at.message, what);
}

const WRONG: unknown[] = [undefined, null, true, 7, -1, 1.5, "", "x", astral(700), [], [7], {}, {
  a: 1,
}];

/** A value with a wrong thing at each of its places, one at a time; itself included. */
function* spoilt(value: unknown): Generator<{ what: string; value: unknown }> {
  for (const { what, value: wrong } of eachSpoilt(value)) {
    // As JSON has it: a member that is undefined is none.
    if (wrong !== undefined) yield { what, value: JSON.parse(JSON.stringify(wrong)) };
  }
}

function* eachSpoilt(value: unknown): Generator<{ what: string; value: unknown }> {
  for (const wrong of WRONG) {
    yield { what: `is ${JSON.stringify(wrong)?.slice(0, 20)}`, value: wrong };
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const { what, value: inner } of eachSpoilt(member)) {
      const copy: Record<string, unknown> = Array.isArray(value)
        ? value.with(Number(name), inner) as unknown as Record<string, unknown>
        : { ...value, [name]: inner };
      yield { what: `${name}: ${what}`, value: copy };
    }
  }
}

async function assertWords(document: unknown, what: string): Promise<void> {
  const report = await verifyDocument(document, verifier);
  assertReason(report.reason, what);
  for (const { reason } of report.receipts) assertReason(reason, what);
}

const proof = { publicKey: key.publicKey.text, signature: "A".repeat(86) };
const body = receiptBody(
  challengeOf(key, 0, { sessionId: SESSION.sessionId, context: "c", subject: "s" }),
  { subjectProof: proof },
);

Deno.test("wrong things in an envelope are told in our own words", async () => {
  for (const { what, value } of spoilt(await signBody(key, body))) await assertWords(value, what);
  for (const { what, value } of spoilt({ receipt: await signBody(key, body), pool: {} })) {
    await assertWords(value, what);
  }
});

Deno.test("wrong things in a receipt and its challenge are told in our own words", async () => {
  for (const { what, value } of spoilt(body)) {
    await assertWords(await signBody(key, value), what);
  }
});

Deno.test("wrong things in an admission and its policy are told in our own words", async () => {
  const envelope = await admissionOf(key, [body], { context: "c", subject: "s" });
  for (const { what, value } of spoilt(JSON.parse(envelope.payload))) {
    await assertWords(await signEnvelope("clankdar-gate-v1", key, value), what);
  }
  const { policy } = JSON.parse(envelope.payload);
  for (const { what, value } of spoilt(policy)) {
    const read = readPolicy(value);
    if (!read.ok) assertReason(read.reason, what);
  }
});

Deno.test("wrong things in a pool are told in our own words, with what was found and expected", () => {
  const pool = toPoolFile(createPool("touchstone", ["algal:t1", "algal:t2"]));
  for (const { what, value } of spoilt(pool)) {
    const read = readPool(value);
    // Members that a pool doesn't have are dropped.
    if (!read.ok) {
      assertReason(read.reason, what);
      if (!["cell-unknown", "pool-cell-duplicate"].includes(read.reason.code)) {
        assert.match(read.reason.message, /was (?:found|given)(?: as its cells)?$/, what);
      }
    }
  }
});

Deno.test("wrong things in a run's lines are told in our own words", async () => {
  const detail = {
    transcript: [{ ...entry, tool: "t", ok: true }],
    toolCalls: 1,
    turns: 1,
    episodeError: "e",
  };
  const rows = [
    rowOf("sat", 4, 7, { detail, truncated: false, refused: false }),
    rowOf("sat", 4, 8),
  ];
  const lines = linesOf("clankdar-frontier-v1", rows);
  for (const [index, line] of lines.entries()) {
    for (const { what, value } of spoilt(line)) {
      const spoiltLines = lines.with(index, value as Line);
      const { reason } = await checkRun(bytesOf(spoiltLines), placeholders);
      assertReason(reason, `line ${index}: ${what}`);
    }
  }
});

Deno.test("wrong things in a log, a dossier and a head are told in our own words", async () => {
  const head = { count: 1, head: "0".repeat(64), verifier: { publicKey: "x", keyId: "y" } };
  const log = { head, entries: [{ index: 0, type: "session" }] };
  const dossier = { protocol: "clankdar-badge-v1", payload: "{}", signature: "x" };
  for (const value of [log, dossier, head]) {
    for (const { what, value: wrong } of spoilt(value)) await assertWords(wrong, what);
  }
});

Deno.test("wrong things in a statement, a session, a key and the registry are told in our own words", async () => {
  const read = readPool(toPoolFile(createPool("touchstone", ["algal:t1"])));
  assert.ok(read.ok);
  const policy = {
    suite: "touchstone",
    cells: ["algal:t1"],
    challenges: 1,
    minPass: 1,
    ttlSeconds: 60,
  };
  const session = await openSession({ key, policy, now: 0, references: verifier.references });
  const readers: [name: string, value: unknown, read: (value: unknown) => unknown][] = [
    ["statement", proof, (value) => requireDisclosure(read.pool, value)],
    ["session", session, readSession],
    [
      "issuers",
      [{ name: "A", publicKey: proof.publicKey, status: "active", note: "n" }],
      readIssuers,
    ],
    ["policies", [{ name: "a", policy }], readPolicies],
  ];
  assert.ok(toJwk(key));
  for (const [name, value, reader] of readers) {
    for (const { what, value: wrong } of spoilt(value)) {
      try {
        await reader(wrong);
      } catch (error) {
        assert.ok(error instanceof Error);
        const told = error instanceof RegistryError || error instanceof IssuerError ||
          error.constructor.name === "ProblemError";
        assert.ok(told, `${name}: ${what}: ${error}`);
        assertOurs(error.message, `${name}: ${what}: ${error.message}`);
      }
    }
  }
});
