/**
 * Looking at what a URL gives: one look at a time for each, conditional where what it gave before is
 * at hand, and recorded whatever comes of it.
 */
import { sha256HexLarge } from "../encoding/digest.ts";
import type { LinkFailureCode } from "../protocol/codes.ts";
import type { Given, LinkedDocument, LinkEntry, LinkRow, StoredValidators } from "./rows.ts";
import type { Store } from "../store/store.ts";
import type { InputRefusal } from "../verify/input.ts";
import { currentAsker, join, share, type Shared } from "../workers/asker.ts";
import type { Content, Contents } from "./content_cache.ts";
import { FetchError } from "../fetch/error.ts";
import type { Fetched, fetchRemote, Validators } from "../fetch/fetch.ts";
import type { Ledger } from "./row_cache.ts";
import { ageOf, apply, FRESH_MS, mayLook, newLink, type News } from "./freshness.ts";
import type { LinkedUrl } from "./url.ts";
import { observeFetch } from "./observe.ts";
import { ownDocument } from "./own_urls.ts";
import type { RemoteRules } from "../fetch/rules.ts";
import { byReader, type Intakes, isSettled, settle, type SettleParts } from "./settle.ts";
import { isOwn } from "../fetch/target.ts";

/** What an answer is for: reports need the bytes, badges what is known of the documents. */
export type Purpose = "reports" | "badge";

/** What a look came to. */
export interface Landed {
  entry: LinkEntry;
  /** What the URL gives, if it gave something. */
  content: Content | null;
  /** The host's status; null: it gave nothing, or wasn't asked. */
  status: 200 | 304 | null;
  /** False: what was known turned out to be enough. */
  looked: boolean;
}

export interface LookOptions {
  purpose: Purpose;
  /** The documents are to be kept, from now on. */
  keep: boolean;
  /** Who asks, and is charged for the fetch; null: nobody that can be told from others. */
  client: string | null;
  /** However fresh what is known, and whatever failed a moment ago. */
  force?: boolean;
}

export interface LooksParts extends SettleParts {
  store: SettleParts["store"] & Pick<Store, "document">;
  ledger: Ledger;
  contents: Contents;
  rules: RemoteRules;
  /** The service's own path. */
  path: string;
  fetch: typeof fetchRemote;
  clock: () => number;
  /** Told of each look, for as long as it is under way. */
  track: (task: Promise<unknown>) => void;
}

export interface Looks {
  /**
   * Looks at a URL, or joins the look that is under way (`collapsed`).
   *
   * The landing rejects with a {@link FetchError} only when the URL was not asked for
   * (`fetch-host-busy`), or means something to this asker alone.
   */
  look(linked: LinkedUrl, options: LookOptions): { landing: Promise<Landed>; collapsed: boolean };
  /** Whether what is known of a link is enough for an answer. */
  isReady(linked: LinkedUrl, row: LinkRow, purpose: Purpose): boolean;
  /** The bytes that stand for what a URL gave; null: they are gone, and the entry says so. */
  contentOf(
    linked: LinkedUrl,
    entry: LinkEntry,
  ): Promise<{ entry: LinkEntry; content: Content | null }>;
}

export function createLooks(parts: LooksParts): Looks {
  const { checker, store, ledger, contents, rules, limits, path, fetch, clock, signal } = parts;
  const flights = new Map<string, Shared<Landed>>();

  /** Whether the bytes are in memory, or can be put together from the store. */
  function hasContent({ hash }: LinkedUrl, { content, documents, pools }: Given): boolean {
    return contents.get(hash, content) !== null || !pools && documents.every(({ kept }) => kept);
  }

  function isReady(linked: LinkedUrl, { given }: LinkRow, purpose: Purpose): boolean {
    if (given === null) return false;
    return hasContent(linked, given) || purpose === "badge" && given.documents.every(isSettled);
  }

  async function contentOf(
    linked: LinkedUrl,
    entry: LinkEntry,
  ): Promise<{ entry: LinkEntry; content: Content | null }> {
    const { given } = entry.row;
    if (given === null || !hasContent(linked, given)) return { entry, content: null };
    const held = contents.get(linked.hash, given.content);
    if (held !== null) return { entry, content: held };
    const documents = await Promise.all(given.documents.map(({ id }) => store.document(id!)));
    const lost = documents.map((bytes) => bytes === null);
    if (lost.includes(true)) {
      const change = (row: LinkRow) => ({ row: withoutKept(row, given, lost), event: null });
      return { entry: await ledger.update(linked, entry, change), content: null };
    }
    const bytes = joinDocuments(given.documents, documents.map((one) => one!));
    const content = contents.set(linked.hash, { sha: given.content, bytes });
    return { entry, content };
  }

  async function fly(
    linked: LinkedUrl,
    { purpose, keep, client, force = false }: LookOptions,
  ): Promise<Landed> {
    signal.throwIfAborted();
    const known = await ledger.newest(linked);
    if (!force) {
      // Another process may have looked a moment ago.
      const { row } = known;
      const fresh = ageOf(row, clock()) <= FRESH_MS && isReady(linked, row, purpose);
      if (fresh || !mayLook(row, clock())) {
        return { entry: known, content: null, status: null, looked: false };
      }
    }
    const { entry, content: held } = await contentOf(linked, known);
    const brought = await bring(linked, entry.row, held, { keep, client });
    const change = (row: LinkRow) => {
      const { row: next, event } = apply(row, brought.news);
      return { row: { ...next, keep: next.keep || keep }, event };
    };
    const { status, content } = brought;
    // What a name means that only this asker has for us is of no concern to others.
    const after = brought.private
      ? { row: change(newLink(linked.shown)).row, versionstamp: null }
      : await ledger.update(linked, entry, change);
    const current = after.row.given?.content === content?.sha;
    return { entry: after, content: current ? content : null, status, looked: true };
  }

  async function bring(
    linked: LinkedUrl,
    row: LinkRow,
    held: Content | null,
    { keep, client }: Pick<LookOptions, "keep" | "client">,
  ): Promise<Brought> {
    let fetched: Fetched;
    try {
      const validators = held === null ? null : validatorsOf(linked, row.given);
      fetched = await fetch(linked.url, {
        rules: linked.rules,
        client,
        signal,
        ...(validators && { validators }),
      });
    } catch (error) {
      // That we don't ask says nothing about the URL.
      const isNews = error instanceof FetchError && error.code !== "fetch-host-busy";
      if (!isNews || signal.aborted) throw error;
      return failure(error, clock());
    }
    switch (fetched.kind) {
      case "not-modified": {
        if (held === null) throw new Error("unchanged, where nothing was known");
        const news: News = { kind: "unchanged", content: held.sha, at: clock() };
        return { news, content: held, status: 304, private: false };
      }
      case "content":
        return await bringContent(linked, row, fetched, keep);
      case "own":
        return await bringOwn(new URL(fetched.url));
    }
  }

  async function bringContent(
    linked: LinkedUrl,
    row: LinkRow,
    fetched: Extract<Fetched, { kind: "content" }>,
    keep: boolean,
  ): Promise<Brought> {
    const { bytes, etag } = fetched;
    const [sha, taken] = await Promise.all([
      sha256HexLarge(bytes),
      checker.intake(bytes, limits),
    ]);
    if (!taken.ok) return unreadable(taken, clock());
    await currentAsker().pay({ documents: taken.intakes.length, bytes: taken.bytes });
    const before = row.given?.documents ?? [];
    const same = row.given?.content === sha;
    const keptBefore = new Set(before.flatMap(({ id, kept }) => kept ? [id] : []));
    let documents = taken.intakes.map((_, index): LinkedDocument => {
      const named = nameOf(taken, index);
      const { id } = named;
      const kept = id !== null && keptBefore.has(id);
      const found = same ? before[index]?.found ?? null : null;
      return { ...named, observations: observeFetch(linked.url, id, etag), kept, found };
    });
    if (keep || row.keep) {
      const how = { ...byReader(), intakes: taken };
      documents = await settle(documents, bytes, parts, how);
    }
    const validators = storedValidators(linked, fetched);
    const given = { documents, content: sha, pools: taken.pools > 0, validators };
    const news: News = { kind: "given", given, at: clock() };
    const content = contents.set(linked.hash, { sha, bytes });
    return { news, content, status: 200, private: false };
  }

  /** A redirect to this service: the stored document that it names. */
  async function bringOwn(url: URL): Promise<Brought> {
    const isPrivate = !isOwn(url, rules);
    const id = ownDocument(url, path);
    const bytes = id === null ? null : await store.document(id);
    if (id === null || bytes === null) {
      if (isPrivate) throw ownHostError();
      return failure(ownHostError(), clock());
    }
    const taken = await checker.intake(bytes, limits);
    if (!taken.ok) throw new Error(`a stored document can't be read: ${taken.reason.code}`);
    const documents = taken.intakes.map((_, index): LinkedDocument => ({
      ...nameOf(taken, index),
      observations: [],
      kept: true,
      found: null,
    }));
    const given = { documents, content: id, pools: false, validators: null };
    const news: News = { kind: "given", given, at: clock() };
    return { news, content: { sha: id, bytes }, status: 200, private: isPrivate };
  }

  return {
    look(linked, options) {
      const underWay = flights.get(linked.key);
      if (underWay !== undefined) return { landing: join(underWay), collapsed: true };
      const flight = share(() => fly(linked, options).finally(() => flights.delete(linked.key)));
      flights.set(linked.key, flight);
      parts.track(flight.promise);
      return { landing: flight.promise, collapsed: false };
    },
    isReady,
    contentOf,
  };
}

interface Brought {
  news: News;
  content: Content | null;
  status: 200 | 304 | null;
  /** For this asker alone. */
  private: boolean;
}

function failure(error: FetchError, at: number): Brought {
  const { code, message, status, retryAfter } = error;
  return failed({ code, message, status, reason: null }, at, retryAfter);
}

function failed(
  failure: Extract<News, { kind: "failed" }>["failure"],
  at: number,
  retryAfter: number | null = null,
): Brought {
  const news: News = { kind: "failed", failure, at, retryAfter };
  return { news, content: null, status: null, private: false };
}

/** What came can't be read: with the reader's own code and message, as if it had been sent. */
function unreadable(refusal: InputRefusal, at: number): Brought {
  const { reason } = refusal;
  const code = failureCode(refusal);
  return failed({ code, message: reason.message, status: null, reason }, at);
}

function failureCode(refusal: InputRefusal): LinkFailureCode {
  if (!refusal.pool) {
    const { code } = refusal.reason;
    return code === "document-too-large" ? "fetch-too-large" : code;
  }
  const { code } = refusal.reason;
  return code === "pools-malformed" || code === "too-many-pools" ? code : "pool-invalid";
}

/** A URL of this service that can't be answered here. */
export function ownHostError(): FetchError {
  return new FetchError(
    "fetch-own-host",
    "the URL is one of this service, and names no document that is stored here; give the " +
      "document's own URL",
  );
}

/** Id and kind of an entry as it was taken in. */
function nameOf(
  { intakes, run }: Intakes,
  index: number,
): Pick<LinkedDocument, "id" | "kind" | "unwrapped"> {
  const intake = intakes[index] ?? null;
  if (intake === null) return { id: run, kind: run === null ? "unknown" : "run", unwrapped: false };
  if (!intake.ok) return { id: intake.report.id, kind: intake.report.kind, unwrapped: false };
  const { id, kind, unwrapped } = intake.intake;
  return { id, kind, unwrapped };
}

/** Where another URL gave them, and its query may hold a secret, they aren't worth keeping. */
function storedValidators(
  linked: LinkedUrl,
  { url, etag, lastModified }: Extract<Fetched, { kind: "content" }>,
): StoredValidators | null {
  if (etag === null && lastModified === null) return null;
  if (url === linked.url.href) return { etag, lastModified, url: null };
  return new URL(url).search === "" ? { etag, lastModified, url } : null;
}

function validatorsOf({ url }: LinkedUrl, given: Given | null): Validators | null {
  const validators = given?.validators ?? null;
  return validators && { ...validators, url: validators.url ?? url.href };
}

/** A row whose documents aren't in the store after all, where `lost` says so. */
export function withoutKept(row: LinkRow, then: Given, lost: readonly boolean[]): LinkRow {
  if (row.given?.content !== then.content) return row;
  const documents = row.given.documents.map((document, index) =>
    lost[index] ? { ...document, kept: false } : document
  );
  return { ...row, given: { ...row.given, documents } };
}

/** Stored documents as they might have come: in a wrapper what did, in a list what wasn't alone. */
function joinDocuments(
  documents: readonly LinkedDocument[],
  contents: readonly Uint8Array[],
): Uint8Array {
  const decoder = new TextDecoder();
  const texts = contents.map((bytes, index) => {
    const text = decoder.decode(bytes);
    return documents[index]!.unwrapped ? `{"receipt":${text}}` : text;
  });
  return new TextEncoder().encode(texts.length === 1 ? texts[0]! : `[${texts.join(",")}]`);
}
