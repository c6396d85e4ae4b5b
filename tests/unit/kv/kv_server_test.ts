/** The tests' own KV server does what a local database does. */
import assert from "node:assert/strict";
import fc from "../../support/npm/fast_check.ts";
import { startKvServer } from "../../support/kv_server.ts";

const TOKEN = "a-token-of-these-tests";

const part = fc.oneof(fc.constantFrom("a", "ab", "b"), fc.integer({ min: 0, max: 3 }));
const key = fc.array(part, { minLength: 1, maxLength: 3 });
const value = fc.oneof(fc.string(), fc.uint8Array({ maxLength: 300 }), fc.jsonValue());
/** Which keys a commit checks: with the right versionstamp, null, or the one before. */
const check = fc.tuple(key, fc.constantFrom("current", "absent", "outdated"));

const operation = fc.oneof(
  fc.record({ kind: fc.constant("get" as const), keys: fc.array(key, { maxLength: 10 }) }),
  fc.record({
    kind: fc.constant("commit" as const),
    checks: fc.array(check, { maxLength: 3 }),
    sets: fc.array(fc.tuple(key, value), { maxLength: 4 }),
    deletes: fc.array(key, { maxLength: 2 }),
    sums: fc.array(
      fc.tuple(fc.constantFrom("n", "m"), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
    ),
  }),
  fc.record({
    kind: fc.constant("list" as const),
    prefix: fc.array(part, { maxLength: 2 }),
    limit: fc.integer({ min: 1, max: 5 }),
    reverse: fc.boolean(),
  }),
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Runs the operations; versionstamps are replaced by their rank, as each database has its own. */
async function run(kv: Deno.Kv, operations: readonly Operation[]): Promise<unknown[]> {
  const stamps: string[] = [];
  const found: unknown[] = [];
  const plain = ({ key, value, versionstamp }: Deno.KvEntryMaybe<unknown>) => ({
    key,
    value: value instanceof Deno.KvU64 ? value.value : value,
    stamp: versionstamp === null ? null : stamps.indexOf(versionstamp),
  });
  for (const operation of operations) {
    switch (operation.kind) {
      case "get":
        found.push((await kv.getMany(operation.keys)).map(plain));
        break;
      case "commit": {
        const atomic = kv.atomic();
        for (const [key, which] of operation.checks) {
          const { versionstamp } = await kv.get(key);
          const at = versionstamp === null ? 0 : stamps.indexOf(versionstamp);
          const outdated = stamps[at - 1] ?? null;
          const expected = { current: versionstamp, absent: null, outdated }[which];
          atomic.check({ key, versionstamp: expected });
        }
        for (const [key, value] of operation.sets) atomic.set(key, value);
        for (const key of operation.deletes) atomic.delete(key);
        for (const [name, value] of operation.sums) atomic.sum(["number", name], value);
        const result = await atomic.commit();
        if (result.ok) stamps.push(result.versionstamp);
        found.push(result.ok);
        break;
      }
      case "list": {
        const { prefix, limit, reverse } = operation;
        for (let cursor = "";;) {
          const page = kv.list({ prefix }, { limit, reverse, cursor });
          const entries = await Array.fromAsync(page);
          found.push(entries.map(plain));
          cursor = page.cursor;
          if (entries.length < limit) break;
        }
      }
    }
  }
  return found;
}

Deno.test("any operations give the same answers as a local database", async () => {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", TOKEN);
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
      await using server = startKvServer({ token: TOKEN });
      using local = await Deno.openKv(":memory:");
      using remote = await Deno.openKv(server.url);
      assert.deepEqual(await run(remote, operations), await run(local, operations));
    }),
    { numRuns: 60 },
  );
});

Deno.test("an entry is gone when its time is over", async () => {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", TOKEN);
  await using server = startKvServer({ token: TOKEN });
  using kv = await Deno.openKv(server.url);
  await kv.set(["short"], 1, { expireIn: 500 });
  await kv.set(["long"], 1, { expireIn: 60_000 });
  assert.equal((await kv.get(["short"])).value, 1);
  await new Promise((done) => setTimeout(done, 520));
  assert.equal((await kv.get(["short"])).value, null);
  assert.deepEqual((await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key }) => key), [
    ["long"],
  ]);
  const expected = { key: ["short"], versionstamp: null };
  assert.equal((await kv.atomic().check(expected).set(["short"], 2).commit()).ok, true);
});
