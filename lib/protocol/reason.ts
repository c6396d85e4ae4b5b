/**
 * Why a check failed, could not be finished, or left a receipt unreplayed.
 * Source: protocols spec 16 and 19.
 */
export interface Reason {
  /** Stable, kebab-case; the first failing check in the spec's order. */
  code: string;
  /** For people. */
  message: string;
  /** Where: `receipts[2].challenge.prompt`; empty for the document as a whole. */
  path: string;
  /** The nested check that failed, e.g. the receipt's own reason under `receipt-invalid`. */
  inner?: Reason;
}

/** Builds a reason. */
export function reason(code: string, message: string, path = ""): Reason {
  return { code, message, path };
}

/** The path of `member` below `base`; an index is written in brackets. */
export function pathOf(base: string, member: string | number): string {
  if (typeof member === "number") return `${base}[${member}]`;
  return base === "" ? member : `${base}.${member}`;
}
