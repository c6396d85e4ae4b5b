/**
 * The check of a receipt. Source: protocols spec 5.
 */
import { z } from "zod";
import type { PublicKey } from "../crypto/ed25519.ts";
import { sameCanonical } from "../encoding/canonical.ts";
import { parseTimestamp } from "../encoding/timestamp.ts";
import { EvaluatorUnavailable } from "../evaluator/reference.ts";
import { regenerate, type Regenerated } from "../suites/generate.ts";
import { BudgetExceeded } from "../suites/budget.ts";
import { GenerationError } from "../suites/instance.ts";
import { matchesPrompt } from "../suites/prompt.ts";
import { hasCell, suiteOf } from "../suites/suites.ts";
import { mixSeed } from "../suites/rng.ts";
import { answerFormat, canonicalAnswer } from "../suites/scoring.ts";
import {
  type Challenge,
  challengeCell,
  readChallenge,
  seedCommitment,
  timestampReason,
} from "./challenge.ts";
import { type Check, checklist } from "./checklist.ts";
import type { CheckContext } from "./context.ts";
import { openEnvelope } from "./envelope.ts";
import { checkSignature, isReason, readKey } from "./keys.ts";
import { LIMITS } from "./limits.ts";
import { type Pool, poolCell } from "./pool.ts";
import { pathOf, type Reason, reason } from "./reason.ts";
import { bodyReason, text } from "./shape.ts";
import { checkSubjectProof, readSubjectProof, type SubjectProof } from "./subject.ts";

const bodySchema = z.object({
  kind: z.literal("receipt"),
  challenge: z.unknown(),
  seed: z.number(),
  expected: text(LIMITS.answer),
  response: text(LIMITS.answer),
  subjectProof: z.unknown().optional(),
  verdict: z.object({ pass: z.boolean(), format: z.string(), answeredAt: z.string() }),
});

/** A receipt body of the right shape. */
export interface ReceiptBody {
  challenge: Challenge;
  seed: number;
  expected: string;
  response: string;
  subjectProof: SubjectProof | null;
  verdict: { pass: boolean; format: string; answeredAt: string };
  /** `verdict.answeredAt` in milliseconds. */
  answeredMs: number;
}

/** A challenge as a document holds it, and as it was read. */
export interface ListedChallenge {
  raw: unknown;
  challenge: Challenge;
}

/** What an admission's receipts share with it. */
interface Session {
  /** A receipt's challenge that is one of these is not read again: it is that very object. */
  listed: readonly ListedChallenge[];
  /** Whether the admission's own signature holds; nothing costly is done before it does. */
  signed: Promise<boolean>;
}

/**
 * When a check is done. `opening`: one after the other, until the signature has verified. `content`:
 * all that needs neither a signature nor regeneration, while the signatures are under way. `replay`:
 * what regeneration shows. `proof`: the subject's signature.
 */
type Phase = "opening" | "content" | "replay" | "proof";

/**
 * The checks of a receipt, each with the phase in which it is done, in the order that decides the
 * reported code (protocols spec 5.1). A failed check above those of the replay saves the replay; one
 * below them doesn't, since the replay's own failure would have to be reported first.
 */
const RECEIPT_CHECKS = [
  ["envelope", { phase: "opening" }],
  ["payload", { phase: "opening" }],
  ["shape", { phase: "opening" }],
  ["issuer-key", { phase: "opening" }],
  ["key-id", { phase: "opening" }],
  ["signature", { phase: "opening" }],
  ["seed", { phase: "content" }],
  ["seed-commitment", { phase: "content" }],
  ["suite", { phase: "content" }],
  ["pool-suite", { phase: "content" }],
  ["cell", { phase: "content" }],
  ["pool-cell", { phase: "content" }],
  ["format", { phase: "content" }],
  ["response", { phase: "content" }],
  ["expected", { phase: "content" }],
  ["generation", { phase: "replay" }],
  ["prompt", { phase: "replay" }],
  ["answer", { phase: "replay" }],
  ["score", { phase: "content" }],
  ["answered-at", { phase: "content" }],
  ["subject-proof", { phase: "proof" }],
] as const satisfies readonly (readonly [name: string, when: { phase: Phase }])[];

type Row = (typeof RECEIPT_CHECKS)[number];
type Name = Row[0];
/** The names of the checks that are done in a phase: noting one in another phase doesn't compile. */
type NameIn<P extends Phase> = Extract<Row, readonly [string, { phase: P }]>[0];

const NAMES: readonly Name[] = RECEIPT_CHECKS.map(([name]) => name);
const ABOVE_REPLAY: ReadonlySet<Name> = new Set(
  NAMES.slice(0, RECEIPT_CHECKS.findIndex(([, { phase }]) => phase === "replay")),
);

/** The result of checking a receipt. */
export interface ReceiptResult {
  outcome: "verified" | "issuer-claimed" | "invalid" | null;
  /** Why it is invalid, unfinished or unreplayed; null when verified. */
  reason: Reason | null;
  checks: Check[];
  /** The challenge it says it answers; null if even its shape is wrong. */
  challengeId: string | null;
  /** The content; null until the signature has verified. */
  body: ReceiptBody | null;
  issuer: PublicKey | null;
}

/**
 * Checks a receipt; never rejects. Everything up to the start of the signature checks happens
 * before the first await, so callers can start many receipts together.
 *
 * @param session the admission around it, if any.
 */
export async function checkReceipt(
  document: unknown,
  context: CheckContext,
  path = "",
  session?: Session,
): Promise<ReceiptResult> {
  const list = checklist(NAMES);
  const failed = (challengeId: string | null = null): ReceiptResult => ({
    outcome: "invalid",
    reason: list.reason(),
    checks: list.checks(),
    challengeId,
    body: null,
    issuer: null,
  });

  const opened = openEnvelope(document, "clankdar-attest-v1", LIMITS.receiptBytes, path);
  list.note("envelope", opened.envelope);
  if (opened.payload !== undefined) list.note("payload", opened.payload);
  if (opened.content === undefined) return failed();
  const { envelope } = opened.content;

  const read = readBody(opened.content.body, path, session?.listed ?? []);
  if (!list.note("shape", read.ok ? null : read.reason) || !read.ok) return failed();
  const { body } = read;
  const { challenge, subjectProof } = body;
  const { challengeId } = challenge;
  const at = (member: string) => pathOf(path, member);

  const { verifier } = challenge;
  const key = readKey(verifier.publicKey, "issuer", at("challenge.verifier.publicKey"));
  if (isReason(key)) {
    list.note("issuer-key", key);
    return failed(challengeId);
  }
  list.note("issuer-key", null);
  if (!list.note("key-id", checkKeyId(key, verifier.keyId, at("challenge.verifier.keyId")))) {
    return failed(challengeId);
  }
  const signed = checkSignature(key, envelope.payload, envelope.signature, at("signature"));
  const proven = subjectProof === null
    ? Promise.resolve(null)
    : checkSubjectProof(subjectProof, challenge, at("subjectProof"));
  // What costs little is done while the signatures are under way. It counts only if they hold.
  const pool = challenge.poolKey === null ? undefined : context.pools.get(challenge.poolKey);
  const content = checkContent({ body, pool, at });
  if (!list.note("signature", await signed)) return failed(challengeId);
  const done = (outcome: ReceiptResult["outcome"], why: Reason | null): ReceiptResult => ({
    outcome,
    reason: why,
    checks: list.checks(),
    challengeId,
    body,
    issuer: key,
  });
  for (const [check, result] of content) list.note(check, result);
  list.note("subject-proof", await proven);
  const hopeless = content.some(([check, result]) => result !== null && ABOVE_REPLAY.has(check));
  if (hopeless) return done("invalid", list.reason());
  if (list.reason() !== null && challenge.poolKey !== null && pool === undefined) {
    return done("invalid", list.reason());
  }

  if (challenge.poolKey !== null && pool === undefined) {
    const message = "the puzzle is held out and its pool is not disclosed: the issuer's word only";
    const why = reason("pool-undisclosed", message, at("challenge.heldout.poolKey"));
    return done("issuer-claimed", why);
  }
  if (session !== undefined && !await session.signed) return done(null, null);
  const unfinished = await replay({ body, pool, at }, context, list.note);
  if (list.reason() !== null) return done("invalid", list.reason());
  if (unfinished !== null) return done(null, unfinished);
  return done("verified", null);
}

/** The cell id of the challenge that a receipt answers. */
export function receiptCell(body: ReceiptBody): string {
  return challengeCell(body.challenge);
}

/** `issuer-key-id-mismatch` unless `keyId` is the id of the key. */
export function checkKeyId(key: PublicKey, keyId: string, path: string): Reason | null {
  if (key.keyId === keyId) return null;
  return reason("issuer-key-id-mismatch", "the key id is not the key's", path);
}

type Noted = readonly [check: NameIn<"content">, result: Reason | null];
type Note<P extends Phase> = (check: NameIn<P>, result: Reason | null) => boolean;
type At = (member: string) => string;

function readBody(
  value: unknown,
  path: string,
  listed: readonly ListedChallenge[],
): { ok: true; body: ReceiptBody } | { ok: false; reason: Reason } {
  const parsed = bodySchema.safeParse(value);
  if (!parsed.success) {
    return { ok: false, reason: bodyReason(parsed.error, value, "receipt", path) };
  }
  const { challenge: rawChallenge, subjectProof: rawProof, verdict, ...rest } = parsed.data;
  const known = listed.find(({ raw }) => sameCanonical(raw, rawChallenge));
  const read = known === undefined
    ? readChallenge(rawChallenge, pathOf(path, "challenge"), "payload-malformed")
    : { ok: true as const, challenge: known.challenge };
  if (!read.ok) return read;
  let subjectProof: SubjectProof | null = null;
  if (Object.hasOwn(value as object, "subjectProof")) {
    const proof = readSubjectProof(rawProof, pathOf(path, "subjectProof"));
    if ("code" in proof) return { ok: false, reason: proof };
    subjectProof = proof;
  }
  const answeredMs = parseTimestamp(verdict.answeredAt);
  if (answeredMs === null) {
    return { ok: false, reason: timestampReason(pathOf(path, "verdict.answeredAt")) };
  }
  const { seed, expected, response } = rest;
  return {
    ok: true,
    body: {
      challenge: read.challenge,
      seed,
      expected,
      response,
      subjectProof,
      verdict,
      answeredMs,
    },
  };
}

/** A receipt that was read, with the disclosed pool that its marker names, and where it stands. */
interface Readable {
  body: ReceiptBody;
  pool: Pool | undefined;
  at: At;
}

/** All checks of the phase `content`. */
function checkContent({ body, pool, at }: Readable): Noted[] {
  const { challenge } = body;
  const results: Noted[] = [];
  const note: Note<"content"> = (check, result) => {
    results.push([check, result]);
    return result === null;
  };
  if (note("seed", checkSeed(body.seed, at("seed")))) {
    const message = "the seed does not open the challenge's commitment";
    const opens = seedCommitment(challenge, body.seed) === challenge.seedCommit;
    note(
      "seed-commitment",
      opens ? null : reason("seed-commitment-mismatch", message, at("seed")),
    );
  }
  checkCell(challenge, pool, at, note);
  checkScore(body, at, note);
  const late = body.answeredMs > challenge.deadline;
  const message = `it was answered at ${body.verdict.answeredAt}, after its deadline ` +
    challenge.expiresAt;
  note("answered-at", late ? reason("answered-late", message, at("verdict.answeredAt")) : null);
  return results;
}

/** A signed answer as a sentence repeats it: its beginning, in quotation marks. */
function excerpt(answer: string): string {
  const most = 60;
  const shown = answer.length <= most ? answer : `${answer.slice(0, most).toWellFormed()}…`;
  return JSON.stringify(shown);
}

function checkSeed(seed: number, path: string): Reason | null {
  if (Number.isInteger(seed) && seed >= 0 && seed <= 0xffff_ffff) return null;
  return reason("seed-out-of-range", "a seed is an integer from 0 to 4294967295", path);
}

/** Suite and cell, and both against the disclosed pool. */
function checkCell(
  challenge: Challenge,
  pool: Pool | undefined,
  at: At,
  note: Note<"content">,
): void {
  const { suiteVersion, family, tier } = challenge;
  const suite = suiteOf(suiteVersion);
  if (suite === undefined) {
    const message = "no suite version of this name is known";
    note("suite", reason("suite-unknown", message, at("challenge.suiteVersion")));
    return;
  }
  note("suite", null);
  if (pool !== undefined) {
    const fits = pool.suiteVersion === suiteVersion;
    const message = `the disclosed pool belongs to ${pool.suiteVersion}`;
    note(
      "pool-suite",
      fits ? null : reason("pool-suite-mismatch", message, at("challenge.suiteVersion")),
    );
  }
  const exists = hasCell(suite, family, tier);
  note(
    "cell",
    exists
      ? null
      : reason("cell-unknown", `${suiteVersion} has no such family and tier`, at("challenge")),
  );
  if (pool !== undefined) {
    const message = "the committed pool has no such cell: the challenge is fabricated";
    note(
      "pool-cell",
      poolCell(pool, family, tier) !== undefined
        ? null
        : reason("cell-not-in-pool", message, at("challenge")),
    );
  }
}

/** Formats, and the verdict against the recorded answer. */
function checkScore(body: ReceiptBody, at: At, note: Note<"content">): void {
  const { expected, response, verdict } = body;
  const format = answerFormat(body.challenge.family);
  note(
    "format",
    verdict.format === format
      ? null
      : reason("format-mismatch", `the family's format is ${format}`, at("verdict.format")),
  );
  const canonical = canonicalAnswer(response, format);
  note(
    "response",
    canonical !== null ? null : reason(
      "response-not-canonical",
      `the response is not an answer in format ${format}`,
      at("response"),
    ),
  );
  note(
    "expected",
    (expected === response ? canonical : canonicalAnswer(expected, format)) === expected
      ? null
      : reason(
        "expected-not-canonical",
        "the expected answer is not its own canonical form",
        at("expected"),
      ),
  );
  if (canonical === null) return;
  note(
    "score",
    verdict.pass === (canonical === expected) ? null : reason(
      "score-mismatch",
      `the verdict says ${verdict.pass ? "pass" : "fail"}, and the response ${
        excerpt(canonical)
      } against the expected answer ${excerpt(expected)} is a ${
        canonical === expected ? "pass" : "fail"
      }`,
      at("verdict.pass"),
    ),
  );
}

/**
 * All checks of the phase `replay`: regenerates the instance, and compares its prompt and answer with
 * the recorded ones.
 *
 * @returns why the replay could not be finished, or null.
 */
async function replay(
  { body, pool, at }: Readable,
  context: CheckContext,
  note: Note<"replay">,
): Promise<Reason | null> {
  const { suiteVersion, family, tier, prompt } = body.challenge;
  const label = pool && poolCell(pool, family, tier)!.label;
  const seed = label === undefined ? body.seed : mixSeed(label, body.seed);
  let instance: Regenerated;
  try {
    instance = await regenerate(
      suiteVersion,
      family,
      tier,
      seed,
      context.references,
      context.budget,
    );
  } catch (error) {
    if (error instanceof GenerationError && error.code === "generation-failed") {
      note("generation", reason(error.code, error.message, at("seed")));
      return null;
    }
    if (
      error instanceof GenerationError || error instanceof EvaluatorUnavailable ||
      error instanceof BudgetExceeded
    ) {
      return reason(error.code, error.message, at("challenge"));
    }
    throw error;
  }
  note("generation", null);
  note(
    "prompt",
    matchesPrompt(prompt, instance.parts, instance.pins) ? null : reason(
      "prompt-mismatch",
      "the recorded prompt is not the one that the seed gives",
      at("challenge.prompt"),
    ),
  );
  // What is recorded is its own canonical form by now.
  const answer = instance.answer === body.expected
    ? body.expected
    : canonicalAnswer(instance.answer, answerFormat(family));
  note(
    "answer",
    answer !== null && answer === body.expected ? null : reason(
      "answer-mismatch",
      `the recorded answer is ${excerpt(body.expected)}, the seed gives ${
        answer === null ? "none in the family's format" : excerpt(answer)
      }`,
      at("expected"),
    ),
  );
  return null;
}
