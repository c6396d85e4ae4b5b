/**
 * Checking, wherever it is done: in workers, or in line. The service checks only through this.
 */
import type { Pool } from "../protocol/pool.ts";
import type { InputLimits, TimeLimits } from "./input.ts";
import type { CheckOptions, Content, InputAnswer, IntakeAnswer, StoredDocument } from "./jobs.ts";
import type { Report } from "./report.ts";

/**
 * The queue that a check waits in. No lane waits for another: `read` is for results that somebody waits
 * to see, `upload` for what is sent, `background` for upgrades.
 */
export type Lane = "read" | "upload" | "background";

/** How bytes are to be checked, and what the check asks of whoever ordered it. */
export interface InputOptions extends CheckOptions {
  /** Gives the pools among the named ones that are public; default: none of them is. */
  publicPools?: ((poolKeys: readonly string[]) => Promise<Pool[]>) | undefined;
  /** Called before anything is checked; when this rejects, nothing is checked. */
  admit?: ((content: Content) => Promise<void>) | undefined;
  /** Aborts when nobody waits for the reports any more. */
  signal?: AbortSignal | undefined;
}

/** All methods reject with {@link CheckerBusy} when too many wait already. */
export interface Checker {
  /** Reads and checks what somebody sent. */
  input(bytes: Uint8Array, options: InputOptions): Promise<InputAnswer>;
  /** Reads what somebody sent to be stored; nothing is checked yet. */
  intake(bytes: Uint8Array, limits: InputLimits): Promise<IntakeAnswer>;
  /** Checks enveloped documents, given as their canonical bytes; a report for each, in order. */
  documents(documents: readonly StoredDocument[], lane: Lane): Promise<Report[]>;
  /** Lets go of workers; nothing can be checked any more. */
  close(): Promise<void>;
}

/** Checks one enveloped document. */
export async function checkOne(
  checker: Pick<Checker, "documents">,
  document: StoredDocument,
  lane: Lane,
): Promise<Report> {
  const [report] = await checker.documents([document], lane);
  return report!;
}

/** So many documents wait that this one was not taken. */
export class CheckerBusy extends Error {
  override readonly name = "CheckerBusy";
  /** `retryAfter`: seconds after which it is worth trying again. */
  constructor(readonly retryAfter: number) {
    super("too many documents wait to be checked");
  }
}

/** Time of a check from its start, in milliseconds: 3 s a document, 9 s a request. */
export const TIME_LIMITS: TimeLimits = { document: 3000, input: 9000 };
