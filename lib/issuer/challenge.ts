/**
 * Making challenges of the house suite: draw a seed, generate the puzzle, commit to the seed.
 * Source: protocols spec 4.
 */
import { z } from "zod";
import type { References } from "../evaluator/reference.ts";
import { readChallenge, seedCommitment } from "../protocol/challenge.ts";
import { type Pool, poolCell } from "../protocol/pool.ts";
import { createBudget } from "../suites/budget.ts";
import { regenerate } from "../suites/generate.ts";
import { HOUSE_PHRASES } from "../suites/house.ts";
import { renderPrompt } from "../suites/prompt.ts";
import { HOUSE_SUITE, parseCellId, suiteNamed, suiteOf } from "../suites/suites.ts";
import { mixSeed } from "../suites/rng.ts";
import { answerFormat, canonicalAnswer } from "../suites/scoring.ts";
import { IssuerError, refusal } from "./error.ts";
import type { KeyPair } from "./keys.ts";
import { type Random, randomSeed, randomText } from "./random.ts";

/** The house suite's policy name: the one suite that can be minted. */
export const MINTABLE_SUITE = suiteOf(HOUSE_SUITE)!.policyName!;

/** A challenge as it is signed and handed out (protocols spec 4). */
export const wireChallengeSchema = z.strictObject({
  protocol: z.literal("clankdar-attest-v1"),
  kind: z.literal("challenge"),
  challengeId: z.string(),
  suiteVersion: z.string(),
  family: z.string(),
  tier: z.int(),
  prompt: z.string(),
  seedCommit: z.string(),
  nonce: z.string(),
  expiresAt: z.string(),
  context: z.string().optional(),
  subject: z.string().optional(),
  sessionId: z.string().optional(),
  heldout: z.strictObject({ poolKey: z.string() }).optional(),
  verifier: z.strictObject({ keyId: z.string(), publicKey: z.string() }),
});

export type WireChallenge = z.infer<typeof wireChallengeSchema>;

/** A challenge with what only its issuer may know until it is answered. */
export interface PrivateChallenge {
  challenge: WireChallenge;
  /** The public seed that the challenge commits to; a label is mixed into it only to generate. */
  seed: number;
  /** The right answer, in canonical form. */
  expected: string;
}

/** What a challenge is made from. */
interface ChallengeRequest {
  /** The issuer's key; only its public half goes into the challenge. */
  key: KeyPair;
  /** `family:tN`, or `h:family:tN` with a pool that has the cell. */
  cell: string;
  pool?: Pool | undefined;
  /** ISO 8601 with milliseconds, UTC. */
  expiresAt: string;
  sessionId?: string | undefined;
  subject?: string | undefined;
  context?: string | undefined;
}

/** @throws {IssuerError} `suite-not-mintable` unless `suite` is the house suite's policy name. */
export function requireMintable(suite: string): void {
  if (suite === MINTABLE_SUITE) return;
  const known = suiteNamed(suite) !== undefined;
  throw new IssuerError(
    "suite-not-mintable",
    known
      ? `suite ${suite} can be verified but not minted: only ${MINTABLE_SUITE} has its texts here`
      : `no suite is called ${suite}; the one that can be minted is ${MINTABLE_SUITE}`,
  );
}

/**
 * Draws a challenge for a cell.
 *
 * @throws {IssuerError} `cell-unknown`, `pool-missing`, `pool-suite-mismatch`, `cell-not-in-pool`,
 * `payload-malformed` (subject or context too long).
 * @throws {EvaluatorUnavailable} when our own evaluator can't be used.
 */
export async function createChallenge(
  request: ChallengeRequest,
  references: References,
  random: Random,
): Promise<PrivateChallenge> {
  const cell = parseCellId(request.cell);
  if (cell === null) throw new IssuerError("cell-unknown", `${request.cell} is no cell id`);
  const { family, tier, heldout } = cell;
  requireWellFormed("subject", request.subject);
  requireWellFormed("context", request.context);
  const seed = randomSeed(random);
  const nonce = randomText(random, 12);
  const challengeId = `att_${randomText(random, 9)}`;
  const label = heldout ? labelOf(request.cell, family, tier, request.pool) : undefined;
  const streamSeed = label === undefined ? seed : mixSeed(label, seed);
  const unbounded = createBudget(Infinity);
  const instance = await regenerate(HOUSE_SUITE, family, tier, streamSeed, references, unbounded);
  const expected = canonicalAnswer(instance.answer, answerFormat(family));
  if (expected === null) {
    throw new IssuerError("generation-failed", "the answer has no such format");
  }

  const suiteVersion = HOUSE_SUITE;
  const { keyId, text: publicKey } = request.key.publicKey;
  const challenge: WireChallenge = {
    protocol: "clankdar-attest-v1",
    kind: "challenge",
    challengeId,
    suiteVersion,
    family,
    tier,
    prompt: renderPrompt(instance.parts, HOUSE_PHRASES),
    seedCommit: seedCommitment({ suiteVersion, family, tier, nonce }, seed),
    nonce,
    expiresAt: request.expiresAt,
    ...optional("context", request.context),
    ...optional("subject", request.subject),
    ...optional("sessionId", request.sessionId),
    ...optional("heldout", heldout ? { poolKey: request.pool!.poolKey } : undefined),
    verifier: { keyId, publicKey },
  };
  const read = readChallenge(challenge, "challenge", "payload-malformed");
  if (!read.ok) throw refusal(read.reason);
  return { challenge, seed, expected };
}

/** `{[name]: value}`, or nothing at all when there is no value. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [member in Name]?: Value } {
  return value === undefined ? {} : { [name]: value } as { [member in Name]: Value };
}

/** A lone surrogate has no UTF-8, so a text with one can't be signed. */
function requireWellFormed(name: string, text: string | undefined): void {
  if (text === undefined || text.isWellFormed()) return;
  throw new IssuerError("payload-malformed", `the ${name} holds half of a surrogate pair`);
}

function labelOf(id: string, family: string, tier: number, pool: Pool | undefined): string {
  if (pool === undefined) throw new IssuerError("pool-missing", `cell ${id} needs its pool`);
  if (pool.suiteVersion !== HOUSE_SUITE) {
    throw new IssuerError("pool-suite-mismatch", `the pool belongs to suite ${pool.suite}`);
  }
  const cell = poolCell(pool, family, tier);
  if (cell === undefined) throw new IssuerError("cell-not-in-pool", `the pool has no cell ${id}`);
  return cell.label;
}
