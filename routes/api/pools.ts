/** `/api/pools`: publishing pools, reading public ones, and what they did to stored results. */
import { type Context, Hono } from "hono";
import { isHex64 } from "../../lib/encoding/hex.ts";
import type { PoolRecord } from "../../lib/store/store.ts";
import { dryRun, poolInfo, PUBLISHING_NOTICE, resultPage, upgrade } from "./representations.ts";
import { acceptJson, receivePool } from "../http/body.ts";
import { replyEvents, type ServerEvent } from "../http/events.ts";
import { readPaging, requireParameters } from "../http/query.ts";
import { type PoolRequest, readPoolRequest } from "./pool_request.ts";
import { ProblemError } from "../http/problems.ts";
import { reply, replyJson } from "../http/reply.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";

/** Content that is named by its own hash never changes. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** The last event's id: a client that has it has seen all. */
const LAST_EVENT = "done";

export function poolRoutes(services: Services): Hono {
  const { store, upgrades, publicUrl, clientOf, onFault } = services;
  const app = new Hono();
  const site = (c: Context) => siteOf(publicUrl, c.req.url);

  app.post("/api/pools", acceptJson, async (c) => {
    requireParameters(c, ["confirm"]);
    const confirm = c.req.query("confirm");
    if (confirm !== undefined && confirm !== "publish") {
      throw new ProblemError("query-malformed", "confirm takes publish, or is left out");
    }
    const request = await readPoolRequest(await receivePool(c));
    if (confirm === undefined) {
      return replyJson(c.req.raw, dryRun(site(c), await store.previewPool(request.pool)));
    }
    const { record, created, disclosure } = await publish(services, request, clientOf(c));
    const progress = await store.upgradeProgress(record.poolKey);
    return replyJson(c.req.raw, {
      published: true,
      created,
      disclosure,
      pool: poolInfo(site(c), record),
      upgrade: progress === null ? null : upgrade(progress),
      notice: PUBLISHING_NOTICE,
    }, {
      status: created ? 201 : 200,
      headers: created ? { location: `${site(c).path}/api/pools/${record.poolKey}` } : {},
    });
  });

  app.get("/api/pools", async (c) => {
    const { items, cursor } = await store.pools(readPaging(c));
    const page = { items: items.map((record) => poolInfo(site(c), record)), cursor };
    return replyJson(c.req.raw, page, { cache: "no-cache", etag: true });
  });

  app.get("/api/pools/:poolKey", async (c) => {
    const { file } = await requirePublic(services, c.req.param("poolKey"));
    return reply(c.req.raw, file, { type: "application/json", cache: IMMUTABLE, etag: true });
  });

  app.get("/api/pools/:poolKey/results", async (c) => {
    const record = await requirePublic(services, c.req.param("poolKey"));
    const { poolKey } = record;
    const page = await store.results({ by: "pool", poolKey }, readPaging(c));
    const progress = await store.upgradeProgress(poolKey);
    return replyJson(c.req.raw, {
      pool: poolInfo(site(c), record),
      upgrade: progress === null ? null : upgrade(progress),
      ...resultPage(site(c), page),
    });
  });

  app.get("/api/pools/:poolKey/upgrade", async (c) => {
    const { poolKey } = await requirePublic(services, c.req.param("poolKey"));
    const last = c.req.header("last-event-id");
    // Whoever has seen the end comes back only because the stream ended: 204 says to stay away.
    if (last === LAST_EVENT) return c.body(null, 204, { "cache-control": "no-store" });
    async function* events(signal: AbortSignal): AsyncIterable<ServerEvent> {
      for await (const progress of upgrades.watch(poolKey, signal)) {
        const id = progress.done ? LAST_EVENT : `${progress.scanned}`;
        if (id === last) continue;
        yield { event: progress.done ? "tally" : "progress", id, data: upgrade(progress) };
      }
    }
    return replyEvents(c.req.raw, events, onFault, services.heartbeat);
  });
  return app;
}

/** Publishes a pool, and starts the upgrade of the results under it without waiting for its end. */
export async function publish(
  { store, upgrades }: Pick<Services, "store" | "upgrades">,
  { pool, disclosure }: PoolRequest,
  client: string | null,
) {
  const published = await store.publishPool(pool, { disclosure, client });
  upgrades.start(pool.poolKey);
  return published;
}

/** The public pool. @throws {ProblemError} `pool-unknown`, which nobody may cache. */
export async function requirePublic(
  { store }: Pick<Services, "store">,
  poolKey: string | undefined,
): Promise<PoolRecord> {
  const record = poolKey !== undefined && isHex64(poolKey) ? await store.pool(poolKey) : null;
  if (record === null) {
    throw new ProblemError("pool-unknown", "no pool with this key is public here");
  }
  return record;
}
