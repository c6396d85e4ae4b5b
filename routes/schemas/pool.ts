/** Pools, their publication and what came of it, as they are sent. */
import { z } from "zod";
import { envelopeSchema, sha256, time } from "./report.ts";
import { cursor, disclosedPoolSchema, rowSchema } from "./result.ts";

const count = z.int().min(0);

export const poolSchema = z.object({
  protocol: z.literal("clankdar-holdout-v1"),
  suite: z.string(),
  poolKey: sha256,
  cells: z.array(z.object({ family: z.string(), tier: z.int(), label: z.string() })),
}).meta({ id: "Pool", description: "A disclosed pool" });

export const bundleSchema = z.object({
  documents: z.array(envelopeSchema).max(100),
  pools: z.array(poolSchema).max(64).optional(),
}).meta({ id: "Bundle", description: "Documents with the pools to check them with" });

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

export type PoolInfo = z.infer<typeof poolInfoSchema>;
export type Upgrade = z.infer<typeof upgradeSchema>;
export type PoolDryRun = z.infer<typeof poolDryRunSchema>;
export type PoolPublished = z.infer<typeof poolPublishedSchema>;
