/**
 * What links do, as types. `createLinks` in {@link ./create.ts} makes them.
 *
 * A link is what is remembered of a URL that people share: its URL is fetched by one request at a
 * time, what it gave is shown for as long as that is fresh, and goes on being shown through a host's
 * trouble. The rules are in {@link ./freshness.ts}. No background task has to end for this: what one
 * would have brought, the next request brings.
 */
import type { Wait } from "../async/within.ts";
import type { FetchErrorCode } from "../fetch/error.ts";
import type { fetchRemote } from "../fetch/fetch.ts";
import type { RemoteRules } from "../fetch/rules.ts";
import type { Store, StoredResult } from "../store/store.ts";
import type { Checker } from "../verify/checker.ts";
import type { InputLimits } from "../verify/input.ts";
import type { ReportSubject } from "../words/subject.ts";
import type { Checked } from "./content_cache.ts";
import type { LinkEvent, LinkFailure, LinkRows } from "./rows.ts";
import type { LinkView } from "./view.ts";

export type { LinkView } from "./view.ts";

export interface LinksOptions {
  rows: LinkRows;
  store: Pick<Store, "keepIntake" | "badgeRow" | "document" | "pool">;
  checker: Pick<Checker, "input" | "intake">;
  rules: RemoteRules;
  /** Limits of what a URL gives. */
  limits: InputLimits;
  /** The id of the stored document that one of the service's own URLs is about; null: none. */
  ownDocument: (url: URL) => string | null;
  /** Told of what should never happen. */
  onFault: (error: unknown) => void;
  /** For tests. */
  fetch?: typeof fetchRemote;
  /** Milliseconds since 1970. For tests. */
  clock?: () => number;
  /** For tests. */
  wait?: Wait;
  /** Bytes of contents in memory. For tests. */
  capacity?: number;
}

export interface AskOptions {
  /**
   * The name under which the service was asked, as a URL has it: `stone.example`, `10.0.0.1:8000`.
   * URLs of that name are answered here, besides those of the rules' own hosts.
   */
  own?: string | null;
  /**
   * Who asks: fetches are charged to it, and so are documents that it asks to store. Null: nobody
   * that can be told from others.
   */
  client?: string | null;
}

export interface VerifyOptions extends AskOptions {
  /** Store the documents, and from now on those that the URL gives later. */
  keep?: boolean;
}

/** How what is given came about. */
export interface Served {
  /** The fetch that was waited for; null: none was. */
  look: {
    /** Nothing was known; the bytes weren't in memory; what was known is too old. */
    why: "uri-miss" | "miss" | "stale";
    /** The host's status, if it gave something. */
    status: 200 | 304 | null;
    /** Whether somebody else had started the fetch. */
    collapsed: boolean;
  } | null;
  /** What kept the fetch from bringing news, if something did. */
  problem: FetchErrorCode | "late" | "busy" | null;
}

export type LinkResult =
  /** `checked`: as of now, with the pools that are public. */
  | { state: "given"; checked: Checked; link: LinkView; served: Served }
  /** The host says, and keeps saying, that there is no such file. */
  | { state: "gone"; link: LinkView }
  /** There is nothing to show. */
  | { state: "failed"; failure: LinkFailure; link: LinkView };

/** A link after a fetch of its URL. */
export interface Refreshed {
  link: LinkView;
  /** Whether other documents came than the last time. */
  changed: boolean;
}

/** One document of a badge. */
export interface LinkedSubject {
  id: string | null;
  subject: ReportSubject;
  /** Null: it isn't in the store, and `subject` is what a check said. */
  result: StoredResult | null;
}

export type LinkBadge =
  /**
   * `revision` names everything that the subjects say. Null: they may say something else the next
   * time, so what is drawn from them is neither to be remembered nor to be cached.
   */
  | { state: "current"; subjects: LinkedSubject[]; revision: string | null; link: LinkView }
  /** Still being fetched or checked; `code`: what it waits for, where that is a fetch's problem. */
  | { state: "checking"; code?: FetchErrorCode }
  /** This URL isn't fetched, whatever its host does. */
  | { state: "blocked"; code: FetchErrorCode }
  /** The host gave nothing that could be shown, neither now nor before. */
  | { state: "unreachable"; failure: LinkFailure; link: LinkView }
  /** The host says, and keeps saying, that there is no such file. */
  | { state: "gone"; link: LinkView }
  /** A URL of this service, of a document that isn't stored. */
  | { state: "absent"; id: string };

export interface Links {
  /**
   * The reports on what a URL gives.
   *
   * @param url as somebody wrote it.
   * @throws {FetchError} when the URL isn't one that is fetched, or its host has been asked too often
   * (`fetch-host-busy`).
   * @throws {StoreError} when the documents are to be stored, and can't be.
   * @throws {CheckerBusy}
   * @throws {StoreUnavailable}
   */
  verify(url: string, options?: VerifyOptions): Promise<LinkResult>;
  /**
   * Fetches a URL now, however fresh what is known is; only a host's own word to come back later is
   * heeded.
   *
   * @throws {FetchError} as {@link verify}.
   */
  refresh(url: string, options?: AskOptions): Promise<Refreshed>;
  /**
   * What a badge of a URL is made of, from memory while that is fresh, within 3.5 s. The documents
   * are stored as visits, see lib/store/visits.ts. Never rejects for what the URL, its host or load
   * does.
   */
  badge(url: string, options?: AskOptions): Promise<LinkBadge>;
  /** What became of a link, oldest first. @throws {StoreUnavailable} */
  history(link: LinkView): Promise<LinkEvent[]>;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
  /** Ends all fetches, and resolves when nothing here uses anything any more. */
  close(): Promise<void>;
}
