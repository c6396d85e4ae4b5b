/**
 * Answers about stored results and public pools as schemas; as in {@link ./report_schemas.ts}. Their shapes
 * are public API: {@link ./answers.ts} makes them from what the store gives.
 */
import { z } from "zod";
import {
  changeSchema,
  countsSchema,
  issuerSchema,
  outcomeSchema,
  poolSchema,
  reasonSchema,
  reportSchema,
  sha256,
  time,
  urlsSchema,
  verifierVersionSchema,
} from "./report.ts";

const count = z.int().min(0);
const outcome = outcomeSchema.unwrap();
const cursor = z.string().nullable()
  .describe("Opaque; asks for the next page; null: there is none");

export const disclosedPoolSchema = z.strictObject({
  poolKey: sha256,
  firstSeen: time.describe("When this service first saw the pool"),
  source: z.enum(["shipped", "published", "imported"])
    .describe("imported: firstSeen is another store's word"),
  statement: z.strictObject({ publicKey: z.string(), signature: z.string(), at: time }).nullable()
    .describe("That the document's own issuer disclosed the pool, signed with that very key"),
}).meta({ id: "DisclosedPool", description: "A public pool that a document names" });

export const resultSchema = z.strictObject({
  id: sha256,
  state: z.enum(["current", "checking"])
    .describe("checking: being made again with a newer pool or verifier; ask again"),
  report: reportSchema.describe("While checking, one without an outcome"),
  storedAt: time.nullable().describe("This and checkedAt are null while checking"),
  checkedAt: time.nullable(),
  pools: z.array(disclosedPoolSchema),
  history: z.array(changeSchema)
    .describe("What was claimed before, oldest first; never erased"),
  urls: urlsSchema,
}).meta({ id: "Result", description: "A stored document's report, and where it is shown" });

const currentRowSchema = z.strictObject({
  id: sha256,
  state: z.literal("current"),
  kind: reportSchema.shape.kind,
  outcome,
  verdict: reportSchema.shape.verdict,
  counts: countsSchema.nullable(),
  reason: reasonSchema.nullable(),
  observations: z.array(z.string()),
  issuer: issuerSchema.nullable(),
  suite: z.string().nullable(),
  sessionId: z.string().nullable(),
  context: z.string().nullable(),
  subjectKey: z.string().nullable(),
  decidedAt: z.string().nullable(),
  pools: reportSchema.shape.pools,
  storedAt: time,
  checkedAt: time,
  verifierVersion: verifierVersionSchema,
  changes: count.describe("Number of entries of the history"),
  urls: urlsSchema,
});

const checkingRowSchema = z.strictObject({
  id: sha256,
  state: z.literal("checking"),
  urls: urlsSchema,
});

export const rowSchema = z.union([currentRowSchema, checkingRowSchema]).meta({
  id: "ResultRow",
  description: "A stored result in a list; of one that is being checked again there is only the id",
});

export const resultPageSchema = z.strictObject({ items: z.array(rowSchema), cursor })
  .meta({ id: "ResultPage", description: "Stored results, newest first" });

export const poolInfoSchema = z.strictObject({
  poolKey: sha256,
  suite: z.string(),
  suiteVersion: z.string(),
  cells: z.array(z.strictObject({
    cell: z.string().describe("family:tN"),
    mixZero: z.boolean()
      .describe("Its label leaves the published puzzles unchanged (label-mix-zero)"),
  })),
  firstSeen: time.describe("When this service first saw the pool"),
  source: disclosedPoolSchema.shape.source,
  urls: z.strictObject({ page: z.url(), file: z.url(), results: z.url(), upgrade: z.url() }),
}).meta({ id: "PoolInfo", description: "A public pool, without its labels" });

export const poolPageSchema = z.strictObject({ items: z.array(poolInfoSchema), cursor })
  .meta({ id: "PoolPage", description: "Public pools, newest first" });

export const upgradeSchema = z.strictObject({
  poolKey: sha256,
  done: z.boolean().describe("Whether the tally is final"),
  startedAt: time,
  finishedAt: time.nullable(),
  scanned: count.describe("Documents under the pool looked at so far"),
  upgraded: count.describe("Not verified before, verified now"),
  exposed: count.describe("The disclosed pool contradicts them"),
  unchanged: count,
  unfinished: count.describe("Their check came to no outcome so far: they say checking"),
}).meta({
  id: "Upgrade",
  description: "What became of the documents under a pool, as far as seen",
});

export const poolResultsSchema = z.strictObject({
  pool: poolInfoSchema,
  upgrade: upgradeSchema.nullable(),
  items: z.array(rowSchema),
  cursor,
}).meta({ id: "PoolResults", description: "A public pool and the results under it, newest first" });

export const disclosureSchema = z.strictObject({
  publicKey: z.string().describe("The issuer's key, base64url"),
  signature: z.string().describe(
    'Over canonical(["touchstone/disclosure/v1", poolKey, publicKey]), by that key',
  ),
}).meta({ id: "Disclosure", description: "An issuer's statement that it disclosed a pool" });

export const poolRequestSchema = z.strictObject({
  pool: poolSchema,
  disclosure: disclosureSchema.optional(),
}).meta({ id: "PoolRequest", description: "A pool with its issuer's statement" });

const notice = z.string().describe("That publishing is permanent and public");

export const poolDryRunSchema = z.strictObject({
  published: z.literal(false),
  poolKey: sha256,
  known: z.boolean().describe("The pool is public already"),
  upgraded: count,
  exposed: count,
  unchanged: count,
  upgradedIds: z.array(sha256).describe("At most 100"),
  exposedIds: z.array(sha256).describe("At most 100"),
  complete: z.boolean().describe("false: there are more documents than a dry run looks at"),
  notice,
  confirm: z.url().describe("Send the same body there to publish"),
}).meta({ id: "PoolDryRun", description: "What publishing a pool would do; nothing was kept" });

export const poolPublishedSchema = z.strictObject({
  published: z.literal(true),
  created: z.boolean().describe("false: the pool was public already"),
  disclosure: z.boolean().describe("Whether a new statement was kept"),
  pool: poolInfoSchema,
  upgrade: upgradeSchema.nullable(),
  notice,
}).meta({ id: "PoolPublished", description: "A pool that is public from now on" });

export const feedSchema = z.strictObject({
  version: z.literal("https://jsonfeed.org/version/1.1"),
  title: z.string(),
  description: z.string(),
  home_page_url: z.url(),
  feed_url: z.url(),
  next_url: z.url().optional(),
  language: z.string(),
  items: z.array(z.strictObject({
    id: z.string(),
    url: z.url(),
    title: z.string(),
    content_text: z.string(),
    date_published: time,
    tags: z.tuple([z.enum(["upgraded", "exposed"])]),
    _touchstone: z.strictObject({
      result: sha256,
      kind: reportSchema.shape.kind,
      from: outcome.nullable().describe("null: exposed on arrival"),
      to: outcome,
      poolKey: sha256,
      issuer: issuerSchema.nullable(),
      reason: z.string().nullable(),
      imported: changeSchema.shape.imported,
    }),
  })),
}).meta({ id: "Feed", description: "Upgrades and exposures, newest first (JSON Feed 1.1)" });
