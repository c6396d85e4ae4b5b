/**
 * Reports as they are sent. The schemas of this folder are the shapes on the wire: the API
 * description is made from them, and tests compare real responses with them. Source:
 * docs/architecture.md, "The report".
 */
import { z } from "zod";
import { envelopeSchema as envelopeMembersSchema } from "../../lib/protocol/envelope.ts";
import { policyMembersSchema } from "../../lib/protocol/policy.ts";
import { REQUIREMENTS } from "../../lib/trust/acceptance.ts";
import type { ReasonCode } from "../../lib/protocol/codes.ts";
import type { Reason } from "../../lib/verify/report.ts";

/** A SHA-256 in lower-case hex. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** ISO 8601 with milliseconds. */
export const time = z.iso.datetime({ precision: 3 });

const reasonFields = {
  // Not an enumeration: a newer version may have more codes, and a client of this one reads them.
  code: z.string().describe(
    "Stable, kebab-case: the first failing check in the specification's order",
  ) as unknown as z.ZodType<ReasonCode>,
  message: z.string().describe("For people"),
  path: z.string().describe("Where, for instance receipts[2]; empty for the document as a whole"),
};

/** A reason without the one inside it. */
export const outerReasonSchema = z.strictObject(reasonFields);

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

/** Where a stored result is shown. */
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
  policy: policyMembersSchema.optional(),
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

export const verifierVersionSchema = z.int().min(0)
  .describe(
    "The verifier's revision, which is raised when results can change; 0: before there were any",
  );

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

export const envelopeSchema = envelopeMembersSchema.meta({
  id: "Envelope",
  description: "A signed document: a receipt or an admission",
});
