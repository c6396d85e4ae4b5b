/** Checking what is sent without storing it. */
import type { Pool } from "../../lib/protocol/pool.ts";
import { checkInput, type CheckParts } from "../../lib/store/check.ts";
import type { Asked } from "../../lib/trust/acceptance.ts";
import type { Content, InputAnswer } from "../../lib/verify/jobs.ts";
import { INPUT_LIMITS, inputRefusal } from "../http/body.ts";

export interface CheckOptions {
  /** Beside those that came with the documents. */
  pools?: readonly Pool[];
  /** What the reports are held against. */
  asked?: Asked | null;
  /** Charges for what the bytes turned out to hold, before it is checked. */
  admit?: (content: Content) => Promise<void>;
  /** Whether the answer is wanted as one text; the bytes are given away then. */
  whole?: boolean;
  signal?: AbortSignal;
}

/** An input that could be read. */
export type CheckedInput = Extract<InputAnswer, { ok: true }>;

/**
 * Checks bytes that somebody sent. No report lacks a pool that is public by now.
 *
 * @throws {ProblemError} when the input as a whole, or one of its pools, can't be read.
 * @throws {CheckerBusy}
 */
export async function checkBytes(
  bytes: Uint8Array,
  parts: CheckParts,
  options: CheckOptions,
): Promise<CheckedInput> {
  const answer = await checkInput(bytes, parts, {
    limits: INPUT_LIMITS,
    ...options,
  });
  if (!answer.ok) throw inputRefusal(answer);
  return answer;
}
