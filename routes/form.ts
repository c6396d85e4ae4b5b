/** Reading the pages' forms. */
import type { Context } from "hono";
import { ProblemError } from "./problems.ts";

/** The fields of a form. @throws {ProblemError} `form-malformed`. */
export async function readFields(c: Context): Promise<FormData> {
  try {
    return await c.req.formData();
  } catch {
    throw new ProblemError("form-malformed", "the form could not be read");
  }
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
