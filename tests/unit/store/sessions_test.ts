/** The admissions of a session: found by an index, whatever else names the session. */
import assert from "node:assert/strict";
import { createKey, type KeyPair } from "../../../lib/issuer/keys.ts";
import { mintAdmission, type Minted } from "../../../lib/issuer/mint.ts";
import { seededRandom } from "../../../lib/issuer/random.ts";
import { sessionFilledKey } from "../../../lib/store/keys.ts";
import type { Store } from "../../../lib/store/store.ts";
import { open, verifier, withKv } from "../../support/store_fixtures.ts";

const [ANNA, BOB, CARLA] = ["anna", "bob", "carla"].map((name) =>
  createKey(seededRandom(`${name} of the sessions`))
) as [KeyPair, KeyPair, KeyPair];

const keyOf = ({ publicKey }: KeyPair) => publicKey.text;

/** An admission of the same session, whoever signs it and whatever is answered. */
function admission(key: KeyPair, passed = true): ReturnType<typeof mintAdmission> {
  return mintAdmission({
    references: verifier.references,
    cells: ["algal:t1"],
    answers: [passed ? "right" : "wrong"],
    minPass: 1,
    key,
    random: seededRandom("the same session"),
  });
}

async function keep(store: Store, document: unknown): Promise<string> {
  const kept = await store.keep(document);
  assert.ok(kept.ok);
  return kept.id;
}

const receiptOf = ({ envelope }: Pick<Minted, "envelope">) =>
  JSON.parse(envelope.payload).receipts[0];

/** Takes away what an older version would not have written. */
async function asWrittenBefore(kv: Deno.Kv): Promise<void> {
  for (const prefix of [["session-admission"], ["session-filled"]]) {
    for await (const { key } of kv.list({ prefix })) await kv.delete(key);
  }
}

Deno.test("admissions of a session are found, at most two of an issuer, and gone when removed", async () => {
  await withKv(async (kv) => {
    const store = open(kv);
    const first = await admission(ANNA);
    const { sessionId } = first.session;
    const find = async (keys: KeyPair[] | null) => {
      const found = await store.sessionAdmissions(sessionId, keys && keys.map(keyOf));
      assert.ok(found.complete);
      return found.admissions.map(({ id }) => id);
    };
    assert.deepEqual(await find(null), []);
    assert.equal((await kv.get(sessionFilledKey(sessionId))).value, null, "asking stores nothing");
    await keep(store, receiptOf(first));
    assert.deepEqual(await find(null), [], "a receipt is no admission");
    const a = await keep(store, first.envelope);
    assert.deepEqual(await find(null), [a]);
    assert.deepEqual(await find([ANNA]), [a]);
    assert.deepEqual(await find([BOB]), []);
    const contrary = await keep(store, (await admission(ANNA, false)).envelope);
    const b = await keep(store, (await admission(BOB)).envelope);
    const c = await keep(store, (await admission(CARLA)).envelope);
    assert.deepEqual(new Set(await find([ANNA])), new Set([a, contrary]));
    assert.deepEqual(await find([BOB, CARLA]), [b, c]);
    // The first two by their keys; of one of them there are two.
    const owners: [string, string[]][] = [
      [keyOf(ANNA), [a, contrary]],
      [keyOf(BOB), [b]],
      [keyOf(CARLA), [c]],
    ];
    const firstTwo = owners.toSorted(([x], [y]) => x < y ? -1 : 1).slice(0, 2);
    assert.deepEqual(new Set(await find(null)), new Set(firstTwo.flatMap(([, ids]) => ids)));
    await store.deleteDocument(contrary);
    await store.deleteDocument(b);
    assert.deepEqual(await find([ANNA, BOB]), [a]);
  });
});

Deno.test("what is read for a session doesn't grow with its receipts", async () => {
  await withKv(async (kv) => {
    const store = open(kv);
    const one = await admission(ANNA);
    const { sessionId } = one.session;
    await keep(store, one.envelope);
    for (let n = 0; n < 60; n++) {
      const key = createKey(seededRandom(`stranger ${n}`));
      await keep(store, receiptOf(await admission(key)));
    }
    const first = await store.sessionAdmissions(sessionId, null);
    assert.equal(first.rows, 62, "entered once");
    for (const keys of [null, [keyOf(ANNA)]]) {
      assert.equal((await store.sessionAdmissions(sessionId, keys)).rows, 1);
    }
  });
});

Deno.test("what an older version stored is entered at the first look, side by side with others", async () => {
  await withKv(async (kv) => {
    const stores = [open(kv), open(kv), open(kv)];
    const anna = await admission(ANNA);
    const { sessionId } = anna.session;
    const a = await keep(stores[0]!, anna.envelope);
    const b = await keep(stores[0]!, (await admission(BOB)).envelope);
    for (let n = 0; n < 100; n++) {
      const key = createKey(seededRandom(`older ${n}`));
      await keep(stores[0]!, receiptOf(await admission(key)));
    }
    await asWrittenBefore(kv);
    const look = async (store: Store) => {
      for (;;) {
        const found = await store.sessionAdmissions(sessionId, [keyOf(ANNA), keyOf(BOB)]);
        if (found.complete) return found.admissions.map(({ id }) => id);
      }
    };
    const [one, other, stored] = await Promise.all([
      look(stores[0]!),
      look(stores[1]!),
      admission(CARLA).then(({ envelope }) => keep(stores[2]!, envelope)),
    ]);
    assert.deepEqual([one, other], [[a, b], [a, b]]);
    const carla = await stores[0]!.sessionAdmissions(sessionId, [keyOf(CARLA)]);
    assert.deepEqual(carla.admissions, [{ publicKey: keyOf(CARLA), id: stored }]);
  });
});

Deno.test("an import enters its admissions, and a removed one of an older version leaves nothing", async () => {
  await withKv(async (kv) => {
    const store = open(kv);
    const one = await admission(ANNA);
    const id = await keep(store, one.envelope);
    await asWrittenBefore(kv);
    const { sessionId } = one.session;
    const records = await Array.fromAsync(store.exportLines(), ({ record }) => record);
    await withKv(async (elsewhere) => {
      const target = open(elsewhere);
      for (const record of records) assert.ok((await target.importLine(record)).ok);
      const found = await target.sessionAdmissions(sessionId, null);
      assert.deepEqual(found.admissions, [{ publicKey: keyOf(ANNA), id }]);
    });
    await store.deleteDocument(id);
    assert.deepEqual((await store.sessionAdmissions(sessionId, null)).admissions, []);
  });
});
