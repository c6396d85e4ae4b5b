/** Public JSON from what the store gives: times in ISO 8601, addresses, nothing internal. */
import { isMixZero } from "../../lib/protocol/pool.ts";
import { reason } from "../../lib/protocol/reason.ts";
import { emptyReport, type Report } from "../../lib/verify/report.ts";
import type {
  FeedEntry,
  HistoryEntry,
  ListedResult,
  Page,
  PoolPreview,
  PoolRecord,
  Store,
  UpgradeProgress,
} from "../../lib/store/store.ts";
import { cellId } from "../../lib/suites/suites.ts";
import { resultUrls, type Site } from "../http/site.ts";
import type { PoolDryRun, PoolInfo, Upgrade } from "../schemas/pool.ts";
import type { Change, DisclosedPool, Feed, ResultPage, ResultRow } from "../schemas/result.ts";

export type { Change, DisclosedPool, PoolInfo, ResultRow, Upgrade };

/** Said wherever a pool can be published. */
export const PUBLISHING_NOTICE =
  "Publishing a pool is permanent and public: it can't be taken back, anyone can read its labels, " +
  "and every session still open under it becomes predictable.";

/** ISO 8601 of milliseconds since 1970. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * The public pools that a report names, each with when it was first seen, and with a statement only
 * by the report's own issuer.
 */
export async function disclosedPools(
  store: Pick<Store, "pool" | "disclosure">,
  { pools, issuer }: Pick<Report, "pools" | "issuer">,
): Promise<DisclosedPool[]> {
  const found = await Promise.all(pools.map(async ({ poolKey }) => {
    const [record, statement] = await Promise.all([
      store.pool(poolKey),
      issuer === null ? null : store.disclosure(poolKey, issuer.publicKey),
    ]);
    if (record === null) return [];
    const { firstSeen, source } = record;
    return [{
      poolKey,
      firstSeen: isoTime(firstSeen),
      source,
      statement: statement === null ? null : {
        publicKey: statement.publicKey,
        signature: statement.signature,
        at: isoTime(statement.at),
      },
    }];
  }));
  return found.flat();
}

/** Entries of the history. */
export function changes(history: readonly HistoryEntry[]): Change[] {
  return history.map(({ at, ...entry }) => ({ at: isoTime(at), ...entry }));
}

/** The report to show while a result is being made again. */
export function checkingReport(id: string): Report {
  const message =
    "the result is being checked again, with a newly disclosed pool or a newer verifier";
  return emptyReport("unknown", null, reason("checking", message), id);
}

/** A row of a list. */
function resultRow(site: Site, listed: ListedResult): ResultRow {
  if (listed.state === "checking") {
    return { id: listed.id, state: "checking", urls: resultUrls(site, listed.id) };
  }
  const { imported: _, revision: __, policy: ___, storedAt, checkedAt, ...row } = listed.result;
  return {
    ...row,
    state: "current",
    storedAt: isoTime(storedAt),
    checkedAt: isoTime(checkedAt),
    urls: resultUrls(site, row.id),
  };
}

/** A page of rows. */
export function resultPage(
  site: Site,
  { items, cursor }: Page<ListedResult>,
): ResultPage {
  return { items: items.map((item) => resultRow(site, item)), cursor };
}

/** A public pool. */
export function poolInfo(site: Site, { poolKey, pool, firstSeen, source }: PoolRecord): PoolInfo {
  const api = `${site.url}/api/pools/${poolKey}`;
  return {
    poolKey,
    suite: pool.suite,
    suiteVersion: pool.suiteVersion,
    cells: pool.cells.map((cell) => ({
      cell: cellId(cell.family, cell.tier),
      mixZero: isMixZero(cell),
    })),
    firstSeen: isoTime(firstSeen),
    source,
    urls: {
      page: `${site.url}/pools/${poolKey}`,
      file: api,
      results: `${api}/results`,
      upgrade: `${api}/upgrade`,
    },
  };
}

/** Progress of an upgrade, or its tally. */
export function upgrade(progress: UpgradeProgress): Upgrade {
  const { startedAt, finishedAt, ...rest } = progress;
  return {
    ...rest,
    startedAt: isoTime(startedAt),
    finishedAt: finishedAt === null ? null : isoTime(finishedAt),
  };
}

/** A dry run. */
export function dryRun(site: Site, preview: PoolPreview): PoolDryRun {
  return {
    published: false,
    ...preview,
    notice: PUBLISHING_NOTICE,
    confirm: `${site.url}/api/pools?confirm=publish`,
  };
}

/** A page of the feed. */
export function feed(
  site: Site,
  { items, cursor }: Page<FeedEntry>,
): Feed {
  const url = `${site.url}/api/feed`;
  return {
    version: "https://jsonfeed.org/version/1.1",
    title: "Touchstone: upgrades and exposures",
    description: "Stored results that a disclosed pool verified or contradicted, newest first.",
    home_page_url: `${site.url}/`,
    feed_url: url,
    ...(cursor === null ? {} : { next_url: `${url}?cursor=${encodeURIComponent(cursor)}` }),
    language: "en",
    items: items.map((entry) => feedItem(site, entry)),
  };
}

type FeedItem = Feed["items"][number];

function feedItem(site: Site, entry: FeedEntry): FeedItem {
  const { key, at, what, id, kind, from, to, poolKey, issuer, reason, imported } = entry;
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const before = (from === null ? "It was exposed on arrival." : `It was ${from} before.`) +
    (imported ? " (imported)" : "");
  return {
    id: key,
    url: `${site.url}/r/${id}`,
    title: what === "exposed" ? `${name} exposed: ${to}` : `${name} upgraded: ${to}`,
    content_text: what === "exposed"
      ? `The disclosed pool ${poolKey} contradicts ${kind} ${id}` +
        `${reason === null ? "" : ` (${reason})`}. ${before}`
      : `With the disclosed pool ${poolKey}, ${kind} ${id} is ${to}. ${before}`,
    date_published: isoTime(at),
    tags: [what],
    _touchstone: { result: id, kind, from, to, poolKey, issuer, reason, imported },
  };
}
