/** Moving stores: one JSON line a record. */
import { z } from "zod";
import { sha256Hex } from "../encoding/digest.ts";
import { isHex64 } from "../encoding/hex.ts";
import { parseJson } from "../encoding/json.ts";
import { canonicalEnvelope, readEnvelope } from "../protocol/envelope.ts";
import { LIMITS } from "../protocol/limits.ts";
import { poolsNamed } from "../verify/intake.ts";
import { shapeFault } from "../protocol/shape.ts";
import { revisionOf } from "../verify/version.ts";
import { readPool } from "../protocol/pool.ts";
import { readContent } from "./content.ts";
import type { Database } from "../kv/database.ts";
import { readRow } from "./results.ts";
import { addDocument } from "./storing.ts";
import type { StoreContext } from "./context.ts";
import { counterKey, historyKey, poolKeyAt, resultKey, tombstoneKey } from "./keys.ts";
import { decodeCursor, encodeCursor } from "./page.ts";
import { isRemovedPool } from "./pool_removal.ts";
import { verifyDisclosure } from "../protocol/disclosure.ts";
import { enterDisclosure, enterPool } from "./publish.ts";
import { isWhole } from "./row.ts";
import type { StoredPool } from "./pools.ts";
import {
  damaged,
  type DisclosureRecord,
  type Exported,
  type ExportRecord,
  type HistoryEntry,
  type Imported,
  StoreError,
  type Tombstone,
} from "./store.ts";

/** Entries of an imported history: they share a commit with the document. */
const MAX_HISTORY = 256;

const OUTCOME = z.enum(["verified", "issuer-claimed", "invalid"]);
const KIND = z.enum(["receipt", "admission", "dossier", "tlog", "run", "unknown"]);
const CODE = z.string().max(100);
const TIME = z.int().min(0).max(8.64e15);
const HASH = z.string().refine(isHex64, "a SHA-256 in hex is needed");

const historyEntry = z.strictObject({
  at: TIME,
  from: OUTCOME,
  to: OUTCOME,
  poolKey: HASH.nullable(),
  exposed: z.boolean(),
  reason: CODE.nullable(),
  inner: CODE.nullable(),
  // A text in exports of before there were revisions.
  verifierVersion: z.union([z.int().min(0), CODE]).transform(revisionOf),
  imported: z.boolean(),
});
const history = z.array(historyEntry).max(MAX_HISTORY);

const recordSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("pool"),
    file: z.string().max(LIMITS.poolBytes),
    suiteVersion: CODE,
    firstSeen: TIME,
  }),
  z.strictObject({
    type: z.literal("disclosure"),
    poolKey: HASH,
    publicKey: CODE,
    signature: CODE,
    at: TIME,
  }),
  z.strictObject({
    type: z.literal("document"),
    id: HASH,
    storedAt: TIME,
    outcome: OUTCOME,
    document: z.string(),
    history,
  }),
  z.strictObject({
    type: z.literal("tombstone"),
    id: HASH,
    why: z.enum(["retention", "deleted"]),
    removedAt: TIME,
    storedAt: TIME,
    kind: KIND,
    outcome: OUTCOME,
    changes: z.int().min(0).max(MAX_HISTORY),
    history,
  }),
]);

/** The history of a document, oldest first. */
export async function readHistory(
  { db }: Pick<StoreContext, "db">,
  id: string,
): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const { value } of db.scan<HistoryEntry>(["history", id])) {
    entries.push({ ...value, verifierVersion: revisionOf(value.verifierVersion) });
  }
  return entries;
}

const CURSOR = "export";

/** The parts of an export, in order: pools first, so that an import needs no upgrade. */
const PARTS: readonly {
  prefix: string;
  record(db: Database, entry: Deno.KvEntry<unknown>): Promise<ExportRecord | null> | ExportRecord;
}[] = [
  {
    prefix: "pool",
    record: (_, { value }) => {
      const { file, suiteVersion, firstSeen } = value as StoredPool;
      return { type: "pool", file, suiteVersion, firstSeen };
    },
  },
  {
    prefix: "disclosure",
    record: (_, { value }) => ({ type: "disclosure", ...(value as DisclosureRecord) }),
  },
  { prefix: "result", record: (db, { key, value }) => exportDocument(db, key, value) },
  {
    prefix: "tombstone",
    record: async (db, { value }) => {
      const tombstone = value as Tombstone;
      return { type: "tombstone", ...tombstone, history: await readHistory({ db }, tombstone.id) };
    },
  },
];

async function exportDocument(
  db: Database,
  key: Deno.KvKey,
  row: unknown,
): Promise<ExportRecord | null> {
  const id = String(key[1]);
  if (!isWhole(row)) throw damaged(id);
  const { storedAt, outcome, content } = row;
  const bytes = await readContent(db, id, content);
  // Removed since the list was read.
  if (bytes === null) return null;
  const document = new TextDecoder().decode(bytes);
  const history = await readHistory({ db }, id);
  return { type: "document", id, storedAt, outcome, document, history };
}

/** See `Store.exportLines`. */
export async function* exportRecords(
  { db }: StoreContext,
  after?: string,
): AsyncGenerator<Exported> {
  const [part, start] = after === undefined ? [0, undefined] : readAfter(after);
  for (const [index, { prefix, record }] of PARTS.entries()) {
    if (index < part) continue;
    const scan = db.scan<unknown>([prefix], {
      after: index === part ? start : undefined,
      batch: 50,
    });
    for await (const entry of scan) {
      const exported = await record(db, entry);
      if (exported === null) continue;
      const tail = JSON.stringify(entry.key.slice(1));
      yield { record: exported, after: encodeCursor(CURSOR, [index, tail]) };
    }
  }
}

function readAfter(after: string): [number, Deno.KvKey] {
  const [part, tail] = decodeCursor(CURSOR, after, ["number", "string"]);
  const prefix = PARTS[Number(part)]?.prefix;
  const parsed = parseJson(String(tail));
  const strings = z.array(z.string()).min(1).max(2).safeParse(parsed.ok ? parsed.value : null);
  if (prefix === undefined || !strings.success) {
    throw new StoreError("cursor-malformed", "the cursor isn't one of an export");
  }
  return [Number(part), [prefix, ...strings.data]];
}

/** See `Store.importLine`. */
export async function importRecord(context: StoreContext, value: unknown): Promise<Imported> {
  const parsed = recordSchema.safeParse(value);
  if (!parsed.success) {
    const { message, path } = shapeFault(parsed.error, "", value);
    return { ok: false, code: "record-malformed", message: `${path || "record"}: ${message}` };
  }
  const record = parsed.data;
  const now = context.clock();
  switch (record.type) {
    case "pool": {
      const read = readPool(textToJson(record.file));
      if (!read.ok) return { ok: false, code: read.reason.code, message: read.reason.message };
      // The file doesn't commit to the version, so it is no importer's to choose (protocols spec 8.2).
      if (read.pool.suiteVersion !== record.suiteVersion) {
        const message = `suite ${read.pool.suite} is not ${record.suiteVersion}`;
        return { ok: false, code: "pool-suite-unknown", message };
      }
      if (await isRemovedPool(context.db, read.pool.poolKey)) {
        const message = "the operator removed this pool; publish it to have it again";
        return { ok: false, code: "pool-removed", message };
      }
      const firstSeen = Math.min(record.firstSeen, now);
      const { created } = await enterPool(context, read.pool, {
        source: "imported",
        firstSeen,
        client: null,
      });
      return { ok: true, type: record.type, created };
    }
    case "disclosure":
      return await importDisclosure(context, record);
    case "document":
      return await importDocument(context, record, now);
    case "tombstone":
      return await importTombstone(context.db, record);
  }
}

async function importDisclosure(
  context: StoreContext,
  { type, ...disclosure }: Extract<ExportRecord, { type: "disclosure" }>,
): Promise<Imported> {
  // A statement about a pool that isn't public says nothing.
  if ((await context.db.get(poolKeyAt(disclosure.poolKey))).value === null) {
    return { ok: false, code: "pool-unknown", message: "the statement's pool isn't here" };
  }
  const verified = await verifyDisclosure(disclosure.poolKey, disclosure);
  if (verified === null) {
    const message = "the statement isn't signed by the key that it names";
    return { ok: false, code: "disclosure-invalid", message };
  }
  return { ok: true, type, created: await enterDisclosure(context, verified, disclosure.at) };
}

async function importDocument(
  context: StoreContext,
  record: Extract<ExportRecord, { type: "document" }>,
  now: number,
): Promise<Imported> {
  const { type, id, document, storedAt, outcome } = record;
  const bytes = new TextEncoder().encode(document);
  const envelope = readEnvelope(textToJson(document));
  if (sha256Hex(bytes) !== id || envelope === null || canonicalEnvelope(envelope) !== document) {
    const message = "the document isn't the canonical text that its id is the hash of";
    return { ok: false, code: "hash-mismatch", message };
  }
  if (await readRow(context.db, id) !== null) return { ok: true, type, created: false };
  const created = await addDocument(context, { id, bytes, poolKeys: poolsNamed(envelope) }, {
    storedAt: Math.min(storedAt, now),
    imported: true,
    outcome,
    // Nothing there happened later than now.
    history: record.history.map((entry) => ({
      ...entry,
      at: Math.min(entry.at, now),
      imported: true,
    })),
  });
  switch (created.state) {
    case "created":
      return { ok: true, type, created: true };
    case "known":
      return { ok: true, type, created: false };
    default: {
      const message = created.report.reason?.message ?? "no outcome";
      return { ok: false, code: REFUSALS[created.state], message };
    }
  }
}

const REFUSALS = {
  unfinished: "check-unfinished",
  "too-large": "document-too-large",
  unrecognised: "document-unrecognised",
} as const;

async function importTombstone(
  db: Database,
  { type, history, ...tombstone }: Extract<ExportRecord, { type: "tombstone" }>,
): Promise<Imported> {
  const { id } = tombstone;
  if (history.length !== tombstone.changes) {
    return { ok: false, code: "record-malformed", message: "changes: not the history's length" };
  }
  const commit = await db.commit((operation) => {
    operation.check({ key: resultKey(id), versionstamp: null })
      .check({ key: tombstoneKey(id), versionstamp: null })
      .set(tombstoneKey(id), tombstone)
      .sum(counterKey("tombstones-in"), 1n);
    for (const [n, entry] of history.entries()) {
      operation.set(historyKey(id, n), { ...entry, imported: true });
    }
  });
  return { ok: true, type, created: commit.ok };
}

function textToJson(text: string): unknown {
  const parsed = parseJson(text, LIMITS.depth);
  return parsed.ok ? parsed.value : undefined;
}
