/**
 * The answers of the HTTP API as schemas: the API description is generated from them, and tests
 * hold real answers against them. Source: design.md, "The report".
 */
import { z } from "zod";
import { REQUIREMENTS } from "../lib/verify/acceptance.ts";
import type { Reason } from "../lib/verify/report.ts";

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const time = z.iso.datetime({ precision: 3 });

const reasonFields = {
  code: z.string().describe(
    "Stable, kebab-case: the first failing check in the specification's order",
  ),
  message: z.string().describe("For people"),
  path: z.string().describe("Where, for instance receipts[2]; empty for the document as a whole"),
};

export const reasonSchema: z.ZodType<Reason> = z.strictObject({
  ...reasonFields,
  inner: z.lazy(() => reasonSchema).optional(),
}).meta({ id: "Reason", description: "Why a check failed, or could not be finished" });

export const checkSchema = z.strictObject({
  check: z.string(),
  status: z.enum(["ok", "failed", "skipped"]),
}).meta({
  id: "Check",
  description: "One check that was run or not, in the order of the specification",
});

export const outcomeSchema = z.enum(["verified", "issuer-claimed", "invalid"]).nullable();

export const issuerSchema = z.strictObject({
  publicKey: z.string().describe("The identity: 32 bytes, base64url"),
  keyId: z.string().describe("A label for people, never an identity"),
  name: z.string().optional().describe("Present for an issuer that this service knows"),
}).meta({ id: "Issuer", description: "Whose signature holds" });

export const urlsSchema = z.strictObject({
  page: z.url(),
  svg: z.url(),
  png: z.url(),
  json: z.url(),
});

export const countsSchema = z.strictObject({
  challenges: z.int().min(0),
  answered: z.int().min(0),
  passed: z.int().min(0).describe("Unreplayed passes included"),
  required: z.int().min(0).describe("Passes that the policy asks for"),
  unreplayed: z.int().min(0).describe("Receipts that rest on the issuer's word alone"),
  replayedPasses: z.int().min(0).describe("Passes that replay alone establishes"),
  formatOnly: z.int().min(0).describe("Right answers in the wrong shape; no passes"),
}).meta({ id: "Counts", description: "Sums over the receipts of a document" });

export const receiptSchema = z.strictObject({
  challengeId: z.string(),
  cell: z.string().describe("family:tN, or h:family:tN when held out"),
  seed: z.int().nullable(),
  response: z.string().nullable(),
  expected: z.string().nullable(),
  pass: z.boolean().nullable(),
  formatOnly: z.boolean(),
  outcome: z.enum(["verified", "issuer-claimed", "invalid", "unanswered"]).nullable(),
  reason: reasonSchema.nullable(),
  checks: z.array(checkSchema),
}).meta({ id: "Receipt", description: "One challenge, with the receipt that answers it" });

const rowKeys = z.array(z.string()).describe("Keys of rows: family:tN:sSEED");

export const runSchema = z.strictObject({
  adapter: z.string().describe("Who answered, as the run says"),
  runId: z.string().nullable().describe(
    "This and the next two are null for a run without manifest",
  ),
  suite: z.string().nullable(),
  suiteHash: sha256.nullable(),
  tally: z.strictObject({
    total: z.int().min(0),
    n: z.int().min(0).describe("Rows without an error"),
    errors: z.int().min(0),
    passed: z.int().min(0).describe("Rescored"),
    strict: z.number().nullable().describe("passed / n"),
    interval95: z.tuple([z.number(), z.number()]).nullable().describe("Wilson interval of strict"),
    finalAnswerMatches: z.int().min(0),
    finalAnswer: z.number().nullable(),
    formatOnly: z.int().min(0),
  }),
  replayedPasses: z.int().min(0),
  unreplayed: z.int().min(0).describe("Rows whose puzzle was not regenerated"),
  lostPasses: rowKeys,
  gainedPasses: rowKeys,
  notReplayed: z.array(z.strictObject({ row: z.string(), reason: z.string() }))
    .describe("Rows regenerated of which no transcript was replayed"),
  cells: z.array(z.strictObject({
    cell: z.string(),
    rows: z.int(),
    passed: z.int(),
    formatOnly: z.int(),
    replayed: z.int(),
    unaided: z.int(),
    errors: z.int(),
  })),
}).meta({ id: "Run", description: "A benchmark run's rows, rescored" });

export const acceptanceSchema = z.strictObject({
  accepted: z.boolean(),
  failed: z.array(z.enum(REQUIREMENTS)).describe(
    "What isn't met, in this order; invalid also stands for a check that came to no outcome",
  ),
}).meta({
  id: "Acceptance",
  description: "Whether a document meets the requirements of the query. It never changes the " +
    "outcome, and doesn't ask for a pass",
});

export const reportSchema = z.strictObject({
  id: sha256.nullable().describe(
    "SHA-256 of the canonical JSON of {payload, protocol, signature}; of a run, of its bytes",
  ),
  kind: z.enum(["receipt", "admission", "dossier", "tlog", "run", "unknown"]),
  outcome: outcomeSchema.describe("null: the check could not be finished"),
  verdict: z.enum(["pass", "fail"]).nullable().describe(
    "null when invalid, not finished, or a run",
  ),
  counts: countsSchema.nullable(),
  reason: reasonSchema.nullable(),
  observations: z.array(z.string()).describe("Worth knowing; they never change the outcome"),
  issuer: issuerSchema.nullable(),
  suite: z.string().nullable(),
  policy: z.strictObject({
    suite: z.string(),
    cells: z.array(z.string()),
    challenges: z.int(),
    minPass: z.int(),
    ttlSeconds: z.int(),
  }).optional(),
  sessionId: z.string().optional(),
  context: z.string().optional(),
  subject: z.string().optional(),
  subjectKey: z.string().optional(),
  expiresAt: z.string().optional(),
  decidedAt: z.string().optional(),
  pools: z.array(z.strictObject({ poolKey: z.string(), disclosed: z.boolean() })),
  evaluator: z.strictObject({
    pinned: sha256,
    used: sha256,
    official: z.boolean().describe("Whether ALGAL's official module decided"),
  }).nullable(),
  checks: z.array(checkSchema),
  receipts: z.array(receiptSchema),
  looksLike: z.string().optional().describe("Of a thing that is no receipt: what it looks like"),
  run: runSchema.optional(),
  acceptance: acceptanceSchema.optional().describe("Present when requirements were given"),
}).meta({ id: "Report", description: "What was found out about one document" });

export const changeSchema = z.strictObject({
  at: time,
  from: outcomeSchema.unwrap(),
  to: outcomeSchema.unwrap(),
  poolKey: sha256.nullable()
    .describe("The disclosed pool that brought the change; null: a newer verifier did"),
  exposed: z.boolean().describe("Whether that pool contradicts the document"),
  reason: z.string().nullable().describe("Code of the new result's reason"),
  inner: z.string().nullable().describe("Code of the nested check that failed"),
  verifierVersion: z.string(),
  imported: z.boolean().describe("Another store's record, taken over: its word only"),
}).meta({ id: "Change", description: "One change of a document's outcome" });

export const summarySchema = z.strictObject({
  documents: z.int().min(0),
  verified: z.int().min(0),
  issuerClaimed: z.int().min(0),
  invalid: z.int().min(0),
  unfinished: z.int().min(0),
  passed: z.int().min(0).describe("This and the next two leave out invalid documents"),
  challenges: z.int().min(0),
  unreplayed: z.int().min(0),
}).meta({ id: "Summary", description: "Sums over the reports of one request" });

export const verificationSchema = z.strictObject({
  results: z.array(reportSchema).describe("One a document, in order"),
  summary: summarySchema,
}).meta({ id: "Verification", description: "Reports on what was sent" });

export const envelopeSchema = z.object({
  payload: z.string(),
  protocol: z.string(),
  signature: z.string(),
}).meta({ id: "Envelope", description: "A signed document: a receipt or an admission" });

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
  reason: z.strictObject(reasonFields).optional()
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

export const shieldsSchema = z.strictObject({
  schemaVersion: z.literal(1),
  label: z.string(),
  message: z.string(),
  color: z.string(),
  labelColor: z.string(),
  isError: z.literal(true).optional(),
  cacheSeconds: z.int(),
}).meta({ id: "ShieldsBadge", description: "A badge for the shields.io endpoint" });

export const healthSchema = z.strictObject({ status: z.literal("ok"), version: z.string() })
  .meta({ id: "Health", description: "The service runs" });
