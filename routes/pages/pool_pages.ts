/** The pages about pools, and the form that publishes one. */
import { type Context, Hono } from "hono";
import { decodeUtf8, parseJson } from "../../lib/encoding/json.ts";
import { LIMITS } from "../../lib/protocol/limits.ts";
import { poolText } from "../../lib/protocol/pool.ts";
import type { ListedResult } from "../../lib/store/store.ts";
import { poolInfo, resultPage, upgrade } from "../api/representations.ts";
import { fieldBytes, readFields } from "../http/form.ts";
import type { Refusal } from "./views/pools.ts";
import { requireOwnOrigin } from "../http/origin.ts";
import { readPaging } from "../http/query.ts";
import {
  MAX_POOL_BYTES,
  type PoolRequest,
  readPoolRequest,
  requireDisclosure,
} from "../api/pool_request.ts";
import { publish, requirePublic } from "../api/pools.ts";
import { ProblemError, PROBLEMS } from "../http/problems.ts";
import { replyPage } from "./reply_page.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";

/** A form holds a pool, a statement, and what surrounds them. */
const MAX_FORM_BYTES = MAX_POOL_BYTES * 2;

export function poolPageRoutes(services: Services): Hono {
  const { store, upgrades, publicUrl, clientOf } = services;
  const app = new Hono();
  const site = (c: Context) => siteOf(publicUrl, c.req.url);

  async function listPage(c: Context, refusal: Refusal | null = null) {
    const { items, cursor } = await store.pools(refusal === null ? readPaging(c) : {});
    const { poolsPage } = await import("./views/pools.ts");
    return poolsPage(site(c), items.map((record) => poolInfo(site(c), record)), cursor, refusal);
  }

  app.get("/pools", async (c) => {
    return await replyPage(c, services, await listPage(c), { cache: "no-cache", etag: true });
  });

  app.post("/pools", requireOwnOrigin(publicUrl), async (c) => {
    try {
      const { request, confirmed } = await readPoolForm(c);
      const { poolKey } = request.pool;
      if (confirmed) {
        await publish(services, request, clientOf(c));
        return c.redirect(`${site(c).path}/pools/${poolKey}`, 303);
      }
      const preview = await store.previewPool(request.pool);
      const { previewPage } = await import("./views/pools.ts");
      const page = previewPage(site(c), preview, poolText(request.pool), request.disclosure);
      return await replyPage(c, services, page);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { status, title } = PROBLEMS[error.code];
      const refusal = { title, detail: error.message, reason: error.extra.reason };
      const options = { status, retryAfter: error.retryAfter };
      return await replyPage(c, services, await listPage(c, refusal), options);
    }
  });

  app.get("/pools/:poolKey", async (c) => {
    const record = await requirePublic(services, c.req.param("poolKey"));
    const { poolKey, pool } = record;
    const page = await store.results({ by: "pool", poolKey }, readPaging(c));
    const progress = await store.upgradeProgress(poolKey);
    // Whoever looks at it drives it, should it have been left behind.
    if (progress !== null && !progress.done) upgrades.start(poolKey);
    const { poolPage } = await import("./views/pools.ts");
    const { items: rows, cursor } = resultPage(site(c), page);
    const view = {
      info: poolInfo(site(c), record),
      pool,
      upgrade: progress === null ? null : upgrade(progress),
      rows,
      cursor,
      stated: await statedBy(poolKey, page.items),
    };
    return await replyPage(c, services, poolPage(site(c), view));
  });

  /** Those of the listed results' issuers who signed that they disclosed the pool. */
  async function statedBy(
    poolKey: string,
    items: readonly ListedResult[],
  ): Promise<ReadonlySet<string>> {
    const keys = new Set(
      items.flatMap((item) => item.state === "current" ? item.result.issuer?.publicKey ?? [] : []),
    );
    const stated = await Promise.all([...keys].map(async (key) => {
      return await store.disclosure(poolKey, key) === null ? [] : [key];
    }));
    return new Set(stated.flat());
  }
  return app;
}

async function readPoolForm(c: Context): Promise<{ request: PoolRequest; confirmed: boolean }> {
  const data = await readFields(c, MAX_FORM_BYTES);
  const bytes = await fieldBytes(data, "pool", "poolFile");
  if (bytes === null) throw new ProblemError("form-malformed", "paste a pool or choose a file");
  let request = await readPoolRequest(bytes);
  const statement = await fieldBytes(data, "disclosure", "disclosureFile");
  if (statement !== null) {
    const text = decodeUtf8(statement);
    const parsed = text === null ? null : parseJson(text, LIMITS.depth);
    const disclosure = await requireDisclosure(request.pool, parsed?.ok ? parsed.value : null);
    request = { ...request, disclosure };
  }
  return { request, confirmed: data.get("action") === "publish" };
}
