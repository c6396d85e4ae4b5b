/** Fetching a URL, and what came of it as news of the link, which change nothing yet. */
import type { LinkFailureCode } from "../protocol/codes.ts";
import { currentAsker } from "../async/asker.ts";
import { sha256HexLarge } from "../encoding/digest.ts";
import { FetchError } from "../fetch/error.ts";
import type { Fetched, Validators } from "../fetch/fetch.ts";
import { isOwn } from "../fetch/target.ts";
import type { InputRefusal } from "../verify/input.ts";
import { cacheContent, type Content } from "./content_cache.ts";
import type { LinksContext } from "./context.ts";
import type { News } from "./freshness.ts";
import { observeFetch } from "./observe.ts";
import { ownHostError } from "./own_urls.ts";
import type { Given, LinkedDocument, LinkRow, StoredValidators } from "./rows.ts";
import { forReader, type Intakes, storeDocuments } from "./storing.ts";
import type { LinkedUrl } from "./url.ts";

/** What a fetch brought. */
interface Brought {
  news: News;
  content: Content | null;
  status: 200 | 304 | null;
  /** Whether the news is for this asker alone. */
  private: boolean;
}

interface FetchHow {
  /** The link's row, and the bytes that stand for what it says; null: there are none. */
  row: LinkRow;
  known: Content | null;
  /** The documents are to be stored. */
  keep: boolean;
  /** Who asks, and is charged for the fetch; null: nobody that can be told from others. */
  client: string | null;
}

/**
 * Fetches a URL, with conditions where what it gave before is known.
 *
 * @throws {FetchError} when the URL was not asked for (`fetch-host-busy`), or means something to this
 * asker alone.
 */
export async function fetchNews(
  context: LinksContext,
  linked: LinkedUrl,
  how: FetchHow,
): Promise<Brought> {
  const { fetch, signal, clock } = context;
  const { row, known, client } = how;
  let fetched: Fetched;
  try {
    const validators = known === null ? null : validatorsOf(linked, row.given);
    fetched = await fetch(linked.url, {
      rules: linked.rules,
      client,
      signal,
      ...(validators && { validators }),
    });
  } catch (error) {
    // A host that isn't asked says nothing about the URL.
    const isNews = error instanceof FetchError && error.code !== "fetch-host-busy";
    if (!isNews || signal.aborted) throw error;
    return failure(error, clock());
  }
  switch (fetched.kind) {
    case "not-modified": {
      if (known === null) throw new Error("unchanged, where nothing was known");
      const news: News = { kind: "unchanged", content: known.sha, at: clock() };
      return { news, content: known, status: 304, private: false };
    }
    case "content":
      return await contentNews(context, linked, how, fetched);
    case "own":
      return await ownNews(context, new URL(fetched.url));
  }
}

async function contentNews(
  context: LinksContext,
  linked: LinkedUrl,
  { row, keep }: FetchHow,
  fetched: Extract<Fetched, { kind: "content" }>,
): Promise<Brought> {
  const { checker, limits, clock, contents } = context;
  const { bytes } = fetched;
  const [sha, taken] = await Promise.all([sha256HexLarge(bytes), checker.intake(bytes, limits)]);
  if (!taken.ok) return unreadable(taken, clock());
  await currentAsker().pay({ documents: taken.intakes.length, bytes: taken.bytes });
  let documents = documentsOf(taken, linked, { row, sha, etag: fetched.etag });
  if (keep || row.keep) {
    const how = { ...forReader(), intakes: taken };
    documents = await storeDocuments(context, documents, bytes, how);
  }
  const validators = storedValidators(linked, fetched);
  const given = { documents, content: sha, pools: taken.pools > 0, validators };
  const news: News = { kind: "given", given, at: clock() };
  const content = cacheContent(contents, linked.hash, { sha, bytes });
  return { news, content, status: 200, private: false };
}

/** The documents that came, with what the link's row knows of them. */
function documentsOf(
  taken: Intakes,
  linked: LinkedUrl,
  { row, sha, etag }: { row: LinkRow; sha: string; etag: string | null },
): LinkedDocument[] {
  const before = row.given?.documents ?? [];
  const same = row.given?.content === sha;
  const storedBefore = new Set(before.flatMap(({ id, kept }) => kept ? [id] : []));
  return taken.intakes.map((_, index): LinkedDocument => {
    const named = nameOf(taken, index);
    const { id } = named;
    const kept = id !== null && storedBefore.has(id);
    const found = same ? before[index]?.found ?? null : null;
    return { ...named, observations: observeFetch(linked.url, id, etag), kept, found };
  });
}

/** A redirect to this service: the stored document that it names. */
async function ownNews(context: LinksContext, url: URL): Promise<Brought> {
  const { store, checker, limits, rules, ownDocument, clock } = context;
  const isPrivate = !isOwn(url, rules);
  const id = ownDocument(url);
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

/** News of what can't be read, with the reader's own code and message, as if it had been sent. */
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

/**
 * The validators of a content, for the next fetch. Those that another URL gave whose query may hold a
 * secret aren't stored.
 */
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
