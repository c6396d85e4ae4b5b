/**
 * What a badge needs of the documents that a URL gave: results in the store, where they follow every
 * disclosed pool; of what can't be kept, what a check said of it.
 */
import type { ReportSubject } from "../badge/model.ts";
import { checkInput, type CheckParts } from "../store/check.ts";
import type { LinkedDocument } from "./rows.ts";
import { type Store, StoreError, StoreUnavailable } from "../store/store.ts";
import { type Checker, CheckerBusy, TIME_LIMITS } from "../verify/checker.ts";
import type { InputLimits } from "../verify/input.ts";
import type { IntakeAnswer } from "../verify/jobs.ts";
import type { Report } from "../verify/report.ts";
import { currentAsker } from "../workers/asker.ts";
import { REVISION } from "../verify/version.ts";

export type Intakes = Extract<IntakeAnswer, { ok: true }>;

export interface SettleParts extends CheckParts {
  checker: Pick<Checker, "input" | "intake">;
  store: Pick<Store, "pool" | "keepIntake" | "badgeRow">;
  limits: InputLimits;
  signal: AbortSignal;
}

export interface SettleOptions {
  /** Whom the documents count for in the hourly quota; null: nobody. */
  client: string | null;
  /**
   * Somebody asked for exactly this: a document that the operator deleted is stored again, and what
   * keeps the store from taking documents is thrown.
   */
  asked: boolean;
  /** Of the content, where it has been taken in already. */
  intakes?: Intakes;
}

/**
 * Of documents that nobody asks to have kept: those count for whoever's look brings them, apart from
 * what that client stores itself. A host's name would be a quota that anyone can use up.
 */
export function byReader(): { client: string | null; asked: false } {
  const { client } = currentAsker();
  return { client: client === null ? null : `look ${client}`, asked: false };
}

/** Whether a badge has what it needs of a document. */
export function isSettled({ kept, found }: LinkedDocument): boolean {
  return kept || found?.verifierVersion === REVISION;
}

/**
 * Puts into the store what can be kept, and finds out what there is to say of the rest. What there
 * is no time, room or database for stays as it was.
 *
 * @param documents those that `bytes` hold, in order.
 * @throws {StoreError} when `asked`.
 * @throws {CheckerBusy} when `asked`.
 * @throws {StoreUnavailable} when `asked`.
 */
export async function settle(
  documents: readonly LinkedDocument[],
  bytes: Uint8Array,
  parts: SettleParts,
  options: SettleOptions,
): Promise<LinkedDocument[]> {
  const settled = [...documents];
  if (documents.every(isSettled)) return settled;
  try {
    await settleEach(settled, bytes, parts, options);
  } catch (error) {
    const passes = error instanceof StoreError || error instanceof CheckerBusy ||
      error instanceof StoreUnavailable;
    if (!passes || options.asked) throw error;
  }
  return settled;
}

async function settleEach(
  documents: LinkedDocument[],
  bytes: Uint8Array,
  parts: SettleParts,
  { client, asked, intakes }: SettleOptions,
): Promise<void> {
  const { checker, store, limits, signal } = parts;
  const taken = intakes ?? await checker.intake(bytes, limits);
  if (!taken.ok) throw new Error(`what could be read can't be any more: ${taken.reason.code}`);
  const end = performance.now() + TIME_LIMITS.input;
  const rest: number[] = [];
  for (const [index, document] of documents.entries()) {
    if (isSettled(document) || signal.aborted) continue;
    const intake = taken.intakes[index] ?? null;
    if (intake === null) {
      rest.push(index);
    } else if (!intake.ok) {
      documents[index] = withReport(document, intake.report);
    } else {
      if (performance.now() >= end) continue;
      const { id } = intake.intake;
      if (!asked && await isDeleted(id, store)) continue;
      const kept = await store.keepIntake(intake.intake, client, !asked);
      documents[index] = kept.ok ? { ...document, kept: true } : withReport(document, kept.report);
    }
  }
  if (rest.length === 0 || signal.aborted) return;
  const answer = await checkInput(bytes, parts, { limits, only: rest, signal });
  if (!answer.ok) throw new Error(`what could be read can't be any more: ${answer.reason.code}`);
  for (const [at, index] of rest.entries()) {
    const report = JSON.parse(answer.checked[at]!.json) as Report;
    documents[index] = withReport(documents[index]!, report);
  }
}

/** A check that came to no outcome is never remembered (protocols spec 19). */
function withReport(document: LinkedDocument, report: Report): LinkedDocument {
  if (report.outcome === null) return document;
  return { ...document, found: { subject: subjectOf(report), verifierVersion: REVISION } };
}

/** The part of a report that is about the document as a whole. */
export function subjectOf(report: Report): ReportSubject {
  const { id, kind, outcome, verdict, counts, reason, observations, suite, issuer } = report;
  const { looksLike } = report;
  return {
    ...{ id, kind, outcome, verdict, counts, reason, observations, suite, issuer },
    ...(looksLike !== undefined && { looksLike }),
  };
}

async function isDeleted(id: string, store: Pick<Store, "badgeRow">): Promise<boolean> {
  const read = await store.badgeRow(id);
  return read.state === "removed" && read.tombstone.why === "deleted";
}
