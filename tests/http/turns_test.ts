/**
 * Several clients of one service, told apart by what a trusted proxy says: what one of them sends is
 * done in turns with the others', and paid for by it.
 */
import assert from "node:assert/strict";
import { readNetwork } from "../../lib/limits/address.ts";
import { BUCKETS, type Policies } from "../../lib/limits/policy.ts";
import { createKey, type KeyPair } from "../../lib/issuer/keys.ts";
import { mintAdmission } from "../../lib/issuer/mint.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import type { Registry } from "../../lib/trust/registry.ts";
import type { VerifyContext } from "../../lib/verify/context.ts";
import { mint, post, serverTest, type TestOptions, type TestServer } from "../support/server.ts";

const PROXY = [readNetwork("127.0.0.1")!];

const [A, B] = ["192.0.2.1", "192.0.2.2"] as const;

const as = (client: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...init.headers as Record<string, string>, "x-forwarded-for": client },
});

/** Tokens that no second of a test fills. */
function tokens(quotas: Partial<Record<keyof Policies, number>>): Policies {
  const policies = BUCKETS.map((name) => [
    name,
    { name, quota: quotas[name] ?? 10_000, window: 1_000_000 },
  ]);
  return Object.fromEntries(policies) as Policies;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Checks stand still until `open` is called, but for as many as `pass` lets through. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  readonly #held: (() => void)[] = [];
  /** Jobs that were handed to the checker. */
  ordered = 0;
  open = () => this.#opened.resolve();
  /** Lets through the check that stands at the gate, or comes to it next. */
  async pass(): Promise<void> {
    await until(() => this.#held.length > 0);
    this.#held.shift()!();
  }

  options(): TestOptions {
    return {
      trustedProxies: PROXY,
      verifier: (verifier: VerifyContext) => ({
        ...verifier,
        references: {
          ...verifier.references,
          use: async (pinned) => {
            const passed = Promise.withResolvers<void>();
            this.#held.push(passed.resolve);
            await Promise.race([this.#opened.promise, passed.promise]);
            return await verifier.references.use(pinned);
          },
        },
      }),
      checker: (checker) => ({
        ...checker,
        input: (bytes, options) => {
          this.ordered++;
          return checker.input(bytes, options);
        },
        intake: (bytes, limits) => {
          this.ordered++;
          return checker.intake(bytes, limits);
        },
        documents: (documents, lane) => {
          this.ordered++;
          return checker.documents(documents, lane);
        },
      }),
    };
  }

  async untilOrdered(count: number): Promise<void> {
    await until(() => this.ordered >= count);
  }
}

/** Documents whose check stands still at the gate; minting them doesn't. */
async function documents(count: number): Promise<unknown[]> {
  const { createVerifyContext } = await import("../../service/verify_context.ts");
  const verifier = createVerifyContext("auto");
  return await Promise.all(
    Array.from(
      { length: count },
      async (_, n) => (await mint({ verifier }, { context: `document ${n}` })).envelope,
    ),
  );
}

/** Sends one after the other, each when the one before is with the checker; says who was answered. */
async function answered(
  server: TestServer,
  gate: Gate,
  requests: readonly (readonly [client: string, path: string, document: unknown])[],
  /** What is done when all stand in line, before the gate opens. */
  then: (order: readonly string[]) => Promise<void> = async () => {},
): Promise<string[]> {
  const order: string[] = [];
  const under = [];
  for (const [index, [client, path, document]] of requests.entries()) {
    under.push(
      server.fetch(path, as(client, post(document))).then(async (answer) => {
        assert.ok(answer.ok, `${answer.status}`);
        order.push(client);
        await answer.body?.cancel();
      }),
    );
    await gate.untilOrdered(index + 1);
  }
  await then(order);
  gate.open();
  await Promise.all(under);
  return order;
}

{
  const gate = new Gate();
  serverTest(
    "a verification waits for one job of another client, however many that has",
    async (server) => {
      const [first, ...sent] = await documents(6);
      const heavy = sent.map((document) => [A, "/api/verify", document] as const);
      const order = await answered(server, gate, [...heavy, [B, "/api/verify", first]]);
      assert.deepEqual(order, [A, B, A, A, A, A]);
    },
    gate.options(),
  );
}

{
  const gate = new Gate();
  serverTest("storing takes two turns, one to read and one to check", async (server) => {
    const [first, ...sent] = await documents(6);
    const heavy = sent.map((document) => [A, "/api/verify", document] as const);
    const requests = [...heavy, [B, "/api/results", first] as const];
    // One of the first client's ends; what is to be stored is read, and handed over to be checked.
    const order = await answered(server, gate, requests, async (order) => {
      await gate.pass();
      await gate.untilOrdered(requests.length + 1);
      // Another one of the first client's, then this one.
      await gate.pass();
      await gate.pass();
      await until(() => order.length === 3);
    });
    assert.deepEqual(order, [A, A, B, A, A, A]);
  }, gate.options());
}

{
  const gate = new Gate();
  serverTest("the start page waits for no check, not even for the samples'", async (server) => {
    const [first] = await documents(1);
    const busy = server.fetch("/api/verify", as(A, post(first)));
    await gate.untilOrdered(1);
    const page = await server.fetch("/", as(B));
    assert.equal(page.status, 200);
    const ids = [...(await page.text()).matchAll(/\/badge\/([0-9a-f]{64})\.svg/g)];
    assert.ok(ids.length > 0, "its samples are shown");
    gate.open();
    assert.equal((await busy).status, 200);
    await (await busy).body?.cancel();
    const sample = await server.fetch(`/r/${ids[0]![1]}`, as(B));
    assert.equal(sample.status, 200);
    await sample.body?.cancel();
  }, gate.options());
}

/** Tokens left, as an answer says, and its seconds: with none left, until the next one. */
function limitOf(answer: Response): { left: number; time: number } {
  const [, left, time] = /;r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  return { left: Number(left), time: Number(time) };
}

const SLOW_MS = 400;

/** Every check of a document of the house suite takes so long at least. */
const slow = (verifier: VerifyContext): VerifyContext => ({
  ...verifier,
  references: {
    ...verifier.references,
    use: async (pinned) => {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS + 5));
      return await verifier.references.use(pinned);
    },
  },
});

serverTest(
  "what a check took is paid for by who sent it, who waits off the debt",
  async (server) => {
    const [document] = await documents(1);
    const send = (client: string) => server.fetch("/api/verify", as(client, post(document)));
    const costly = await send(A);
    assert.equal(costly.status, 200);
    // 400 ms are 13 tokens of ten: three are owed, and waited off before the next one.
    const { left, time } = limitOf(costly);
    assert.equal(left, 0);
    assert.ok(time > 300_000, `${time}`);
    await costly.body?.cancel();
    const refused = await send(A);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) > 300_000);
    await refused.body?.cancel();
    const other = await send(B);
    assert.equal(other.status, 200, "another client owes nothing");
    await other.body?.cancel();
  },
  { trustedProxies: PROXY, limits: tokens({ verify: 10 }), verifier: slow },
);

serverTest("storing and reading are paid for by their time, too", async (server) => {
  const [document] = await documents(1);
  const stored = await server.fetch("/api/results", as(A, post(document)));
  assert.equal(stored.status, 201);
  assert.ok(limitOf(stored).left <= 100 - 13);
  await stored.body?.cancel();
}, { trustedProxies: PROXY, limits: tokens({ verify: 100 }), verifier: slow });

serverTest(
  "a costly run is priced before it is checked, and never kept out by that alone",
  async (server) => {
    const row = (seed: number) => JSON.stringify({ family: "cryptarithm", tier: 6, seed });
    // No run, so that nothing of it is really done: what is announced counts.
    const bundle = {
      documents: [{ payload: `[${Array.from({ length: 60 }, (_, n) => row(n))}]` }],
    };
    const answer = await server.fetch("/api/verify", as(A, post(bundle)));
    assert.equal(answer.status, 200);
    // 60 puzzles of 25.8 ms, counted by half as in an admission: 774 ms.
    assert.equal(limitOf(answer).left, 100 - 25);
    await answer.body?.cancel();
    const small = await server.fetch(
      "/api/verify",
      as(B, post({ documents: Array(5).fill(bundle.documents[0]) })),
    );
    assert.equal(small.status, 200, "3.8 s would be 129 tokens of 100");
    assert.equal(limitOf(small).left, 0);
    await small.body?.cancel();
  },
  { trustedProxies: PROXY, limits: tokens({ verify: 100 }) },
);

{
  const holds: unknown[] = [];
  let asked = 0;
  serverTest("what badges of URLs set off is paid for by their reader", async (server) => {
    holds.push(...await documents(3));
    const message = async (client: string, file: number) => {
      const url = encodeURIComponent(`${server.origin}/${file}`);
      const answer = await server.fetch(`/badge.json?url=${url}`, as(client));
      return (await answer.json()).message;
    };
    assert.equal(await message(A, 0), "6/6 passed · unknown issuer");
    const before = asked;
    // Three documents cost three tokens of three.
    assert.equal(await message(A, 1), "checking");
    assert.equal(asked, before, "nothing is fetched for who can't pay");
    assert.equal(await message(A, 0), "6/6 passed · unknown issuer", "what is known is shown");
    assert.equal(await message(B, 1), "2/2 passed · unknown issuer");
    assert.equal(await message(A, 1), "2/2 passed · unknown issuer");
  }, {
    trustedProxies: PROXY,
    limits: tokens({ look: 3 }),
    origin(request) {
      asked++;
      // The first holds all three.
      const file = Number(new URL(request.url).pathname.slice(1));
      return Response.json(file === 0 ? holds : holds[file]);
    },
  });
}

const KNOWN = createKey(seededRandom("a known issuer of sessions"));
const STRANGER = createKey(seededRandom("a stranger of sessions"));
const REGISTRY: Registry = {
  policies: [],
  issuers: [{
    name: "Known",
    publicKey: KNOWN.publicKey.text,
    keyId: KNOWN.publicKey.keyId,
    status: "active",
  }],
};

serverTest(
  "a stranger's admission doesn't make a known issuer's session ambiguous",
  async (server) => {
    const admission = (key: KeyPair, passed: boolean) =>
      mintAdmission({
        references: server.verifier.references,
        cells: ["algal:t1"],
        answers: [passed ? "right" : "wrong"],
        minPass: 1,
        key,
        random: seededRandom("one session"),
      });
    const keep = async (document: unknown) => {
      const answer = await server.fetch("/api/results", post(document));
      assert.equal(answer.status, 201);
      await answer.body?.cancel();
    };
    const known = await admission(KNOWN, true);
    const path = `/badge/session/${known.session.sessionId}`;
    await keep((await admission(STRANGER, false)).envelope);
    await keep(known.envelope);
    const { message } = await (await server.fetch(`${path}.json`)).json();
    assert.equal(message, "1/1 passed");
    const svg = await (await server.fetch(`${path}.svg`)).text();
    assert.match(
      svg,
      /Issuers who aren('|&#39;|&#x27;|&apos;)t known here have a session of this id, too/,
    );
    // Named, either is found.
    const named = await server.fetch(`${path}.json?issuer=${STRANGER.publicKey.text}`);
    assert.match((await named.json()).message, /^0\/1 passed/);
  },
  { registry: REGISTRY },
);
