/** Checking what is sent without storing it. */
import {
  type CheckedResponse,
  checkInput,
  type CheckParts,
  checkToText,
} from "../../lib/store/check.ts";
import type { Asked } from "../../lib/trust/acceptance.ts";
import type { InputOptions } from "../../lib/verify/checker.ts";
import type { CheckedInput } from "../../lib/verify/jobs.ts";
import { INPUT_LIMITS, inputRefusal } from "../http/body.ts";

/** The options of a check, but for those that are the same for all of a service. */
interface CheckOptions extends Omit<InputOptions, "limits" | "publicPools" | "whole"> {
  asked?: Asked | null;
}

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
  const answer = await checkInput(bytes, parts, { limits: INPUT_LIMITS, ...options });
  if (!answer.ok) throw inputRefusal(answer);
  return answer;
}

/**
 * The same as {@link checkBytes}, as the text of a response; the bytes are given away.
 *
 * @throws {ProblemError} as {@link checkBytes}.
 * @throws {CheckerBusy}
 */
export async function checkBytesToText(
  bytes: Uint8Array,
  parts: CheckParts,
  options: CheckOptions,
): Promise<CheckedResponse> {
  const answer = await checkToText(bytes, parts, { limits: INPUT_LIMITS, ...options });
  if (!answer.ok) throw inputRefusal(answer);
  return answer;
}
