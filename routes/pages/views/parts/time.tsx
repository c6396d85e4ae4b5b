/** @jsxImportSource hono/jsx */
/** Points in time on pages. */
import { parseTimestamp } from "../../../../lib/encoding/timestamp.ts";

/** `2026-11-30 18:50:08 UTC`, from a timestamp of the protocols; another text as it is. */
export function Time({ at }: { at: string }) {
  if (parseTimestamp(at) === null) return <bdi>{at}</bdi>;
  return <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`}</time>;
}

/** Whether the timestamp `a` is later than `b`; false when either is not a timestamp. */
export function isAfter(a: string, b: string): boolean {
  const [first, second] = [parseTimestamp(a), parseTimestamp(b)];
  return first !== null && second !== null && first > second;
}
