/** What people may see of a link. */
import type { LinkFailure, LinkRow } from "./rows.ts";
import type { Kind } from "../verify/report.ts";
import { type LinkState, stateOf } from "./freshness.ts";
import type { LinkedUrl } from "./url.ts";

/** Times are milliseconds since 1970. */
export interface LinkView {
  /** Names the link's history; null for a URL of this service, which has none. */
  hash: string | null;
  /** Redacted. */
  url: string;
  state: LinkState;
  /** What the URL gave last. `kept`: the result is in the store. */
  documents: { id: string | null; kind: Kind; kept: boolean }[];
  /** When the host last gave or confirmed them; null: it never gave any. */
  fetchedAt: number | null;
  /** Milliseconds since `fetchedAt`. */
  age: number | null;
  goneAt: number | null;
  /** Why the last fetch failed, if it did. */
  failure: LinkFailure | null;
  /** When all this was so. */
  now: number;
}

/** A link as it is at the time `now`. */
export function viewOf({ hash, shown }: LinkedUrl, row: LinkRow, now: number): LinkView {
  const { given, goneAt, failure } = row;
  return {
    hash,
    url: shown,
    state: stateOf(row, now),
    documents: given?.documents.map(({ id, kind, kept }) => ({ id, kind, kept })) ?? [],
    fetchedAt: given?.at ?? null,
    age: given === null ? null : Math.max(0, now - given.at),
    goneAt,
    failure,
    now,
  };
}

/** A URL of this service, whose documents are always as they are now. */
export function ownView(
  { shown }: LinkedUrl,
  documents: readonly { id: string | null; kind: Kind }[],
  now: number,
): LinkView {
  return {
    hash: null,
    url: shown,
    state: "fresh",
    documents: documents.map(({ id, kind }) => ({ id, kind, kept: true })),
    fetchedAt: now,
    age: 0,
    goneAt: null,
    failure: null,
    now,
  };
}
