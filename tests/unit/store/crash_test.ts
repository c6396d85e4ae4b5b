import assert from "node:assert/strict";
import { documentId, type Envelope } from "../../../lib/protocol/envelope.ts";
import type { Row } from "../../../lib/store/row.ts";
import type { Store } from "../../../lib/store/store.ts";
import {
  forged,
  hollow,
  honest,
  type Minted,
  open,
  outcomeOf,
  poolOf,
  watched,
  withKv,
} from "../../support/store_fixtures.ts";

const POOL = poolOf("crash");
const HOUR_MS = 3_600_000;

/** Larger than what one commit holds, once compressed: 1 MiB of noise in base64. */
async function large(): Promise<Minted> {
  const bytes = new Uint8Array(700_000);
  for (let at = 0; at < bytes.length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(bytes.length, at + 65_536)));
  }
  const payload = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const envelope: Envelope = { protocol: "clankdar-gate-v1", payload, signature: "" };
  return { id: await documentId(envelope), envelope };
}

const DOCUMENTS: Minted[] = [
  await honest(POOL),
  await forged(POOL),
  await large(),
  await hollow(POOL),
];
const AFTER = ["verified", "invalid", "invalid", "invalid"];

/** What a client was told before the power went. */
interface Acknowledged {
  stored: Set<string>;
  published: boolean;
}

async function work(store: Store, told: Acknowledged): Promise<void> {
  for (const { id, envelope } of DOCUMENTS) {
    const kept = await store.keep(envelope);
    assert.ok(kept.ok);
    told.stored.add(id);
  }
  await store.publishPool(POOL);
  told.published = true;
  const run = await store.runUpgrade(POOL.poolKey);
  assert.equal(run.ended, "done");
}

async function count(kv: Deno.Kv, prefix: Deno.KvKey): Promise<number> {
  let n = 0;
  for await (const _ of kv.list({ prefix })) n++;
  return n;
}

/** Everything that must hold after a restart, whatever happened before. */
async function checkInvariants(kv: Deno.Kv, told: Acknowledged): Promise<void> {
  // Past every lease, and past the time that an upload may take.
  const clock = () => Date.now() + 2 * HOUR_MS;
  const store = open(kv, { clock });
  const published = await store.pool(POOL.poolKey) !== null;
  assert.ok(published || !told.published);
  const stored: Minted[] = [];
  for (const [n, minted] of DOCUMENTS.entries()) {
    const outcome = await outcomeOf(store, minted.id);
    const bytes = await store.document(minted.id);
    assert.equal(outcome === "unknown", bytes === null);
    assert.ok(outcome !== "unknown" || !told.stored.has(minted.id), "an acknowledged one is lost");
    if (outcome === "unknown") continue;
    stored.push(minted);
    if (published) assert.equal(outcome, AFTER[n]);
    else assert.equal(outcome, ["issuer-claimed", "issuer-claimed", "invalid", "verified"][n]);
  }
  let chunks = 0;
  for await (const { value } of kv.list<Row>({ prefix: ["result"] })) {
    chunks += value.content.chunks;
  }
  await store.gc();
  assert.equal(await count(kv, ["document-chunk"]), chunks);
  assert.equal(await count(kv, ["upload"]), 0);
  const stats = await store.stats();
  assert.equal(stats.documents, stored.length);
  assert.equal((await store.results({ by: "recent" })).items.length, stored.length);

  const named = (await store.results({ by: "pool", poolKey: POOL.poolKey })).items.length;
  if (published) {
    for (const poolKey of await store.pendingUpgrades()) await store.runUpgrade(poolKey);
    const progress = (await store.upgradeProgress(POOL.poolKey))!;
    const { done, upgraded, exposed, unchanged, unfinished, scanned } = progress;
    assert.deepEqual([done, unfinished, scanned], [true, 0, named]);
    // All were stored before the publication, so each counts.
    assert.deepEqual([upgraded, exposed, unchanged], [1, 2, 0]);
    for (const { id } of [DOCUMENTS[0]!, DOCUMENTS[1]!, DOCUMENTS[3]!]) {
      assert.equal((await store.history(id)).length, 1);
    }
    assert.equal((await store.feed()).items.length, 3);
  }
  assert.deepEqual(await store.pendingUpgrades(), []);

  // The client that wasn't told asks again.
  const again: Acknowledged = { stored: new Set(), published: false };
  await work(store, again);
  for (const [n, { id }] of DOCUMENTS.entries()) assert.equal(await outcomeOf(store, id), AFTER[n]);
  assert.equal((await store.stats()).documents, DOCUMENTS.length);
}

for (const [when, lost] of [["before", false], ["after", true]] as const) {
  Deno.test(`power cut ${when} each operation of storing, publishing and upgrading`, async () => {
    let survived = false;
    for (let point = 1; !survived; point++) {
      await withKv(async (kv) => {
        const told: Acknowledged = { stored: new Set(), published: false };
        let n = 0;
        const off = watched(kv, (operation) => {
          if (lost && operation !== "commit") return;
          if (++n >= point) throw new Error("power cut");
        }, lost);
        try {
          await work(open(off), told);
          survived = true;
        } catch {
          assert.ok(n >= point);
        }
        await checkInvariants(kv, told);
      });
      assert.ok(point < 200);
    }
  });
}
