/**
 * What is known of a URL, and what news make of it: the freshness rules, without clock or network.
 * Times are milliseconds since 1970.
 */
import {
  EVENT_IDS,
  type Given,
  type LinkedDocument,
  type LinkEvent,
  type LinkFailure,
  type LinkRow,
} from "./rows.ts";

/** Up to this age, what a URL gave counts as what it gives. */
export const FRESH_MS = 5 * 60_000;

/** Up to this age it is shown while it is asked for again. */
export const AGING_MS = 60 * 60_000;

/** How long the host has to go on saying that the file isn't there before it counts as gone. */
const GONE_MS = 5 * 60_000;

/** The pause after a first failure; each failure that follows doubles the pause. */
const FIRST_PAUSE_MS = 10_000;

/** The longest pause, whatever a host's Retry-After says. */
const LONGEST_PAUSE_MS = 5 * 60_000;

/** What a fetch of a URL brought, at the time `at`. */
export type News =
  | { kind: "given"; given: Omit<Given, "at">; at: number }
  /** The host says that what it gave before still holds; `content` says which that was. */
  | { kind: "unchanged"; content: string; at: number }
  | {
    kind: "failed";
    failure: Omit<LinkFailure, "at" | "count" | "until" | "asked">;
    at: number;
    /** Seconds, the host's own word, or null. */
    retryAfter: number | null;
  };

/** The row of a URL that nothing is known of. @param url redacted. */
export function newLink(url: string): LinkRow {
  return {
    url,
    keep: false,
    given: null,
    failure: null,
    missingSince: null,
    goneAt: null,
    lookedAt: 0,
    changes: 0,
  };
}

/** What becomes of a link with the news, and what its history has to say of it. */
export function apply(row: LinkRow, news: News): { row: LinkRow; event: LinkEvent | null } {
  switch (news.kind) {
    case "given":
      return succeeded(row, { ...news.given, at: news.at });
    case "unchanged":
      // Another process has seen something newer meanwhile.
      if (row.given === null || row.given.content !== news.content) return { row, event: null };
      return succeeded(row, { ...row.given, at: later(row.given.at, news.at) });
    case "failed":
      return failed(row, news);
  }
}

function succeeded(row: LinkRow, given: Given): { row: LinkRow; event: LinkEvent | null } {
  const what = whatHappened(row, given);
  const next: LinkRow = {
    ...row,
    given,
    failure: null,
    missingSince: null,
    goneAt: null,
    lookedAt: later(row.lookedAt, given.at),
  };
  return what === null ? { row: next, event: null } : withEvent(next, what, given.at);
}

function whatHappened(row: LinkRow, given: Given): LinkEvent["what"] | null {
  if (row.given === null) return "first";
  if (row.goneAt !== null) return "back";
  return sameDocuments(row.given, given) ? null : "changed";
}

function failed(
  row: LinkRow,
  { failure, at, retryAfter }: Extract<News, { kind: "failed" }>,
): { row: LinkRow; event: LinkEvent | null } {
  // Another fetch, which began or ended later, succeeded.
  if (row.given !== null && later(row.given.at, at) > at) return { row, event: null };
  const count = (row.failure?.count ?? 0) + 1;
  const asked = retryAfter === null ? 0 : retryAfter * 1000;
  const pause = Math.min(LONGEST_PAUSE_MS, Math.max(asked, FIRST_PAUSE_MS * 2 ** (count - 1)));
  const missing = failure.code === "fetch-status" &&
    (failure.status === 404 || failure.status === 410);
  const since = row.missingSince === null ? null : Math.min(row.missingSince, at);
  const missingSince = since ?? (missing ? at : null);
  const goneNow = missing && row.goneAt === null && at - missingSince! >= GONE_MS;
  const next: LinkRow = {
    ...row,
    failure: { ...failure, at, count, until: at + pause, asked: retryAfter !== null },
    missingSince,
    goneAt: goneNow ? at : row.goneAt,
    lookedAt: later(row.lookedAt, at),
  };
  return goneNow && row.given !== null ? withEvent(next, "gone", at) : { row: next, event: null };
}

function withEvent(
  row: LinkRow,
  what: LinkEvent["what"],
  at: number,
): { row: LinkRow; event: LinkEvent } {
  const ids = row.given?.documents.map(({ id }) => id) ?? [];
  const event: LinkEvent = { at, what, ids: ids.slice(0, EVENT_IDS), documents: ids.length };
  return { row: { ...row, changes: row.changes + 1 }, event };
}

/** Whether a URL gave the same documents twice; how they are written doesn't matter. */
export function sameDocuments(
  a: Pick<Given, "documents">,
  b: Pick<Given, "documents">,
): boolean {
  const names = ({ documents }: Pick<Given, "documents">) =>
    JSON.stringify(documents.map(({ id }: LinkedDocument) => id));
  return names(a) === names(b);
}

/**
 * The age of what a URL gave, in milliseconds; infinite without anything. A time in the future (a
 * clock was set back) is no reason never to fetch it again.
 */
export function ageOf({ given }: Pick<LinkRow, "given">, now: number): number {
  if (given === null || given.at > now + FRESH_MS) return Infinity;
  return Math.max(0, now - given.at);
}

/**
 * The later of a time that was written down and now, for fetches that end side by side. A time that
 * is further ahead than anything stays fresh comes from a clock that ran ahead, and doesn't count.
 */
function later(written: number, now: number): number {
  return written > now + FRESH_MS ? now : Math.max(written, now);
}

/** Whether a URL may be fetched again after its failures. No pause is longer than the longest one. */
export function mayFetch({ failure }: Pick<LinkRow, "failure">, now: number): boolean {
  return failure === null || now >= failure.until || failure.until > now + LONGEST_PAUSE_MS;
}

/** `failing`: the last fetch failed, and what is known (if anything) is from before. */
export type LinkState = "fresh" | "stale" | "failing" | "gone";

/** A link's state in a word. */
export function stateOf(row: LinkRow, now: number): LinkState {
  if (row.goneAt !== null) return "gone";
  if (row.failure !== null) return "failing";
  return ageOf(row, now) <= FRESH_MS ? "fresh" : "stale";
}
