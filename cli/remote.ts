/** Asking a running Touchstone, for the commands that talk to one. */
import type { z } from "zod";
import { problemSchema } from "../routes/schemas/index.ts";
import { UsageError } from "./usage.ts";

const TIMEOUT_MS = 10_000;

/** The server doesn't answer as a Touchstone does. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

/** The address of a server, without a trailing slash. @throws {UsageError} for anything else. */
export function serverUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new UsageError("--server takes an http or https URL, as http://127.0.0.1:8000");
  }
  return url.href.replace(/\/+$/, "");
}

/** Sends JSON, reads JSON. @throws {ServerError} also when the answer is not what `schema` says. */
export async function postJson<T>(url: string, body: unknown, schema: z.ZodType<T>): Promise<T> {
  const text = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return read(url, text, schema);
}

/** Reads JSON. @throws {ServerError} */
export async function getJson<T>(url: string, schema: z.ZodType<T>): Promise<T> {
  return read(url, await request(url), schema);
}

/** Reads a text. @throws {ServerError} */
export function getText(url: string): Promise<string> {
  return request(url);
}

/**
 * Follows server-sent events until the stream ends; each event's name and data go to `onEvent`.
 * @throws {ServerError}
 */
export async function followEvents(
  url: string,
  onEvent: (name: string, data: unknown) => void,
): Promise<void> {
  try {
    const response = await fetch(url);
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new ServerError(`${url} answered ${response.status}`);
    }
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const name = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (name !== undefined && data !== undefined) onEvent(name, parse(data));
      }
    }
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError(`${url}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function read<T>(url: string, text: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  throw new ServerError(`${url} gave something else than this version of Touchstone does`);
}

async function request(url: string, init: RequestInit = {}): Promise<string> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    text = await response.text();
  } catch (error) {
    throw new ServerError(`${url}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (response.ok) return text;
  const problem = problemSchema.loose().safeParse(parse(text));
  const why = problem.success ? `: ${problem.data.code}: ${problem.data.detail}` : "";
  throw new ServerError(`${url} answered ${response.status}${why}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
