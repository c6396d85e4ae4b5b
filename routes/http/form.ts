/** Reading the pages' forms. */
import type { Context } from "hono";
import { receive } from "./body.ts";
import { ProblemError } from "./problems.ts";

/** Fields of the largest form, with room. */
const MAX_FIELDS = 32;

/** What stands between two fields, as it can be counted in the bytes. */
const SEPARATORS: readonly [type: RegExp, separator: (match: RegExpExecArray) => string][] = [
  [/^multipart\/form-data\s*;.*\bboundary=(?:"([^"]+)"|([^\s;]+))/i, (m) => `--${m[1] ?? m[2]}`],
  [/^application\/x-www-form-urlencoded\b/i, () => "&"],
];

/**
 * The fields of a form. Their number is bounded before they are told apart: millions of empty ones
 * fit into a body of a few MiB, and would hold the event loop for seconds. None may stand twice: of
 * two actions, neither is what was asked for.
 *
 * @param limit of the whole form, in bytes.
 * @throws {ProblemError} `form-malformed`, and as {@link receive}.
 */
export async function readFields(c: Context, limit: number): Promise<FormData> {
  const type = c.req.header("content-type") ?? "";
  const bytes = (await receive(c, limit)).buffer;
  for (const [pattern, separator] of SEPARATORS) {
    const match = pattern.exec(type);
    if (match !== null && hasMoreThan(bytes, separator(match), MAX_FIELDS)) {
      throw new ProblemError("form-malformed", `a form has at most ${MAX_FIELDS} fields`);
    }
  }
  const data = await parse(bytes, type);
  const names = [...data.keys()];
  if (new Set(names).size < names.length) {
    throw new ProblemError("form-malformed", "a field of the form is given twice");
  }
  return data;
}

async function parse(bytes: ArrayBuffer, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw new ProblemError("form-malformed", "the form could not be read");
  }
}

/** Whether `text` occurs more than `limit` times. */
function hasMoreThan(bytes: ArrayBuffer, text: string, limit: number): boolean {
  const whole = new TextDecoder("latin1").decode(bytes);
  let count = 0;
  for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + text.length)) {
    if (++count > limit) return true;
  }
  return false;
}

/**
 * The text of one field or the file of another; null when neither is filled in.
 * @throws {ProblemError} `form-malformed` when both are.
 */
export async function fieldBytes(
  data: FormData,
  text: string,
  file: string,
): Promise<Uint8Array | null> {
  const pasted = data.get(text);
  const uploaded = data.get(file);
  const hasText = typeof pasted === "string" && pasted.trim() !== "";
  // Browsers send an empty file for a field without a choice.
  if (uploaded instanceof File && uploaded.size > 0) {
    if (hasText) throw new ProblemError("form-malformed", "give a text or a file, not both");
    return new Uint8Array(await uploaded.arrayBuffer());
  }
  return hasText ? new TextEncoder().encode(pasted) : null;
}
