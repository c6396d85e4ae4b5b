/** The pages about pools, and the form that publishes one. */
import { type Context, Hono } from "hono";
import { decodeUtf8, parseJson } from "../../lib/encoding/json.ts";
import { LIMITS } from "../../lib/protocol/limits.ts";
import { poolText } from "../../lib/protocol/pool.ts";
import type { ListedResult, Store } from "../../lib/store/store.ts";
import {
  MAX_POOL_BYTES,
  type PoolRequest,
  readPoolRequest,
  requireDisclosure,
} from "../api/pool_request.ts";
import { publish, requirePublic } from "../api/pools.ts";
import { poolInfo, resultPage, upgrade } from "../api/representations.ts";
import { fieldBytes, readFields } from "../http/form.ts";
import { requireOwnOrigin } from "../http/origin.ts";
import { ProblemError, PROBLEMS } from "../http/problems.ts";
import { readPaging } from "../http/query.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";
import { replyPage, REVALIDATED } from "./reply_page.ts";
import type { Page } from "./views/layout.tsx";
import type { Refusal } from "./views/pools.tsx";

/** A form holds a pool, a statement, and what surrounds them. */
const MAX_FORM_BYTES = MAX_POOL_BYTES * 2;

/** Routes of the pages about pools. */
export function poolPageRoutes(services: Services): Hono {
  const app = new Hono();
  app.get("/pools", (c) => showPools(c, services));
  app.post("/pools", requireOwnOrigin(services.publicUrl), (c) => takePool(c, services));
  app.get("/pools/:poolKey", (c) => showPool(c, services, c.req.param("poolKey")));
  return app;
}

async function showPools(c: Context, services: Services): Promise<Response> {
  return await replyPage(c, services, await listPage(c, services, null), REVALIDATED);
}

/** The list of public pools; from its start where the form was refused, as the form has no cursor. */
async function listPage(c: Context, services: Services, refusal: Refusal | null): Promise<Page> {
  const site = siteOf(services.publicUrl, c.req.url);
  const { items, cursor } = await services.store.pools(refusal === null ? readPaging(c) : {});
  const { poolsPage } = await import("./views/pools.tsx");
  const pools = items.map((record) => poolInfo(site, record));
  return poolsPage(site, { pools, cursor, refusal });
}

/** `POST /pools`: publishes the pool where that was confirmed, and otherwise shows what it would do. */
async function takePool(c: Context, services: Services): Promise<Response> {
  try {
    const { request, isConfirmed } = await readPoolForm(c);
    return isConfirmed
      ? await publishPool(c, services, request)
      : await previewPool(c, services, request);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { status, title } = PROBLEMS[error.code];
    const refusal = { title, detail: error.message, reason: error.extra.reason };
    const options = { status, retryAfter: error.retryAfter };
    return await replyPage(c, services, await listPage(c, services, refusal), options);
  }
}

async function publishPool(
  c: Context,
  services: Services,
  request: PoolRequest,
): Promise<Response> {
  await publish(services, request, services.clientOf(c));
  const { path } = siteOf(services.publicUrl, c.req.url);
  return c.redirect(`${path}/pools/${request.pool.poolKey}`, 303);
}

async function previewPool(
  c: Context,
  services: Services,
  { pool, disclosure }: PoolRequest,
): Promise<Response> {
  const { previewPage } = await import("./views/pool_preview.tsx");
  const page = previewPage(siteOf(services.publicUrl, c.req.url), {
    preview: await services.store.previewPool(pool),
    text: poolText(pool),
    disclosure: disclosure &&
      { publicKey: disclosure.publicKey, signature: disclosure.signature },
  });
  return await replyPage(c, services, page);
}

async function showPool(c: Context, services: Services, asked: string): Promise<Response> {
  const { store, upgrades, publicUrl } = services;
  const site = siteOf(publicUrl, c.req.url);
  const record = await requirePublic(services, asked);
  const { poolKey, pool } = record;
  const listed = await store.results({ by: "pool", poolKey }, readPaging(c));
  const progress = await store.upgradeProgress(poolKey);
  // A visit takes the upgrade up again, should the process that began it have ended.
  if (progress !== null && !progress.done) upgrades.start(poolKey);
  const { poolPage } = await import("./views/pool.tsx");
  const { items: rows, cursor } = resultPage(site, listed);
  const page = poolPage(site, {
    info: poolInfo(site, record),
    pool,
    upgrade: progress === null ? null : upgrade(progress),
    rows,
    cursor,
    stated: await statedBy(store, poolKey, listed.items),
  });
  return await replyPage(c, services, page);
}

/** Those of the listed results' issuers, by whole public key, who signed that they disclosed the pool. */
async function statedBy(
  store: Store,
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

async function readPoolForm(c: Context): Promise<{ request: PoolRequest; isConfirmed: boolean }> {
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
  return { request, isConfirmed: data.get("action") === "publish" };
}
