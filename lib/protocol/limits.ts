/** Size limits. Source: protocols spec 13. */
export const LIMITS = {
  /** UTF-8 bytes of a receipt's payload. */
  receiptBytes: 256 * 1024,
  /** UTF-8 bytes of an admission's payload. */
  admissionBytes: 1024 * 1024,
  /** UTF-8 bytes of a pool file. */
  poolBytes: 64 * 1024,
  /** UTF-8 bytes of a prompt. */
  promptBytes: 64 * 1024,
  /** UTF-16 code units of a response and of an expected answer. */
  answer: 65_536,
  /** UTF-16 code units of a context and of a subject. */
  claim: 256,
  policyCells: 64,
  challenges: 16,
  poolCells: 256,
  /** Nesting of JSON containers, the outermost counting as 1. */
  depth: 64,
} as const;

const encoder = new TextEncoder();

/** Whether the UTF-8 form of `text` has more than `limit` bytes, told without encoding where it can be. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  if (text.length * 3 <= limit) return false;
  return encoder.encode(text).length > limit;
}
