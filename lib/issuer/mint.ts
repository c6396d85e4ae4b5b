/**
 * Whole documents in one call, through the same steps that an issuer takes one by one: for samples,
 * demonstrations and tests.
 */
import type { References } from "../evaluator/reference.ts";
import type { Envelope } from "../protocol/envelope.ts";
import type { Pool } from "../protocol/pool.ts";
import { parseCellId } from "../suites/suites.ts";
import { createChallenge, MINTABLE_SUITE, type PrivateChallenge } from "./challenge.ts";
import { IssuerError } from "./error.ts";
import { createKey, type KeyPair } from "./keys.ts";
import { createPool } from "./pool.ts";
import { type Random, systemRandom } from "./random.ts";
import { signReceipt } from "./receipt.ts";
import { answer, closeSession, openSession, type Session } from "./session.ts";
import { createSubjectProof } from "./subject.ts";

/**
 * How a challenge is answered: rightly, wrongly, with the right answer in the wrong shape (so there
 * is no receipt), or not at all.
 */
export type AnswerKind = "right" | "wrong" | "format" | "none";

/** From the opening of a session to its decision. */
const SPAN_MS = 1000;

/** What the two conveniences share. */
interface MintRequest {
  references: References;
  /** Drawn when absent, if a cell needs one. */
  pool?: Pool | undefined;
  /** Drawn when absent. */
  key?: KeyPair | undefined;
  /** When given, every answer carries a proof of this key. */
  subjectKey?: KeyPair | undefined;
  subject?: string | undefined;
  context?: string | undefined;
  /** Milliseconds since 1970, default a second ago: answers and decision follow within a second. */
  now?: number | undefined;
  random?: Random | undefined;
}

interface AdmissionRequest extends MintRequest {
  /** The cell of each challenge in turn, over again when there are more answers than cells. */
  cells: readonly string[];
  /** One for each challenge, 1 to 16. */
  answers: readonly AnswerKind[];
  minPass: number;
  /** 10 to 3600, default 300. */
  ttlSeconds?: number;
}

/** A minted document, with everything that an issuer would keep. */
export interface Minted {
  envelope: Envelope;
  key: KeyPair;
  /** Present when a held-out cell is among the cells. */
  pool?: Pool;
}

/**
 * Mints an admission of the house suite.
 *
 * @throws {IssuerError} as {@link openSession}.
 */
export async function mintAdmission(
  request: AdmissionRequest,
): Promise<Minted & { session: Session }> {
  const { cells, answers, minPass, ttlSeconds = 300, references, subject, context } = request;
  const { random = systemRandom, now = Date.now() - SPAN_MS } = request;
  if (cells.length === 0) throw new IssuerError("policy-malformed", "at least one cell is needed");
  const key = request.key ?? createKey(random);
  const pool = request.pool ?? poolFor(cells, random);
  const draws = answers.map((_, index) => cells[index % cells.length]!);
  const policy = {
    suite: MINTABLE_SUITE,
    cells: [...new Set(cells)],
    challenges: answers.length,
    minPass,
    ttlSeconds,
  };
  let session = await openSession(
    { key, policy, pool, subject, context, now, references, random, draws },
  );
  for (const [index, item] of session.items.entries()) {
    const kind = answers[index]!;
    if (kind === "none") continue;
    const { challenge } = item;
    const proof = request.subjectKey && await createSubjectProof(request.subjectKey, challenge);
    const at = now + 10 * (index + 1);
    const taken = await answer(session, challenge.challengeId, respond(item, kind), at, proof);
    session = taken.session;
  }
  const closed = await closeSession(session, key, now + SPAN_MS);
  return {
    envelope: closed.admission,
    key,
    session: closed.session,
    ...(pool === undefined ? {} : { pool }),
  };
}

interface ReceiptRequest extends MintRequest {
  cell: string;
  /** There is no receipt of an answer in the wrong shape. */
  answer: "right" | "wrong";
}

/**
 * Mints a lone receipt, which belongs to no session.
 *
 * @throws {IssuerError} as {@link createChallenge}.
 */
export async function mintReceipt(
  request: ReceiptRequest,
): Promise<Minted & { challenge: PrivateChallenge }> {
  const { cell, references, subject, context, subjectKey } = request;
  const { random = systemRandom, now = Date.now() - SPAN_MS } = request;
  const key = request.key ?? createKey(random);
  const pool = request.pool ?? poolFor([cell], random);
  const expiresAt = new Date(now + 300_000).toISOString();
  const drawn = { key, cell, pool, expiresAt, subject, context };
  const challenge = await createChallenge(drawn, references, random);
  const subjectProof = subjectKey && await createSubjectProof(subjectKey, challenge.challenge);
  const envelope = await signReceipt(key, challenge, {
    response: respond(challenge, request.answer),
    answeredAt: new Date(now + 10).toISOString(),
    subjectProof,
  });
  if (envelope === null) throw new IssuerError("response-not-canonical", "no such answer format");
  return { envelope, key, challenge, ...(pool === undefined ? {} : { pool }) };
}

function poolFor(cells: readonly string[], random: Random): Pool | undefined {
  const heldout = [...new Set(cells)].filter((id) => parseCellId(id)?.heldout);
  return heldout.length === 0 ? undefined : createPool(MINTABLE_SUITE, heldout, { random });
}

/** The house suite's answers are integers. */
function respond({ expected }: PrivateChallenge, kind: Exclude<AnswerKind, "none">): string {
  switch (kind) {
    case "right":
      return expected;
    case "wrong":
      return String(BigInt(expected) + 1n);
    case "format":
      return `The answer is ${expected}.`;
  }
}
