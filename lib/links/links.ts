/**
 * URLs that people share, and what they last gave: asked for once at a time, shown for as long as it
 * is fresh, and kept through a host's trouble. The rules are in {@link ./link.ts}; a look at a URL is
 * {@link ./looks.ts}'s.
 *
 * Nothing here needs a background task to end: what one would have brought, the next look brings.
 */
import type { Given, LinkEntry, LinkEvent, LinkFailure, LinkShelf } from "./rows.ts";
import { type Store, StoreError, StoreUnavailable } from "../store/store.ts";
import { type Checker, CheckerBusy } from "../verify/checker.ts";
import type { InputLimits } from "../verify/input.ts";
import type { Report } from "../verify/report.ts";
import { currentAsker } from "../workers/asker.ts";
import { type Checked, type Content, createContents } from "./content_cache.ts";
import { FetchError, type FetchErrorCode } from "../fetch/error.ts";
import type { fetchRemote } from "../fetch/fetch.ts";
import { createLedger } from "./row_cache.ts";
import { ageOf, AGING_MS, FRESH_MS, mayLook, sameDocuments } from "./freshness.ts";
import { isBlocked, type LinkBadge, linkSubjects } from "./badge.ts";
import { type LinkView, ownView, viewOf } from "./view.ts";
import { createReadUrl, type LinkedUrl } from "./url.ts";
import {
  createLooks,
  type Landed,
  type LookOptions,
  ownHostError,
  withoutKept,
} from "./revalidate.ts";
import { ownDocument } from "./own_urls.ts";
import type { RemoteRules } from "../fetch/rules.ts";
import { byReader, isSettled, settle } from "./settle.ts";
import { realWait, type Wait, within } from "../async/wait.ts";

export type { LinkBadge, LinkedSubject } from "./badge.ts";
export type { LinkView } from "./view.ts";

/** How long somebody waits for news where there is an older answer, or a badge to be shown. */
export const INLINE_MS = 2500;

/** How long a badge may take in all: image proxies give up at about 4 s (docs/platform.md). */
export const BADGE_MS = 3500;

/** A look may find that what it rests on is gone; the next one asks without conditions. */
const ROUNDS = 3;

export interface LinksOptions {
  shelf: LinkShelf;
  store: Pick<Store, "keepIntake" | "badgeRow" | "document" | "pool">;
  checker: Pick<Checker, "input" | "intake">;
  rules: RemoteRules;
  /** Of what a URL gives. */
  limits: InputLimits;
  /** The service's own path, as in `Site`; default none. */
  path?: string;
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
   * Who asks: fetches are charged to it, and so are documents that it asks to keep. Null: nobody
   * that can be told from others.
   */
  client?: string | null;
}

export interface VerifyOptions extends AskOptions {
  /** Store the documents, and from now on those that the URL gives later. */
  keep?: boolean;
}

/** How an answer came about. */
export interface Served {
  /** The look that was waited for; null: none was. */
  look: {
    /** Nothing was known; the bytes weren't at hand; what was known is too old. */
    why: "uri-miss" | "miss" | "stale";
    /** The host's status, if it gave something. */
    status: 200 | 304 | null;
    /** Somebody else's look was joined. */
    collapsed: boolean;
  } | null;
  /** What kept news from coming, if something did. */
  problem: FetchErrorCode | "late" | "busy" | null;
}

export type LinkResult =
  /** `checked`: as of now, with the pools that are public. */
  | { state: "given"; checked: Checked; link: LinkView; served: Served }
  /** The host says, and keeps saying, that there is no such file. */
  | { state: "gone"; link: LinkView }
  /** There is nothing to show. */
  | { state: "failed"; failure: LinkFailure; link: LinkView };

/** A link after a look. */
export interface Refreshed {
  link: LinkView;
  /** Whether other documents came than the last time. */
  changed: boolean;
}

export interface Links {
  /**
   * The reports on what a URL gives.
   *
   * @param url as somebody wrote it.
   * @throws {FetchError} when the URL isn't one that is fetched, or its host has been asked too often
   * (`fetch-host-busy`).
   * @throws {StoreError} when the documents are to be kept, and can't be.
   * @throws {CheckerBusy}
   * @throws {StoreUnavailable}
   */
  verify(url: string, options?: VerifyOptions): Promise<LinkResult>;
  /**
   * Looks at a URL now, however fresh what is known; only a host's own word to come back later is
   * heeded.
   *
   * @throws {FetchError} as {@link verify}.
   */
  refresh(url: string, options?: AskOptions): Promise<Refreshed>;
  /**
   * What a badge of a URL is made of, within some {@link INLINE_MS}; from memory while it is fresh.
   * The documents are in the store as visits, see lib/store/visits.ts. Never rejects for what the URL, its host or load does.
   */
  badge(url: string, options?: AskOptions): Promise<LinkBadge>;
  /** What became of a link, oldest first. @throws {StoreUnavailable} */
  history(link: LinkView): Promise<LinkEvent[]>;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
  /** Ends all fetches, and resolves when nothing here uses anything any more. */
  close(): Promise<void>;
}

/** What is known of a link, once it is as new as an answer needs it. */
interface Standing {
  entry: LinkEntry;
  /** What the URL gives, if a look has just brought it. */
  content: Content | null;
  served: Served;
}

const FROM_MEMORY: Served = { look: null, problem: null };

export function createLinks(options: LinksOptions): Links {
  const { shelf, store, checker, rules, limits, path = "", onFault } = options;
  const { fetch = loadAndFetch, clock = Date.now, wait = realWait } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const tasks = new Set<Promise<unknown>>();
  const checks = { checker, store, limits, signal };
  const contents = createContents(checks, {
    limits,
    signal,
    ...(options.capacity !== undefined && { capacity: options.capacity }),
  });
  const ledger = createLedger(shelf);
  const readUrl = createReadUrl(rules);
  const looks = createLooks({ ...checks, ledger, contents, rules, path, fetch, clock, track });

  /** Waited for when everything ends, and told of when it fails as nothing should. */
  function track(task: Promise<unknown>): void {
    const ended = task.catch((error) => {
      if (!signal.aborted && passing(error) === null) onFault(error);
    }).finally(() => tasks.delete(ended));
    tasks.add(ended);
  }

  async function idle(): Promise<void> {
    while (tasks.size > 0) await Promise.all(tasks);
  }

  /**
   * Looks at a URL before it is answered, or while it is, as the age of what is known wants it.
   *
   * @param patience how long to wait where there is nothing to show, in milliseconds; null: as long
   * as it takes.
   * @returns null when it takes longer.
   */
  async function stand(
    linked: LinkedUrl,
    { patience, ...how }: LookOptions & { patience: number | null },
  ): Promise<Standing | null> {
    const { purpose } = how;
    let entry = await ledger.known(linked);
    if (!looks.isReady(linked, entry.row, purpose) && !mayLook(entry.row, clock())) {
      // Nothing to show, and no look to be had: others may have been luckier.
      entry = await ledger.newest(linked);
    }
    const { row } = entry;
    const age = ageOf(row, clock());
    const isReady = looks.isReady(linked, row, purpose);
    const asItIs = { entry, content: null };
    if (!mayLook(row, clock()) || isReady && age <= FRESH_MS) {
      return { ...asItIs, served: FROM_MEMORY };
    }
    // Whoever can't pay for a look sees what is known.
    if (!currentAsker().admits()) {
      return { ...asItIs, served: { look: null, problem: "busy" } };
    }
    const { landing, collapsed } = looks.look(linked, how);
    // That it is gone can be shown too.
    const canWait = isReady || row.goneAt !== null;
    if (canWait && age <= AGING_MS) return { ...asItIs, served: FROM_MEMORY };

    const why = row.given === null ? "uri-miss" : isReady ? "stale" : "miss";
    const served = (status: 200 | 304 | null, problem: Served["problem"]): Served => ({
      look: { why, status, collapsed },
      problem,
    });
    const limit = canWait ? INLINE_MS : patience;
    let landed: Landed | null;
    try {
      landed = limit === null ? await landing : await within(landing, limit, null, wait);
    } catch (error) {
      const problem = passing(error);
      if (!canWait || problem === null) throw error;
      return { ...asItIs, served: served(null, problem) };
    }
    if (landed === null) return canWait ? { ...asItIs, served: served(null, "late") } : null;
    const { looked, status, content } = landed;
    const code = landed.entry.row.failure?.code as FetchErrorCode | undefined;
    return {
      entry: landed.entry,
      content,
      served: looked ? served(status, code ?? null) : FROM_MEMORY,
    };
  }

  async function verify(
    text: string,
    { keep = false, client = null, own = null }: VerifyOptions,
  ): Promise<LinkResult> {
    const linked = readUrl(text, own);
    if (linked.isOwn) return await verifyOwn(linked);
    for (let round = 0; round < ROUNDS; round++) {
      // Kept below instead, in the asker's name.
      const how = { purpose: "reports", keep: false, client, patience: null } as const;
      const at = await stand(linked, how);
      const { row } = at!.entry;
      if (row.goneAt !== null) return { state: "gone", link: viewOf(linked, row, clock()) };
      const { entry, content } = at!.content === null
        ? await looks.contentOf(linked, at!.entry)
        : at!;
      if (content !== null && row.given !== null) {
        const checked = withObservations(await contents.check(content), row.given);
        const after = keep ? await kept(linked, entry, content, client) : entry;
        const link = viewOf(linked, after.row, clock());
        return { state: "given", checked, link, served: at!.served };
      }
      if (row.failure !== null && !mayLook(row, clock())) {
        return { state: "failed", failure: row.failure, link: viewOf(linked, row, clock()) };
      }
    }
    throw new Error("what a URL gave went missing again and again");
  }

  async function verifyOwn(linked: LinkedUrl): Promise<Extract<LinkResult, { state: "given" }>> {
    const id = ownDocument(linked.url, path);
    const bytes = id === null ? null : await store.document(id);
    if (id === null || bytes === null) throw ownHostError();
    const checked = await contents.check({ sha: id, bytes });
    const reports = checked.checked.map(({ json }) => JSON.parse(json) as Report);
    const link = ownView(linked, reports, clock());
    return { state: "given", checked, link, served: FROM_MEMORY };
  }

  /** The documents are in the store because somebody asks for it, whatever became of them before. */
  async function kept(
    linked: LinkedUrl,
    entry: LinkEntry,
    content: Content,
    client: string | null,
  ): Promise<LinkEntry> {
    const { given } = entry.row;
    if (given === null) return entry;
    const lost = await Promise.all(
      given.documents.map(async ({ id, kept }) =>
        kept && id !== null && (await store.badgeRow(id)).state === "removed"
      ),
    );
    const row = withoutKept(entry.row, given, lost);
    return await settled(linked, { ...entry, row }, content, { client, asked: true });
  }

  /** Settles the documents of a content, and notes it in the link's row. */
  async function settled(
    linked: LinkedUrl,
    entry: LinkEntry,
    content: Content,
    how: { client: string | null; asked: boolean },
  ): Promise<LinkEntry> {
    const { given, keep } = entry.row;
    if (given === null || keep && given.documents.every(isSettled)) return entry;
    const documents = await settle(given.documents, content.bytes, checks, how);
    const after = await ledger.update(linked, entry, (row) => {
      const next = row.given?.content === content.sha ? { ...row.given, documents } : row.given;
      return { row: { ...row, keep: true, given: next }, event: null };
    });
    if (after.row.given?.content === content.sha) return after;
    // A look has brought something else meanwhile, before it could know of the wish.
    const newer = await looks.contentOf(linked, after);
    if (newer.content === null) return newer.entry;
    return await settled(linked, newer.entry, newer.content, byReader());
  }

  async function refresh(
    text: string,
    { own = null, client = null }: AskOptions,
  ): Promise<Refreshed> {
    const linked = readUrl(text, own);
    if (linked.isOwn) return { link: (await verifyOwn(linked)).link, changed: false };
    const { row: before } = await ledger.newest(linked);
    if (before.failure?.asked && !mayLook(before, clock())) {
      return { link: viewOf(linked, before, clock()), changed: false };
    }
    for (;;) {
      const how = { purpose: "reports", keep: false, client, force: true } as const;
      const { looked, entry } = await looks.look(linked, how).landing;
      // What was joined may have found that it needn't look.
      if (!looked) continue;
      const { given } = entry.row;
      const changed = given !== null &&
        (before.given === null || !sameDocuments(before.given, given));
      return { link: viewOf(linked, entry.row, clock()), changed };
    }
  }

  async function badge(
    text: string,
    { own = null, client = null }: AskOptions,
  ): Promise<LinkBadge> {
    let linked: LinkedUrl;
    try {
      linked = readUrl(text, own);
    } catch (error) {
      if (error instanceof FetchError) return { state: "blocked", code: error.code };
      throw error;
    }
    const making = linked.isOwn ? ownBadge(linked) : linkBadge(linked, client);
    track(making);
    try {
      return await within(making, BADGE_MS, { state: "checking" }, wait);
    } catch (error) {
      if (error instanceof FetchError) {
        const { code } = error;
        return isBlocked(code) ? { state: "blocked", code } : { state: "checking", code };
      }
      if (passing(error) !== null) return { state: "checking" };
      throw error;
    }
  }

  async function linkBadge(linked: LinkedUrl, client: string | null): Promise<LinkBadge> {
    for (let round = 0; round < ROUNDS; round++) {
      const how = { purpose: "badge", keep: true, client, patience: INLINE_MS } as const;
      const at = await stand(linked, how);
      if (at === null) break;
      const { row } = at.entry;
      const link = viewOf(linked, row, clock());
      if (row.goneAt !== null) return { state: "gone", link };
      const made = await linkSubjects(subjectParts, linked, at.entry, at.content);
      if (made !== null) return made;
      if (row.failure !== null && !mayLook(row, clock())) {
        const { failure } = row;
        const { code } = failure;
        return isBlocked(code)
          ? { state: "blocked", code }
          : { state: "unreachable", failure, link };
      }
    }
    return { state: "checking" };
  }

  const subjectParts = {
    store,
    ledger,
    contents,
    looks,
    clock,
    settled: (linked: LinkedUrl, entry: LinkEntry, content: Content) =>
      settled(linked, entry, content, byReader()),
  };

  async function ownBadge(linked: LinkedUrl): Promise<LinkBadge> {
    const id = ownDocument(linked.url, path);
    if (id === null) return { state: "blocked", code: "fetch-own-host" };
    const read = await store.badgeRow(id);
    if (read.state === "checking") return { state: "checking" };
    if (read.state !== "current") return { state: "absent", id };
    const { result } = read;
    const subjects = [{ id, subject: result, result }];
    const link = ownView(linked, [result], clock());
    return { state: "current", subjects, revision: `${id} ${result.revision}`, link };
  }

  return {
    verify: (text, how = {}) => verify(text, how),
    refresh: (text, how = {}) => refresh(text, how),
    badge: (text, how = {}) => badge(text, how),
    history: async ({ hash }) => hash === null ? [] : await shelf.history(hash),
    idle,
    async close() {
      closing.abort(new Error("the service is closing"));
      await idle();
    },
  };
}

/** Loaded for the first fetch: badges of stored results start without it. */
const loadAndFetch: typeof fetchRemote = async (url, options) => {
  const { fetchRemote } = await import("../fetch/fetch.ts");
  return await fetchRemote(url, options);
};

/** What keeps news from coming and passes by itself; null: a fault. */
function passing(error: unknown): Served["problem"] {
  if (error instanceof FetchError) return error.code;
  const passes = error instanceof CheckerBusy || error instanceof StoreUnavailable ||
    error instanceof StoreError;
  return passes ? "busy" : null;
}

/** The reports, with what is to be said of how the documents were fetched. */
function withObservations(checked: Checked, { documents }: Given): Checked {
  if (documents.every(({ observations }) => observations.length === 0)) return checked;
  return {
    ...checked,
    checked: checked.checked.map((one, index) => {
      const added = documents[index]?.observations ?? [];
      if (added.length === 0) return one;
      const report = JSON.parse(one.json) as Report;
      report.observations.push(...added);
      return { ...one, json: JSON.stringify(report) };
    }),
  };
}
