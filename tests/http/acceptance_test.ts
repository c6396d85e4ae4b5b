import assert from "node:assert/strict";
import { EvaluatorUnavailable } from "../../lib/evaluator/reference.ts";
import { createKey } from "../../lib/issuer/keys.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import { policyHash, type Registry } from "../../lib/trust/registry.ts";
import { problemSchema, resultSchema, verificationSchema } from "../../routes/schemas/index.ts";
import { fileOf, keep, mintUnder, newPool, publish } from "../support/disclosure.ts";
import { mint, mintHeldOut, post, serverTest, type TestServer } from "../support/server.ts";

const HOUSE = createKey(seededRandom("acceptance: house"));
const STOLEN = createKey(seededRandom("acceptance: stolen"));

const POLICY = {
  suite: "touchstone",
  cells: ["algal:t1"],
  challenges: 2,
  minPass: 1,
  ttlSeconds: 300,
};

const REGISTRY: Registry = {
  issuers: [
    { name: "House & Co", ...identity(HOUSE), status: "active" },
    { name: "Stolen", ...identity(STOLEN), status: "revoked" },
  ],
  policies: [{ name: "two-of-t1", policy: POLICY, hash: policyHash(POLICY) }],
};

function identity({ publicKey }: typeof HOUSE) {
  return { publicKey: publicKey.text, keyId: publicKey.keyId };
}

async function verify(server: TestServer, query: string, body: unknown) {
  const answer = await server.fetch(`/api/verify${query}`, post(body));
  assert.equal(answer.status, 200);
  return verificationSchema.parse(await answer.json()).results;
}

serverTest("POST /api/verify: each report says whether it is accepted", async (server) => {
  const house = await mint(server, { key: HOUSE, context: "c d" });
  const other = await mint(server);
  const claimed = await mintHeldOut(server);
  const documents = [house.envelope, other.envelope, claimed.envelope, 7];
  const query = new URLSearchParams([
    ["issuer", "House & Co"],
    ["issuer", claimed.key.publicKey.text],
    ["policy", "two-of-t1"],
    ["context", "c d"],
    ["session", house.session.sessionId],
    ["replayed", "all"],
    ["maxage", "1h"],
  ]);
  const results = await verify(server, `?${query}`, documents);
  assert.deepEqual(results.map(({ acceptance }) => acceptance), [
    { accepted: true, failed: [] },
    { accepted: false, failed: ["issuer", "context", "session"] },
    { accepted: false, failed: ["policy", "context", "session", "replayed"] },
    {
      accepted: false,
      failed: ["invalid", "issuer", "policy", "context", "session", "replayed", "stale"],
    },
  ]);
  // Nothing else differs from the answer without requirements.
  const plain = await verify(server, "", documents);
  assert.deepEqual(results.map(({ acceptance: _, ...rest }) => rest), plain);
  assert.ok(plain.every((report) => !Object.hasOwn(report, "acceptance")));
}, { registry: REGISTRY });

serverTest(
  "a revoked key is accepted neither by name nor by key; outcomes stand",
  async (server) => {
    const { envelope } = await mint(server, { key: STOLEN });
    for (const issuer of ["Stolen", STOLEN.publicKey.text, STOLEN.publicKey.keyId]) {
      const [report] = await verify(server, `?issuer=${issuer}`, envelope);
      assert.equal(report?.outcome, "verified");
      assert.deepEqual(report?.acceptance, { accepted: false, failed: ["issuer"] });
      assert.ok(report?.observations.includes("issuer-revoked"));
    }
  },
  {
    registry: REGISTRY,
    verifier: (verifier) => ({ ...verifier, revoked: new Set([STOLEN.publicKey.text]) }),
  },
);

let clock = Date.UTC(2026, 0, 2);
serverTest("GET /api/results/ID: acceptance, and an ETag that follows it", async (server) => {
  const { envelope } = await mint(server, { key: HOUSE, now: Date.UTC(2026, 0, 1) });
  const { id } = await keep(server, envelope);
  const ask = async (query: string, etag?: string) => {
    const headers = new Headers(etag === undefined ? [] : [["if-none-match", etag]]);
    const answer = await server.fetch(`/api/results/${id}${query}`, { headers });
    const text = await answer.text();
    assert.equal(answer.headers.get("cache-control"), "no-cache");
    return {
      status: answer.status,
      etag: answer.headers.get("etag")!,
      acceptance: text === "" ? null : resultSchema.parse(JSON.parse(text)).report.acceptance,
    };
  };
  const plain = await ask("");
  assert.equal(plain.acceptance, undefined);
  const named = await ask("?issuer=House+%26+Co");
  assert.deepEqual(named.acceptance, { accepted: true, failed: [] });
  assert.notEqual(named.etag, plain.etag);
  assert.equal((await ask("?issuer=House+%26+Co", named.etag)).status, 304);
  assert.equal((await ask("?issuer=House+%26+Co", plain.etag)).status, 200);

  // Decided a second after the first of January; its ten days run out under the same address.
  clock = Date.UTC(2026, 0, 11, 0, 0, 1);
  const fresh = await ask("?maxage=10d");
  assert.deepEqual(fresh.acceptance, { accepted: true, failed: [] });
  assert.equal((await ask("?maxage=10d", fresh.etag)).status, 304);
  clock += 1;
  const stale = await ask("?maxage=10d", fresh.etag);
  assert.equal(stale.status, 200);
  assert.deepEqual(stale.acceptance, { accepted: false, failed: ["stale"] });
}, { registry: REGISTRY, now: () => clock });
serverTest(
  "requirements that can't be read are problems that name the parameter",
  async (server) => {
    const { envelope } = await mint(server, { key: HOUSE });
    const { id } = await keep(server, envelope);
    const refused: [query: string, code: string, parameter?: string][] = [
      ["?issuer=Nobody", "issuer-unknown-name", "issuer"],
      [`?issuer=${HOUSE.publicKey.text}&issuer=Nobody`, "issuer-unknown-name", "issuer"],
      ["?issuer=", "issuer-unknown-name", "issuer"],
      ["?policy=algal-floor-v9", "policy-unknown-name", "policy"],
      ["?maxage=1", "requirement-malformed", "maxage"],
      ["?maxage=1d&maxage=1d", "requirement-malformed", "maxage"],
      ["?replayed=yes", "requirement-malformed", "replayed"],
      ["?session=x", "requirement-malformed", "session"],
      // A misspelt requirement must not pass for none.
      ["?isuer=House", "query-malformed"],
      ["?max-age=1d", "query-malformed"],
    ];
    for (const [query, code, parameter] of refused) {
      for (
        const answer of [
          await server.fetch(`/api/verify${query}`, post(envelope)),
          await server.fetch(`/api/results/${id}${query}`),
        ]
      ) {
        assert.equal(answer.status, 400, query);
        assert.equal(answer.headers.get("cache-control"), "no-store");
        const problem = problemSchema.parse(await answer.json());
        assert.equal(problem.code, code, query);
        assert.equal(problem.parameter, parameter, query);
        assert.equal((await server.fetch(problem.type)).status, 200);
      }
    }
    // A page has more to show: the result stands below.
    const page = await server.fetch(`/r/${id}?issuer=Nobody`, { headers: { accept: "text/html" } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Not accepted: bad link/);
  },
  { registry: REGISTRY },
);

serverTest(
  "the page of a result explains acceptance, and hands the question on",
  async (server) => {
    const { envelope } = await mint(server, { key: HOUSE });
    const { id } = await keep(server, envelope);
    const page = async (query: string) => {
      const answer = await server.fetch(`/r/${id}${query}`);
      assert.equal(answer.status, 200);
      return { text: await answer.text(), etag: answer.headers.get("etag") };
    };
    const plain = await page("");
    assert.doesNotMatch(plain.text, /ccepted/);
    // Other services add parameters of their own to addresses that people share.
    assert.equal((await page("?utm_source=x")).etag, plain.etag);

    const query = "?issuer=House+%26+Co&policy=two-of-t1&replayed=all";
    const accepted = await page(query);
    assert.match(accepted.text, /<h2 id="acceptance">Accepted<\/h2>/);
    assert.match(accepted.text, /House &amp; Co/);
    assert.ok(accepted.text.includes(`src="/badge/${id}.svg${query.replaceAll("&", "&amp;")}"`));
    assert.ok(accepted.text.includes(`/api/results/${id}${query.replaceAll("&", "&amp;")}"`));
    assert.notEqual(accepted.etag, plain.etag);

    const refused = await page("?issuer=Stolen&context=%3Cb%3Ec&maxage=1h");
    assert.match(refused.text, /<h2 id="acceptance">Not accepted<\/h2>/);
    assert.match(refused.text, /Another key than those asked for signed it\./);
    assert.match(refused.text, /It has no context\./);
    assert.match(refused.text, /&lt;b&gt;c/);
    // The outcome is what it was.
    assert.match(refused.text, /<article class="report verified">/);
    assert.match(refused.text, /By itself: Passed: 2 of 2, 1 required/);
  },
  { registry: REGISTRY },
);

let gone = false;
serverTest("while a result is being checked again it is not accepted", async (server) => {
  const pool = newPool();
  const { envelope, key } = await mintUnder(server, pool);
  const { id } = await keep(server, envelope);
  const query = `?issuer=${key.publicKey.text}`;
  const read = async () =>
    resultSchema.parse(await (await server.fetch(`/api/results/${id}${query}`)).json());
  assert.deepEqual((await read()).report.acceptance, { accepted: true, failed: [] });
  gone = true;
  await publish(server, fileOf(pool));
  const { state, report } = await read();
  assert.deepEqual([state, report.outcome], ["checking", null]);
  assert.equal(report.acceptance?.accepted, false);
  assert.equal(report.acceptance?.failed[0], "invalid");
  const page = await (await server.fetch(`/r/${id}${query}`)).text();
  assert.doesNotMatch(page, /[Aa]ccepted/);
}, {
  verifier: (verifier) => ({
    ...verifier,
    references: {
      ...verifier.references,
      evaluate: (...args) =>
        gone
          ? Promise.reject(new EvaluatorUnavailable("evaluator-missing", "gone"))
          : verifier.references.evaluate(...args),
    },
  }),
});
