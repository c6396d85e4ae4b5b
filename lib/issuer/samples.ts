/**
 * The sample documents that the start page shows: the same bytes whenever they are minted, as long
 * as the house suite's prompts and evaluator stay the same.
 */
import type { References } from "../evaluator/reference.ts";
import type { Envelope } from "../protocol/envelope.ts";
import { canonicalJson } from "../encoding/canonical.ts";
import { createKey } from "./keys.ts";
import { type AnswerKind, mintAdmission } from "./mint.ts";
import { seededRandom } from "./random.ts";

/** The samples' names, which are also those of their files. */
export const SAMPLES = ["verified", "unreplayed", "failed", "invalid"] as const;

type SampleName = typeof SAMPLES[number];

/** Everything below follows from this text, private key included: the samples prove nothing. */
const SEED = "Touchstone samples: a public text, so this issuer is nobody's";

const NOW = Date.UTC(2026, 0, 1, 12);

const PUBLISHED = ["algal:t1", "algal:t2", "algal:t3", "algal:t1"];

const PLANS: Readonly<Record<SampleName, { cells: string[]; answers: AnswerKind[] }>> = {
  verified: { cells: PUBLISHED, answers: ["right", "right", "right", "right"] },
  unreplayed: {
    cells: ["algal:t1", "algal:t2", "h:algal:t2", "h:algal:t3"],
    answers: ["right", "wrong", "right", "right"],
  },
  failed: { cells: PUBLISHED, answers: ["right", "wrong", "none", "wrong"] },
  invalid: { cells: PUBLISHED, answers: ["right", "right", "right", "wrong"] },
};

/**
 * Mints every sample.
 *
 * @throws {EvaluatorUnavailable} when our own evaluator can't be used.
 */
export async function mintSamples(references: References): Promise<Record<SampleName, Envelope>> {
  const key = createKey(seededRandom(SEED));
  const mint = async (name: SampleName) => {
    const { envelope } = await mintAdmission({
      ...PLANS[name],
      minPass: 3,
      context: `sample: ${name}`,
      key,
      now: NOW,
      references,
      random: seededRandom(`${SEED} / ${name}`),
    });
    return envelope;
  };
  return {
    verified: await mint("verified"),
    unreplayed: await mint("unreplayed"),
    failed: await mint("failed"),
    invalid: withEditedResponse(await mint("invalid")),
  };
}

/**
 * The document as somebody would forge it who can edit text but has no key: the last answer put
 * right after signing, everything else as it was.
 */
function withEditedResponse(admission: Envelope): Envelope {
  const body: { receipts: Envelope[] } = JSON.parse(admission.payload);
  const receipt = body.receipts.at(-1)!;
  const receiptBody: { response: string; expected: string } = JSON.parse(receipt.payload);
  receiptBody.response = receiptBody.expected;
  receipt.payload = canonicalJson(receiptBody);
  return { ...admission, payload: canonicalJson(body) };
}
