/** One document of a link: what a badge needs of it, and what its row says of it. */
import type { Report } from "../verify/report.ts";
import { REVISION } from "../verify/version.ts";
import type { ReportSubject } from "../words/subject.ts";
import type { Given, LinkedDocument, LinkRow } from "./rows.ts";

/** Whether a badge has what it needs of a document: a stored result, or what a check found. */
export function isShowable({ kept, found }: LinkedDocument): boolean {
  return kept || found?.verifierVersion === REVISION;
}

/** A document with what a check found of it; one without outcome is never remembered (protocols spec 19). */
export function withReport(document: LinkedDocument, report: Report): LinkedDocument {
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

/** A row whose documents aren't in the store after all, where `lost` says so. */
export function withoutStored(row: LinkRow, then: Given, lost: readonly boolean[]): LinkRow {
  if (row.given?.content !== then.content) return row;
  const documents = row.given.documents.map((document, index) =>
    lost[index] ? { ...document, kept: false } : document
  );
  return { ...row, given: { ...row.given, documents } };
}
