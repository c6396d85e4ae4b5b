/**
 * Two servers on one KV file, documents and pools posted to both at once: no update is lost and no
 * answer is wrong at any moment. Source: docs/architecture.md, "Storage" and "Caching".
 *
 * The plan of a run follows from its seed, which is printed; `TWO_SEED=…` repeats it.
 */
import assert from "node:assert/strict";
import { createKey } from "../../lib/issuer/keys.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import { type Rng, rng } from "../../lib/suites/rng.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import {
  CHECKING,
  checkItem,
  eachOf,
  publish,
  readBadge,
  readResult,
  saidBy,
  store,
  watchUpgrade,
} from "./client.ts";
import { startServer } from "./process.ts";
import { createPoolPair, FATE, type Item, mintItems, type PoolPair, sayingOf } from "./stock.ts";

const POOLS = 8;
const DOCUMENTS_A_POOL = 36;
const STORIES = ["sound", "plain", "forged", "sound", "silent", "foreign"] as const;
const READERS = 6;

/** Twenty milliseconds are promised for a badge in another process; more for a busy machine. */
const BADGE_LAG_MS = 250;

/** How long a badge may take to change in all, `checking` included. */
const FOLLOW_MS = 10_000;

/** What the test knows of a pool; times are of `performance.now`. */
interface Disclosure {
  pool: PoolPair;
  /** When the first publication was sent. */
  sentAt: number;
  /** When the first answer had arrived that showed it to be public. */
  publicAt: number;
  /** When each server had acknowledged it. */
  acknowledgedBy: number[];
}

Deno.test("two servers on one file lose no update and never say anything outdated", async () => {
  const seed = Number(Deno.env.get("TWO_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`TWO_SEED=${seed}`);
  const draw = rng(seed);
  const random = seededRandom(`two ${seed}`);
  const from = {
    key: createKey(random),
    references: createVerifyContext("auto").references,
    random,
  };
  const disclosures = new Map<string, Disclosure>();
  const items: Item[] = [];
  for (let index = 0; index < POOLS; index++) {
    const pool = createPoolPair(random);
    disclosures.set(pool.poolKey, {
      pool,
      sentAt: Infinity,
      publicAt: Infinity,
      acknowledgedBy: [Infinity, Infinity],
    });
    items.push(...await mintItems(DOCUMENTS_A_POOL, STORIES, pool, from));
  }
  const folder = await Deno.makeTempDir();
  const environment = { KV_PATH: `${folder}/shared.kv` };
  // One after the other: the first makes the file.
  const servers = [await startServer(environment)];
  try {
    servers.push(await startServer(environment));
    const urls = servers.map(({ url }) => url);
    const state: State = {
      urls,
      disclosures,
      stored: [],
      storedAt: new Map(),
      over: false,
      largestLag: 0,
      reads: 0,
    };
    const plan = draw.shuffle([...items]);
    const storing = () =>
      eachOf(plan, 6, async (item) => {
        const targets = draw.pick([[0], [1], [0, 1]]);
        await Promise.all(targets.map((target) => store(urls[target]!, item)));
        state.storedAt.set(item.id, performance.now());
        state.stored.push(item);
      });
    await Promise.all([
      Promise.all([storing(), publishAll(state, draw, items.length)])
        .finally(() => state.over = true),
      ...Array.from(
        { length: READERS },
        (_, index) => readUntilOver(state, rng((seed + index + 1) >>> 0)),
      ),
    ]);
    console.log(
      `${state.reads} reads meanwhile, the other process's badges at most ` +
        `${state.largestLag.toFixed(1)} ms behind`,
    );
    await checkEnd(state, items);
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    await Deno.remove(folder, { recursive: true });
  }
});

interface State {
  urls: string[];
  disclosures: Map<string, Disclosure>;
  /** Acknowledged documents. */
  stored: Item[];
  /** When each was acknowledged, by id. */
  storedAt: Map<string, number>;
  over: boolean;
  /** Milliseconds by which a badge lagged behind a publication in the other process. */
  largestLag: number;
  reads: number;
}

/** Publishes one pool after the other, spread over the time that the storing takes. */
async function publishAll(state: State, draw: Rng, total: number): Promise<void> {
  let number = 0;
  for (const disclosure of state.disclosures.values()) {
    number++;
    while (state.stored.length < total * number / (POOLS + 1)) await pause(2);
    const { poolKey } = disclosure.pool;
    const told = state.stored.find((item) => item.poolKey === poolKey && item.story === "sound");
    await Promise.all([
      ...(told === undefined ? [] : [follow(state, told, 0), follow(state, told, 1)]),
      publishOne(state, disclosure, draw),
    ]);
  }
}

async function publishOne(state: State, disclosure: Disclosure, draw: Rng): Promise<void> {
  await pause(draw.int(30));
  const targets = draw.pick([[0], [1], [0, 1]]);
  disclosure.sentAt = performance.now();
  await Promise.all(targets.map(async (target) => {
    await publish(state.urls[target]!, disclosure.pool.file);
    const now = performance.now();
    disclosure.acknowledgedBy[target] = now;
    disclosure.publicAt = Math.min(now, disclosure.publicAt);
  }));
}

/** Reads a badge again and again until it shows that its pool is disclosed. */
async function follow(state: State, item: Item, server: number): Promise<void> {
  const after = sayingOf(item, true).badge;
  const until = performance.now() + FOLLOW_MS;
  for (let said: string | null = null; said !== after; state.reads++) {
    const sentAt = performance.now();
    assert.ok(sentAt < until, `the badge at server ${server} still says ${said}`);
    said = await readBadge(state.urls[server]!, item.id);
    checkRead(state, item, {
      server,
      what: "badge",
      said,
      sentAt,
      answeredAt: performance.now(),
    });
  }
}

/** Reads badges and results of stored documents from both servers and checks every answer. */
async function readUntilOver(state: State, draw: Rng): Promise<void> {
  while (!state.over) {
    if (state.stored.length === 0) {
      await pause(1);
      continue;
    }
    const item = draw.pick(draw.chance(0.7) ? itemsOfInterest(state) : state.stored);
    const server = draw.int(2);
    const what = draw.pick(["badge", "badge", "result"] as const);
    const url = state.urls[server]!;
    const sentAt = performance.now();
    const said = what === "badge" ? await readBadge(url, item.id) : await outcomeOf(url, item.id);
    checkRead(state, item, { server, what, said, sentAt, answeredAt: performance.now() });
    state.reads++;
  }
}

/** Those whose pool is being published or just was; all when there are none. */
function itemsOfInterest({ stored, disclosures }: State): Item[] {
  const recent = performance.now() - 150;
  const hot = stored.filter(({ poolKey, story }) => {
    const at = poolKey === null ? Infinity : disclosures.get(poolKey)!.sentAt;
    return at !== Infinity && at > recent && story !== "silent";
  });
  return hot.length === 0 ? stored : hot;
}

async function outcomeOf(url: string, id: string): Promise<string | null> {
  const result = await readResult(url, id);
  return result === null ? null : saidBy(result).outcome;
}

interface Read {
  server: number;
  what: "badge" | "result";
  said: string | null;
  sentAt: number;
  answeredAt: number;
}

function checkRead(state: State, item: Item, read: Read): void {
  const context = `${read.what} of a ${item.story} document at server ${read.server}`;
  assert.ok(read.said !== null, `lost: ${context}`);
  if (read.said === CHECKING) return;
  const [before, after] = [false, true].map((disclosed) => {
    const saying = sayingOf(item, disclosed);
    return read.what === "badge" ? saying.badge : saying.outcome;
  });
  if (before === after) {
    assert.equal(read.said, before, context);
    return;
  }
  const disclosure = state.disclosures.get(item.poolKey!)!;
  const { server, what, said, sentAt, answeredAt } = read;
  if (said === after) {
    assert.ok(answeredAt > disclosure.sentAt, `${context}: disclosed before it was`);
    disclosure.publicAt = Math.min(answeredAt, disclosure.publicAt);
    return;
  }
  assert.equal(said, before, context);
  const own = sentAt - disclosure.acknowledgedBy[server]!;
  assert.ok(own <= 0, `${context}: outdated ${own} ms after its own publication`);
  // A badge may rest on what was known some moments ago; a result never does.
  const lag = sentAt - disclosure.publicAt;
  if (what === "badge") {
    state.largestLag = Math.max(state.largestLag, lag);
    assert.ok(lag <= BADGE_LAG_MS, `${context}: outdated for ${lag} ms`);
  } else {
    assert.ok(lag <= 0, `${context}: outdated for ${lag} ms`);
  }
}

/** Both servers know everything, say the same, and the tallies add up. */
async function checkEnd(
  { urls, disclosures, storedAt }: State,
  items: readonly Item[],
): Promise<void> {
  const tallies = new Map<string, { upgraded: number; exposed: number; unchanged: number }>();
  await eachOf(items, 8, async (item) => {
    const [one, other] = await Promise.all(urls.map((url) => checkItem(url, item, true)));
    const { history } = one!;
    assert.deepEqual(history, other!.history);
    if (FATE[item.story] === "unchanged") {
      assert.deepEqual(history, []);
      return;
    }
    const { sentAt } = disclosures.get(item.poolKey!)!;
    if (storedAt.get(item.id)! < sentAt) assert.equal(history.length, 1, "a change is recorded");
    assert.ok(history.length <= 1, "one disclosure is one change");
    const tally = tallies.get(item.poolKey!) ?? { upgraded: 0, exposed: 0, unchanged: 0 };
    tally[FATE[item.story]] += history.length;
    tallies.set(item.poolKey!, tally);
  });
  for (const poolKey of disclosures.keys()) {
    const { upgraded, exposed } = tallies.get(poolKey)!;
    for (const url of urls) {
      const tally = await watchUpgrade(url, poolKey);
      assert.deepEqual({ upgraded: tally.upgraded, exposed: tally.exposed }, { upgraded, exposed });
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
