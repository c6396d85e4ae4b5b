/** Points in time on pages. */
import { html } from "hono/html";
import { parseTimestamp } from "../../../lib/encoding/timestamp.ts";
import type { Html } from "./layout.ts";

/** `2026-11-30 18:50:08 UTC`, from a timestamp of the protocols; another text as it is. */
export function timeHtml(timestamp: string): Html {
  if (parseTimestamp(timestamp) === null) return html`<bdi>${timestamp}</bdi>`;
  const text = `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`;
  return html`<time datetime="${timestamp}">${text}</time>`;
}

/** Whether a timestamp is later than another; false when one is none. */
export function isAfter(a: string, b: string): boolean {
  const [first, second] = [parseTimestamp(a), parseTimestamp(b)];
  return first !== null && second !== null && first > second;
}
