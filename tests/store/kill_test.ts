/**
 * A server is killed at random moments of stores, publications and upgrades, started again on the
 * same file, and has to know everything it acknowledged, rightly. Source: docs/architecture.md, "Storage".
 *
 * The plan of a run follows from its seed, which is printed; `KILL_SEED=…` repeats it. When exactly a
 * kill hits still depends on the machine.
 */
import assert from "node:assert/strict";
import { createKey } from "../../lib/issuer/keys.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import { rng } from "../../lib/suites/rng.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import {
  checkItem,
  eachOf,
  knowsPool,
  publish,
  readBadge,
  readResult,
  type Result,
  saidBy,
  store,
  watchUpgrade,
} from "./client.ts";
import { type ServerProcess, startServer } from "./process.ts";
import { createPoolPair, FATE, type Item, mintItems, type PoolPair, sayingOf } from "./stock.ts";

const ROUNDS = 20;
const DOCUMENTS_A_ROUND = 36;
const BULKY_A_ROUND = 1;
const STORIES = ["sound", "plain", "forged", "sound", "silent", "foreign"] as const;
const CONNECTIONS = 8;

/** Rounds after which an upgrade is waited for: by then no killed process has a lease on it. */
const SETTLED_AFTER = 6;

/** What the server is doing when it is killed, in turn. */
const MOMENTS = ["store", "publish", "upgrade", "everything"] as const;

/** What the test knows to have happened. */
interface Known {
  pool: PoolPair;
  /** `sent`: the server was killed before it answered, so either may be. */
  published: "no" | "sent" | "yes";
  items: Item[];
  /** Ids that were acknowledged, or seen after a restart. */
  stored: Set<string>;
  /** Those of them that were stored before the publication was sent. */
  storedBefore: Set<string>;
  /** Whether nothing is read before its upgrade is through; otherwise reads find work to be done. */
  left: boolean;
  /** Whether the tally was seen to be complete. */
  settled: boolean;
}

Deno.test("a server killed again and again loses and confuses nothing", async () => {
  const seed = Number(Deno.env.get("KILL_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`KILL_SEED=${seed}`);
  const { int, pick } = rng(seed);
  const random = seededRandom(`kill ${seed}`);
  const from = {
    key: createKey(random),
    references: createVerifyContext("auto").references,
    random,
  };
  const folder = await Deno.makeTempDir();
  const environment = { KV_PATH: `${folder}/killed.kv` };
  const known: Known[] = [];
  let kills = 0;
  const servers: ServerProcess[] = [];
  const start = async () => {
    const server = await startServer(environment);
    servers.push(server);
    return server;
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const pool = createPoolPair(random);
      const items = await mintItems(DOCUMENTS_A_ROUND, STORIES, pool, from);
      const bulky = await mintItems(BULKY_A_ROUND, ["bulky"], pool, from);
      for (const item of bulky) items.splice(int(items.length), 0, item);
      const now: Known = {
        pool,
        published: "no",
        items,
        stored: new Set(),
        storedBefore: new Set(),
        left: int(2) === 0,
        settled: false,
      };
      let server = await start();
      if (int(3) === 0) {
        // It goes on with upgrades that earlier ones were killed in.
        await pause(int(60));
        await server.kill();
        kills++;
        server = await start();
      }
      await findOut(server.url, known);
      await settle(server.url, known.slice(0, -SETTLED_AFTER));
      await checkStored(server.url, known.filter(({ settled, left }) => settled || !left), pick);
      known.push(now);
      await work(server, now, MOMENTS[round % MOMENTS.length]!, int);
      kills++;
    }
    const server = await start();
    await findOut(server.url, known);
    await settle(server.url, known);
    await checkStored(server.url, known);
    await publishTheRest(server.url, known);
    await checkStored(server.url, known);
    const stored = known.reduce((sum, one) => sum + one.stored.size, 0);
    console.log(`killed ${kills} times, ${stored} documents stored`);
    for (const { errors } of servers) assert.doesNotMatch(errors(), /fault|damaged/);
  } finally {
    await servers.at(-1)?.kill();
    await Deno.remove(folder, { recursive: true });
  }
});

/** Does one round's work and kills the server in the middle of the given part of it. */
async function work(
  server: ServerProcess,
  now: Known,
  moment: typeof MOMENTS[number],
  int: (n: number) => number,
): Promise<void> {
  const { url } = server;
  const killed = Promise.withResolvers<void>();
  const killIn = (ms: number) => setTimeout(() => server.kill().then(killed.resolve), ms);
  // What a killed server leaves unanswered is neither known to be done nor known not to be.
  const storeAll = (items: Item[], taken: () => void = () => {}) =>
    eachOf(items, CONNECTIONS, async (item) => {
      const before = now.published === "no";
      await store(url, item);
      now.stored.add(item.id);
      if (before && now.published === "no") now.storedBefore.add(item.id);
      taken();
    });
  const publishIt = async () => {
    now.published = "sent";
    await publish(url, now.pool.file);
    now.published = "yes";
  };
  const watch = async () => void await watchUpgrade(url, now.pool.poolKey);

  switch (moment) {
    case "store": {
      let left = 1 + int(now.items.length - 1);
      const delay = int(8);
      await unlessKilled(storeAll(now.items, () => --left === 0 && killIn(delay)));
      break;
    }
    case "publish":
      await storeAll(now.items);
      killIn(int(25));
      await unlessKilled(publishIt());
      break;
    case "upgrade":
      await storeAll(now.items);
      await publishIt();
      killIn(int(120));
      await unlessKilled(watch());
      break;
    case "everything": {
      const half = now.items.length >> 1;
      await storeAll(now.items.slice(0, half));
      killIn(int(150));
      await unlessKilled(Promise.all([
        storeAll(now.items.slice(half)),
        publishIt().then(watch),
      ]));
    }
  }
  await killed.promise;
}

/** Lets a failure pass that is the broken connection to a killed server; any other is one. */
async function unlessKilled(working: Promise<unknown>): Promise<void> {
  try {
    await working;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Which of the things that were sent but not acknowledged have happened; from now on they count. */
async function findOut(url: string, known: readonly Known[]): Promise<void> {
  for (const one of known) {
    const published = await knowsPool(url, one.pool.poolKey);
    if (one.published !== "sent") assert.equal(published, one.published === "yes", "publication");
    one.published = published ? "yes" : "no";
    await eachOf(one.items, CONNECTIONS, async (item) => {
      if (one.stored.has(item.id)) return;
      if (await readBadge(url, item.id) !== null) one.stored.add(item.id);
      // Not published: whatever is stored now is stored before.
    });
    if (!published) one.storedBefore = new Set(one.stored);
  }
}

/**
 * Everything stored is there and says what it must. Given `pick`, of the older rounds only a third
 * of the badges and a ninth of the results, another one each time.
 */
async function checkStored(
  url: string,
  known: readonly Known[],
  pick?: (list: readonly number[]) => number,
): Promise<void> {
  const drawn = pick?.([0, 1, 2, 3, 4, 5, 6, 7, 8]) ?? null;
  for (const [round, one] of known.entries()) {
    const disclosed = one.published === "yes";
    const whole = drawn === null || round >= known.length - 3;
    await eachOf(one.items.entries(), CONNECTIONS, async ([index, item]) => {
      if (!one.stored.has(item.id)) return;
      if (whole || index % 9 === drawn) {
        checkHistory(await checkItem(url, item, disclosed), item, one);
      } else if (index % 3 === drawn % 3) {
        assert.equal(await readBadge(url, item.id), sayingOf(item, disclosed).badge, item.story);
      }
    });
  }
}

/** One entry for whom disclosure changed, once; none for whom it could not, or came too late to. */
function checkHistory({ history }: Result, item: Item, { published, storedBefore }: Known): void {
  const changed = published === "yes" && FATE[item.story] !== "unchanged";
  if (!changed || (history.length === 0 && !storedBefore.has(item.id))) {
    assert.deepEqual(history, [], `${item.story} ${item.id}`);
    return;
  }
  assert.deepEqual(
    history.map(({ from, to, poolKey }) => ({ from, to, poolKey })),
    [{
      from: sayingOf(item, false).outcome,
      to: sayingOf(item, true).outcome,
      poolKey: item.poolKey,
    }],
    `${item.story} ${item.id}`,
  );
}

/** Sees the upgrades of all published pools through, and their tallies add up. */
async function settle(url: string, known: readonly Known[]): Promise<void> {
  for (const one of known) {
    if (one.published !== "yes" || one.settled) continue;
    await checkTally(url, one);
    one.settled = true;
  }
}

async function checkTally(url: string, one: Known): Promise<void> {
  const tally = await watchUpgrade(url, one.pool.poolKey);
  const expected = { upgraded: 0, exposed: 0, unchanged: 0 };
  let late = 0;
  for (const item of one.items) {
    if (item.poolKey === null || !one.stored.has(item.id)) continue;
    const result = await readResult(url, item.id);
    assert.ok(result !== null);
    assert.deepEqual(saidBy(result).outcome, sayingOf(item, true).outcome);
    if (FATE[item.story] !== "unchanged") {
      // The record of what was claimed before says who lacked the pool when it came.
      if (result.history.length > 0) expected[FATE[item.story]]++;
    } else if (one.storedBefore.has(item.id)) {
      expected.unchanged++;
    } else {
      late++;
    }
  }
  const { upgraded, exposed, unchanged } = tally;
  assert.deepEqual({ upgraded, exposed }, {
    upgraded: expected.upgraded,
    exposed: expected.exposed,
  });
  assert.ok(
    unchanged >= expected.unchanged && unchanged <= expected.unchanged + late,
    `${unchanged} unchanged, ${expected.unchanged} to ${expected.unchanged + late} expected`,
  );
}

/** Pools that were never published are now, while nothing is killed. */
async function publishTheRest(url: string, known: readonly Known[]): Promise<void> {
  for (const one of known) {
    if (one.published === "yes") continue;
    await publish(url, one.pool.file);
    one.published = "yes";
    await checkTally(url, one);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
