/** Problem details (RFC 9457), as they are sent, with what a URL gave last. */
import { z } from "zod";
import {
  outcomeSchema,
  outerReasonSchema,
  reportSchema,
  sha256,
  time,
  urlsSchema,
} from "./report.ts";
import { changeSchema } from "./result.ts";

export const linkedDocumentSchema = z.strictObject({
  id: sha256.nullable().describe("null: it is no document"),
  kind: reportSchema.shape.kind,
  urls: urlsSchema.nullable().describe("null: it is not stored here"),
}).meta({ id: "LinkedDocument", description: "A document that a URL gave" });

export const lastGivenSchema = z.strictObject({
  documents: z.array(linkedDocumentSchema),
  fetchedAt: time.describe("When the host last gave or confirmed them"),
  goneAt: time.nullable().describe("Since when the URL counts as gone"),
}).meta({ id: "LastGiven", description: "What a URL gave when it last gave something" });

export const problemSchema = z.strictObject({
  type: z.string().describe("A relative reference to a page that explains the problem"),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  reason: outerReasonSchema.optional()
    .describe("Why a document or pool was refused"),
  looksLike: z.string().optional().describe("What an input looks like that is no document"),
  pool: z.int().optional().describe("Index of the pool at fault"),
  parameter: z.string().optional().describe("Name of the query parameter at fault"),
  remoteStatus: z.int().optional().describe("What the host of a URL answered"),
  last: lastGivenSchema.optional(),
  removed: z.strictObject({
    id: sha256,
    kind: reportSchema.shape.kind,
    outcome: outcomeSchema.unwrap().describe("The last one"),
    why: z.enum(["retention", "deleted"]),
    removedAt: time,
    storedAt: time,
    history: z.array(changeSchema),
  }).optional().describe("What is left of a removed document"),
}).meta({ id: "Problem", description: "Problem details, RFC 9457" });

export type LastGiven = z.infer<typeof lastGivenSchema>;
