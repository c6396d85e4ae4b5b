/** Stored results, their lists and the feed, as they are sent. */
import { z } from "zod";
import {
  countsSchema,
  issuerSchema,
  outcomeSchema,
  reasonSchema,
  reportSchema,
  sha256,
  time,
  urlsSchema,
  verifierVersionSchema,
} from "./report.ts";

const count = z.int().min(0);
const outcome = outcomeSchema.unwrap();

/** Where a list goes on. */
export const cursor = z.string().nullable()
  .describe("Opaque; asks for the next page; null: there is none");

export const changeSchema = z.strictObject({
  at: time,
  from: outcomeSchema.unwrap(),
  to: outcomeSchema.unwrap(),
  poolKey: sha256.nullable()
    .describe("The disclosed pool that brought the change; null: a newer verifier did"),
  exposed: z.boolean().describe("Whether that pool contradicts the document"),
  reason: z.string().nullable().describe("Code of the new result's reason"),
  inner: z.string().nullable().describe("Code of the nested check that failed"),
  verifierVersion: verifierVersionSchema,
  imported: z.boolean().describe("Another store's record, taken over: its word only"),
}).meta({ id: "Change", description: "One change of a document's outcome" });

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

export type Change = z.infer<typeof changeSchema>;
export type DisclosedPool = z.infer<typeof disclosedPoolSchema>;
export type Result = z.infer<typeof resultSchema>;
export type ResultRow = z.infer<typeof rowSchema>;
export type ResultPage = z.infer<typeof resultPageSchema>;
export type Feed = z.infer<typeof feedSchema>;
