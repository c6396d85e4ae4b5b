/**
 * Which rows can't be decided yet, told from the row alone: they name a suite whose generators are
 * not part of this version, and nothing but regeneration could decide them.
 */

/** Suite versions without generators. */
export const PENDING_SUITES: readonly string[] = [
  "clankdar-suite-v2",
  "clankdar-frontier-v0",
  "clankdar-frontier-v1",
  "clankdar-agent-v0",
  "clankdar-agent-v1",
];

const BY_REGENERATION = ["generation-failed", "prompt-mismatch", "answer-mismatch"];

/** Whether a row's document reaches regeneration in one of {@link PENDING_SUITES}. */
export function isPending(
  doc: unknown,
  expect: { outcome: string; code: string | null; inner?: string },
): boolean {
  if (expect.outcome === "issuer-claimed") {
    // Unreplayed in part: the published receipts beside the held-out ones still regenerate.
    return receiptsOf(doc).some(({ challenge }) =>
      challenge.heldout === undefined && PENDING_SUITES.includes(challenge.suiteVersion)
    );
  }
  const decided = expect.outcome === "invalid" &&
    !BY_REGENERATION.includes(expect.inner ?? expect.code ?? "");
  return !decided &&
    receiptsOf(doc).some(({ challenge }) => PENDING_SUITES.includes(challenge.suiteVersion));
}

type Receipt = { challenge: { suiteVersion: string; heldout?: unknown } };

function receiptsOf(doc: unknown): Receipt[] {
  const body = JSON.parse((doc as { payload: string }).payload);
  if (body.kind === "receipt") return [body];
  return (body.receipts as { payload: string }[]).map((receipt) => JSON.parse(receipt.payload));
}
