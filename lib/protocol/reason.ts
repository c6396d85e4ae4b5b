/** Reasons, and the paths in them. */
import type { ReasonCode } from "./codes.ts";

/**
 * Why a check failed, could not be finished, or left a receipt unreplayed.
 * Source: protocols spec 16 and 19.
 */
export interface Reason<Code extends ReasonCode = ReasonCode> {
  /** The code of the first failing check in the spec's order. */
  code: Code;
  /** For people. */
  message: string;
  /** Where: `receipts[2].challenge.prompt`; empty for the document as a whole. */
  path: string;
  /** The nested check that failed, e.g. the receipt's own reason under `receipt-invalid`. */
  inner?: Reason;
}

/** Builds a reason. */
export function reason<Code extends ReasonCode>(
  code: Code,
  message: string,
  path = "",
): Reason<Code> {
  return { code, message, path };
}

/** The path of `member` below `base`; an index is written in brackets. */
export function pathOf(base: string, member: string | number): string {
  if (typeof member === "number") return `${base}[${member}]`;
  return base === "" ? member : `${base}.${member}`;
}
