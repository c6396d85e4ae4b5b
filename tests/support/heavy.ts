/**
 * Documents that are costly to check: signed as they should be, of the cells that take longest to
 * generate. Their prompts are placeholders, as this repository has no texts of those suites: that
 * comes out only once a puzzle was generated again.
 */
import type { References } from "../../lib/evaluator/reference.ts";
import { optional, type PrivateChallenge, type WireChallenge } from "../../lib/issuer/challenge.ts";
import { createKey, type KeyPair } from "../../lib/issuer/keys.ts";
import { systemRandom } from "../../lib/issuer/random.ts";
import { signEnvelope, signReceipt } from "../../lib/issuer/receipt.ts";
import { seedCommitment } from "../../lib/protocol/challenge.ts";
import type { Envelope } from "../../lib/protocol/envelope.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { regenerate } from "../../lib/suites/generate.ts";
import { cellId, suiteOf } from "../../lib/suites/suites.ts";
import { answerFormat, canonicalAnswer } from "../../lib/suites/scoring.ts";
import { randomText } from "../../lib/issuer/random.ts";

/** A puzzle: suite version, family, tier, seed. */
export type Puzzle = readonly [version: string, family: string, tier: number, seed: number];

/** The costliest cells that have receipts: a grid is no canonical answer. */
export const COSTLY: readonly Puzzle[] = [
  ["clankdar-frontier-v1", "cryptarithm", 6, 7],
  ["clankdar-frontier-v1", "sat", 6, 7],
  ["clankdar-suite-v2", "gridpath", 3, 7],
  ["clankdar-agent-v1", "satcheck", 5, 7],
  ["clankdar-algal-v1", "algal", 3, 7],
];

const AT = "2026-01-01T00:00:00.000Z";
const EXPIRES = "2026-01-01T00:05:00.000Z";

/** A signed receipt, right but for its prompt. */
export async function costlyReceipt(
  puzzle: Puzzle,
  references: References,
  key = createKey(),
): Promise<Envelope> {
  return await sign(key, await challengeOf(puzzle, references, key));
}

/** A signed admission of 16 challenges, all of one cell. */
export async function costlyAdmission(
  puzzle: Puzzle,
  references: References,
  key = createKey(),
): Promise<Envelope> {
  const [version, family, tier] = puzzle;
  const sessionId = `gs_${randomText(systemRandom, 9)}`;
  const items = await Promise.all(
    Array.from({ length: 16 }, () => challengeOf(puzzle, references, key, sessionId)),
  );
  return await signEnvelope("clankdar-gate-v1", key, {
    kind: "admission",
    sessionId,
    policy: {
      suite: suiteOf(version)!.policyName!,
      cells: [cellId(family, tier)],
      challenges: items.length,
      minPass: items.length,
      ttlSeconds: 300,
    },
    challenges: items.map(({ challenge }) => challenge),
    receipts: await Promise.all(items.map((item) => sign(key, item))),
    verdict: { pass: true, passed: items.length, required: items.length, decidedAt: AT },
  });
}

async function challengeOf(
  [version, family, tier, seed]: Puzzle,
  references: References,
  key: KeyPair,
  sessionId?: string,
): Promise<PrivateChallenge> {
  const unbounded = createBudget(Infinity);
  const { answer } = await regenerate(version, family, tier, seed, references, unbounded);
  const nonce = randomText(systemRandom, 12);
  const { keyId, text: publicKey } = key.publicKey;
  const challenge: WireChallenge = {
    protocol: "clankdar-attest-v1",
    kind: "challenge",
    challengeId: `att_${randomText(systemRandom, 9)}`,
    suiteVersion: version,
    family,
    tier,
    prompt: "?",
    seedCommit: seedCommitment({ suiteVersion: version, family, tier, nonce }, seed),
    nonce,
    expiresAt: EXPIRES,
    ...optional("sessionId", sessionId),
    verifier: { keyId, publicKey },
  };
  return { challenge, seed, expected: canonicalAnswer(answer, answerFormat(family))! };
}

async function sign(key: KeyPair, item: PrivateChallenge): Promise<Envelope> {
  const receipt = await signReceipt(key, item, { response: item.expected, answeredAt: AT });
  if (receipt === null) throw new Error("the answer has another format");
  return receipt;
}
