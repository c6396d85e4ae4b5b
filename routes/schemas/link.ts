/** What is remembered of a URL, as it is sent. */
import { z } from "zod";
import { linkedDocumentSchema, problemSchema } from "./problem.ts";
import { sha256, time } from "./report.ts";

export const linkEventSchema = z.strictObject({
  at: time,
  what: z.enum(["first", "changed", "gone", "back"]),
  ids: z.array(sha256.nullable()).describe("The documents from then on, at most 10 of them"),
  documents: z.int().min(0).describe("Their number"),
}).meta({ id: "LinkEvent", description: "One change of what a URL gives" });

export const linkSchema = z.strictObject({
  url: z.string().describe("Without what may be secret: the query is shown as ?…"),
  state: z.enum(["fresh", "stale", "failing", "gone"]).describe(
    "failing: the last look brought nothing, and the documents are from before. gone: the host " +
      "has said for five minutes and more that there is no such file",
  ),
  documents: z.array(linkedDocumentSchema).describe("Of the last good answer"),
  fetchedAt: time.nullable()
    .describe("When the host last gave or confirmed them; null: it never gave any"),
  age: z.int().min(0).nullable().describe("Seconds since then"),
  goneAt: time.nullable(),
  changed: z.boolean().describe("Whether this look brought other documents than the one before"),
  problem: problemSchema.nullable().describe("Why the last look brought nothing"),
  history: z.array(linkEventSchema).describe("What changed, oldest first; the last 50"),
}).meta({ id: "Link", description: "What is known of a URL" });

export type Link = z.infer<typeof linkSchema>;
