/** Links in tests: hosts that are scripts, a clock that is set, waits that end when the test says. */
import { fromJsonText } from "../../lib/encoding/json.ts";
import { inLineChecker } from "../../service/checker.ts";
import { ownDocument } from "../../routes/http/own_urls.ts";
import { FetchError, type FetchErrorCode } from "../../lib/fetch/error.ts";
import type { Fetched, FetchOptions } from "../../lib/fetch/fetch.ts";
import { createLinks } from "../../lib/links/create.ts";
import type { Links, LinksOptions } from "../../lib/links/links.ts";
import { createStore } from "../../lib/store/create.ts";
import { createDatabase } from "../../lib/kv/database.ts";
import { createLinkRows, type LinkRows } from "../../lib/links/rows.ts";
import type { Quotas, Store, StoreOptions } from "../../lib/store/store.ts";
import type { Checker } from "../../lib/verify/checker.ts";
import { verifier } from "./store_fixtures.ts";
import { testRules } from "./remote.ts";

/** What a host does when it is asked. */
export type Answer =
  | { body: string | Uint8Array; etag?: string; url?: string }
  | { error: FetchErrorCode; status?: number; retryAfter?: number }
  | { own: string };

/** A host that does as it is told, and notes who asks. */
export interface Host {
  /** What every URL answers from now on, or the URL given. */
  answer(answer: Answer, url?: string): void;
  /** Requests from now on wait until the function it gives is called. */
  hold(): () => void;
  /** What was asked, with the validators sent along. */
  asked: { url: string; etag: string | null; conditional: boolean }[];
  fetch(url: URL, options: FetchOptions): Promise<Fetched>;
}

export function scriptedHost(): Host {
  const answers = new Map<string, Answer>();
  let held: Promise<void> | null = null;
  const host: Host = {
    asked: [],
    answer: (answer, url = "") => void answers.set(url, answer),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = null;
        resolve();
      };
    },
    async fetch(url, { validators, signal }) {
      const answer = answers.get(url.href) ?? answers.get("");
      const etag = validators?.etag ?? null;
      host.asked.push({ url: url.href, etag, conditional: validators !== undefined });
      await Promise.race([held, aborted(signal)]);
      signal?.throwIfAborted();
      if (answer === undefined) throw new Error(`nothing is said of ${url.href}`);
      if ("error" in answer) {
        const { error, status = null, retryAfter = null } = answer;
        throw new FetchError(error, "as the test wants it", { status, retryAfter });
      }
      if ("own" in answer) return { kind: "own", url: answer.own };
      const from = answer.url ?? url.href;
      const known = answer.etag !== undefined && etag === answer.etag && validators?.url === from;
      if (known) return { kind: "not-modified", url: from };
      const bytes = typeof answer.body === "string"
        ? new TextEncoder().encode(answer.body)
        : answer.body;
      return { kind: "content", bytes, url: from, etag: answer.etag ?? null, lastModified: null };
    },
  };
  return host;
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A clock in milliseconds since 1970. */
export interface Clock {
  now: number;
  /** Lets time pass: the waits that it covers end. */
  pass(ms: number): void;
  read(): number;
  wait: LinksOptions["wait"] & object;
  /** Waits that nobody has cancelled. */
  waiting(): number;
}

export const START = Date.UTC(2026, 10, 30);

export function setClock(): Clock {
  const waits = new Set<{ at: number; end: () => void }>();
  const clock: Clock = {
    now: START,
    pass(ms) {
      clock.now += ms;
      for (const wait of [...waits]) {
        if (wait.at > clock.now) continue;
        waits.delete(wait);
        wait.end();
      }
    },
    read: () => clock.now,
    wait(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wait = { at: clock.now + ms, end: resolve };
      waits.add(wait);
      return { over: promise, cancel: () => void waits.delete(wait) };
    },
    waiting: () => waits.size,
  };
  return clock;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export interface Bench {
  links: Links;
  /** The rows in the database, without what `rows` of the options does. */
  rows: LinkRows;
  store: Store;
  host: Host;
  clock: Clock;
  kv: Deno.Kv;
  faults: unknown[];
  /** Another process on the same database, with the same host and clock unless others are given. */
  another(options?: Partial<BenchOptions>): { links: Links; store: Store; host: Host };
}

export interface BenchOptions {
  host: Host;
  clock: Clock;
  kv: Deno.Kv;
  quotas: Quotas;
  ownHosts: string[];
  path: string;
  capacity: number;
  checker: (checker: Checker) => Checker;
  rows: (rows: LinkRows) => LinkRows;
  store: StoreOptions;
}

/** Runs with links over a database in memory, unless one is given. */
export async function withLinks(
  run: (bench: Bench) => Promise<void>,
  options: Partial<BenchOptions> = {},
): Promise<void> {
  const kv = options.kv ?? await Deno.openKv(":memory:");
  const clock = options.clock ?? setClock();
  const host = options.host ?? scriptedHost();
  const faults: unknown[] = [];
  const open: Links[] = [];

  function create(more: Partial<BenchOptions>) {
    const given = { host, clock, ...options, ...more };
    const { quotas = { bytes: null, documentsPerHour: null } } = given;
    const inLine = inLineChecker(verifier);
    const checker = given.checker?.(inLine) ?? inLine;
    const store = createStore(kv, checker, { quotas, clock: given.clock.read, ...given.store });
    const rows = createLinkRows(createDatabase(kv), quotas);
    const links = createLinks({
      rows: given.rows?.(rows) ?? rows,
      store,
      checker,
      rules: testRules([], { ownHosts: new Set(given.ownHosts ?? []) }),
      limits: { bytes: 4 * 1024 * 1024, documents: 100 },
      onFault: (error) => faults.push(error),
      fetch: given.host.fetch,
      clock: given.clock.read,
      wait: given.clock.wait,
      ownDocument: (url) => ownDocument(url, given.path ?? ""),
      ...(given.capacity !== undefined && { capacity: given.capacity }),
    });
    open.push(links);
    return { links, rows, store, host: given.host };
  }

  try {
    const first = create({});
    await run({ ...first, clock, kv, faults, another: (more = {}) => create(more) });
    if (faults.length > 0) throw faults[0];
  } finally {
    await Promise.all(open.map((links) => links.close()));
    if (options.kv === undefined) kv.close();
  }
}

/** What somebody who asks for a URL sees, in short: ids and outcomes, or the state and its code. */
export async function shown(links: Links, url: string, keep = false): Promise<string> {
  try {
    const result = await links.verify(url, { keep });
    if (result.state === "gone") return "gone";
    if (result.state === "failed") return result.failure.code;
    const reports = result.checked.checked.map(({ json }) => fromJsonText(json));
    return reports.map(({ id, outcome }) => `${id?.slice(0, 8)} ${outcome}`).join(", ");
  } catch (error) {
    if (error instanceof FetchError) return error.code;
    throw error;
  }
}

/** What a badge of a URL shows, in short. */
export async function badgeShown(links: Links, url: string): Promise<string> {
  const badge = await links.badge(url);
  if (badge.state !== "current") return badge.state;
  return badge.subjects.map(({ id, subject }) => `${id?.slice(0, 8)} ${subject.outcome}`).join(
    ", ",
  );
}
