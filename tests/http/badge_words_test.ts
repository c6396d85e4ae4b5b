/**
 * What badges say of links that ask for something amiss, of URLs that give no receipt, and of what was
 * seen long ago: message, title, headers and how long they may be kept.
 */
import assert from "node:assert/strict";
import { createKey, type KeyPair } from "../../lib/issuer/keys.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import type { IssuerStatus, Registry } from "../../lib/trust/registry.ts";
import { shieldsSchema } from "../../routes/schemas/index.ts";
import { LONGEST_SHOWN_MS } from "../../routes/badges/trouble.ts";
import { BUCKETS, type Policies } from "../../lib/limits/policy.ts";
import { setClock } from "../support/links.ts";
import { gzip, mint, post, serverTest, type TestServer } from "../support/server.ts";

/** A badge as its readers see it, in all formats alike. */
interface Seen {
  message: string;
  title: string;
  state: string | null;
  cache: string | null;
  isError: boolean;
}

async function see(server: TestServer, path: string, query = ""): Promise<Seen> {
  const json = await server.fetch(`${path}.json${query}`);
  assert.equal(json.headers.get("content-type"), "application/json");
  const { message, isError = false } = shieldsSchema.parse(await json.json());
  const svg = await server.fetch(`${path}.svg${query}`);
  assert.equal(svg.headers.get("content-type"), "image/svg+xml");
  const text = await svg.text();
  assert.ok(text.includes(`: ${message}"`), `${message}: ${text.slice(0, 300)}`);
  const png = await server.fetch(`${path}.png${query}`);
  assert.equal(png.headers.get("content-type"), "image/png");
  await png.body?.cancel();
  const state = svg.headers.get("touchstone-state");
  const cache = svg.headers.get("cache-control");
  for (const other of [json, png]) {
    assert.equal(other.headers.get("touchstone-state"), state);
    assert.equal(other.headers.get("cache-control"), cache);
  }
  for (const { status } of [json, svg, png]) assert.equal(status, 200);
  const title = /<title>(.*?)<\/title>/.exec(text)![1]!;
  return { message, title, state, cache, isError };
}

async function keep(server: TestServer, document: unknown): Promise<string> {
  const answer = await server.fetch("/api/results", post(document));
  assert.equal(answer.status, 201);
  return (await answer.json()).id;
}

const files = new Map<string, () => Response | Promise<Response>>();
const origin = async (request: Request) =>
  await files.get(new URL(request.url).pathname)?.() ?? new Response("nothing", { status: 404 });
const ofType = (body: BodyInit, type = "application/json") => () =>
  new Response(body, { headers: { "content-type": type } });

const urlOf = (server: TestServer, path: string) =>
  `?url=${encodeURIComponent(`${server.origin}${path}`)}`;

/** A registry that knows one key. */
function knowing(key: KeyPair, status: IssuerStatus = "active"): Registry {
  const { text: publicKey, keyId } = key.publicKey;
  return { issuers: [{ name: "Anna", publicKey, keyId, status }], policies: [] } as Registry;
}

const HOUR = 3_600_000;
const clock = setClock();

const ANNA = createKey(seededRandom("anna of the words"));
const WINDOW = "public, max-age=300, stale-while-revalidate=60";

/** Queries that ask for something which can't be read, and what the title names. */
const BAD_LINKS: [query: string, named: string][] = [
  ["Issuer=0000", "Issuer"],
  ["amp;issuer=0000", "amp;issuer"],
  ["style=flat&amp;issuer=0000", "amp;issuer"],
  ["issuers=0000", "issuers"],
  ["iss=0000", "iss"],
  ["max-age=1d", "max-age"],
  ["replay=all", "replay"],
  ["session-id=gs_AAAAAAAAAAAA", "session-id"],
  ["sha=00", "sha"],
  ["issuer%3D0000", "issuer=0000"],
  ["%20issuer=0000", "issuer"],
  ["issuer=", "issuer"],
  ["issuer", "issuer"],
  ["policy=", "policy"],
  ["session=", "session"],
  ["maxage=0d", "maxage"],
  ["replayed=ALL", "replayed"],
  ["sha256=x", "sha256"],
  ["context=a&context=b", "context"],
  ["v=2?issuer=0000", "issuer"],
  ["style=flat;issuer=0000", "issuer"],
  ["style=flat%26issuer%3D0000", "issuer"],
  ["style=flat%2526issuer%253D0000", "issuer"],
  ["theme=dark;replayed=all", "replayed"],
  ["scale=1?maxage=1d", "maxage"],
  ["cacheSeconds=600;policy=x", "policy"],
  ["utm_source=readme;issuer=0000", "issuer"],
  ["label=mine;issuer=0000", "issuer"],
];

serverTest("a link that can't be read accepts nothing, by id, session and URL", async (server) => {
  files.clear();
  const { envelope, session } = await mint(server, { key: ANNA });
  files.set("/one", ofType(JSON.stringify(envelope)));
  const id = await keep(server, envelope);
  const one = urlOf(server, "/one");
  const sources: [path: string, query: string, message: string][] = [
    [`/badge/${id}`, "?", "not accepted · bad link"],
    [`/badge/session/${session.sessionId}`, "?", "not accepted · bad link"],
    ["/badge", `${one}&`, "not accepted · bad link"],
    // Nor where there is nothing to be accepted: the link has to be mended first.
    [`/badge/${"0".repeat(64)}`, "?", "not accepted · bad link"],
    ["/badge/session/gs_notstoredyet", "?", "not accepted · bad link"],
  ];
  for (const [path, start, message] of sources) {
    for (const [query, named] of BAD_LINKS) {
      const seen = await see(server, path, `${start}${query}`);
      assert.equal(seen.message, message, `${path} ${query}`);
      assert.match(seen.state!, /^not-accepted; code=[a-z-]+$/, query);
      assert.ok(seen.title.startsWith("Not accepted: "), seen.title);
      assert.ok(seen.title.includes(named), `${query}: ${seen.title}`);
      assert.ok(seen.isError);
    }
  }
  // The separator of the link's own parameters, written into the URL.
  for (const slip of ["?issuer=0000", ";issuer=0000", "&amp;issuer=0000"]) {
    const seen = await see(server, "/badge", `${one}${slip}`);
    assert.equal(seen.message, "not accepted · bad link", slip);
  }
}, { origin, registry: knowing(ANNA) });

serverTest("what isn't a requirement changes nothing but the title", async (server) => {
  files.clear();
  const { envelope, session } = await mint(server, { key: ANNA });
  const id = await keep(server, envelope);
  files.set("/one", ofType(JSON.stringify(envelope)));
  const plain = await see(server, `/badge/${id}`);
  assert.equal(plain.message, "2/2 passed");
  assert.equal(plain.state, "verified");
  assert.equal(plain.isError, false);
  const queries: [query: string, told: RegExp | null][] = [
    ["v=2", null],
    ["utm_source=readme&utm_campaign=a=b", null],
    ["t=1764547200", null],
    ["label=issuer%3Dme", null],
    ["Style=flat", /parameter Style isn.*style may be meant\./],
    ["cacheseconds=600", /parameter cacheseconds isn.*cacheSeconds may be meant\./],
    ["amp;style=flat", /parameter amp;style isn/],
    ["style=nope", /asks for no style that there is: flat, /],
    ["theme=pink", /asks for no theme that there is: /],
    ["scale=9", /scale is no whole number from 1 to 3\./],
    ["cacheSeconds=1e9", /cacheSeconds is no whole number from 300 to 86400\./],
    ["style=flat&style=plastic", /gives style twice, and the first counts\./],
  ];
  const sources: [path: string, query: string][] = [
    [`/badge/${id}`, "?"],
    [`/badge/session/${session.sessionId}`, "?"],
    ["/badge", `${urlOf(server, "/one")}&`],
  ];
  for (const [path, start] of sources) {
    for (const [query, told] of queries) {
      const seen = await see(server, path, `${start}${query}`);
      assert.equal(seen.message, "2/2 passed", query);
      assert.equal(seen.state, "verified", query);
      if (told === null) assert.equal(seen.title, plain.title, query);
      else assert.match(seen.title, told);
      assert.doesNotMatch(seen.title, /nope|pink|1e9/);
    }
  }
  // A URL's own query may hold anything.
  const nested = encodeURIComponent(`${server.origin}/one?x=1&issuer=0000;replayed=all`);
  assert.equal((await see(server, "/badge", `?url=${nested}`)).message, "2/2 passed");
  const webp = await (await server.fetch(`/badge/${id}.webp`)).text();
  assert.match(webp, /<title>.*Badges come as svg, png and json; this is the svg\.<\/title>/);
}, { origin, registry: knowing(ANNA) });

serverTest("by URL: each trouble has its word, its sentence and the API's code", async (server) => {
  files.clear();
  const { envelope } = await mint(server);
  const text = JSON.stringify(envelope);
  files.set("/page", ofType("<!doctype html><p>A page.</p>", "text/html"));
  files.set("/text", ofType("no receipt at all", "text/plain"));
  files.set("/cut", ofType(text.slice(0, 200)));
  files.set("/array", ofType("[]"));
  files.set("/bundle", ofType('{"documents":[]}'));
  files.set("/nothing", ofType(""));
  files.set("/object", ofType("{}"));
  files.set("/number", ofType("42"));
  files.set("/latin", ofType(new Uint8Array([0x7b, 0x22, 0xe4, 0x22, 0x7d])));
  files.set("/deep", ofType("[".repeat(70) + "]".repeat(70)));
  const packed = await gzip(text);
  files.set("/gzip", ofType(packed.slice(0, -9), "application/gzip"));
  files.set("/image", ofType("x", "image/png"));
  files.set("/large", ofType(`"${"x".repeat(4_500_000)}"`));
  files.set("/down", () => new Response("", { status: 500 }));
  files.set("/loop", () => new Response(null, { status: 302, headers: { location: "/loop" } }));
  files.set("/brotli", () =>
    new Response("x", {
      headers: { "content-type": "application/json", "content-encoding": "compress" },
    }));
  const at = (path: string) => `${server.origin}${path}`;
  const cases: [url: string, message: string, sentence: RegExp][] = [
    [at("/page"), "not a receipt", /web page/],
    [at("/text"), "not a receipt", /JSON/],
    [at("/cut"), "not a receipt", /JSON/],
    [at("/array"), "not a receipt", /document/],
    [at("/bundle"), "not a receipt", /document/],
    [at("/nothing"), "not a receipt", /empty|document|JSON/],
    [at("/latin"), "not a receipt", /UTF-8/],
    [at("/deep"), "not a receipt", /deep|levels/],
    [at("/gzip"), "not a receipt", /gzip/],
    [at("/image"), "not a receipt", /type/],
    [at("/large"), "not a receipt", /larger than anything/],
    [at("/brotli"), "not a receipt", /packed/],
    [at("/missing"), "unreachable", /status is 404/],
    [at("/down"), "unreachable", /status is 500/],
    [at("/loop"), "unreachable", /redirects/],
    ["http://127.0.0.1:1/x", "unreachable", /./],
    ["https://192.168.0.1/x", "unreachable", /no public host/],
    ["https://user:word@example.org/x", "unreachable", /user name/],
    ["https://example.org:22/x", "unreachable", /port/],
    ["http://example.org/x", "unreachable", /Only https/],
    ["ftp://example.org/x", "unreachable", /Only https/],
    ["nonsense", "unreachable", /no whole address/],
    ["", "unreachable", /no whole address/],
  ];
  for (const [url, message, sentence] of cases) {
    const query = `?url=${encodeURIComponent(url)}`;
    const api = await server.fetch(`/api/verify${query}`);
    const { code } = await api.json();
    assert.ok(api.status >= 400 && typeof code === "string", `${url}: ${api.status}`);
    const seen = await see(server, "/badge", query);
    assert.equal(seen.message, message, url);
    assert.equal(seen.state, `${message.replaceAll(" ", "-")}; code=${code}`, url);
    assert.ok(seen.title.endsWith(`Problem code: ${code}.`), seen.title);
    assert.match(seen.title, sentence, seen.title);
    assert.equal(seen.cache, "no-store", url);
  }
  // The receipt is there, and wasn't looked at for what stands beside it.
  for (const pools of [[{}], {}, "x", Array.from({ length: 200 }, () => ({}))]) {
    files.set("/pools", ofType(JSON.stringify({ documents: [envelope], pools })));
    const query = urlOf(server, "/pools");
    clock.pass(HOUR);
    const { code } = await (await server.fetch(`/api/verify${query}`)).json();
    assert.match(code, /^(?:pool-invalid|pools-malformed|too-many-pools)$/);
    const seen = await see(server, "/badge", query);
    assert.equal(seen.message, "not finished");
    assert.equal(seen.state, `not-finished; code=${code}`);
    assert.equal(seen.cache, "no-store");
  }
  // Read and reported on: the code is the report's.
  for (const path of ["/object", "/number"]) {
    const query = urlOf(server, path);
    const { results } = await (await server.fetch(`/api/verify${query}`)).json();
    const seen = await see(server, "/badge", query);
    assert.equal(seen.message, "not a receipt", path);
    assert.ok(seen.title.includes(`It looks like ${results[0].looksLike}.`), seen.title);
    assert.equal(seen.state, `not-a-receipt; code=${results[0].reason.code}`);
  }
  const none = await see(server, "/badge");
  assert.equal(none.message, "not found");
  assert.equal(none.state, "not-found; code=query-malformed");
  assert.match(none.title, /its parameter url is missing\./);
}, { origin, fetching: { clock: clock.read } });

serverTest("where nothing is fetched, badges by URL say so", async (server) => {
  const seen = await see(server, "/badge", "?url=https%3A%2F%2Fexample.org%2Fx");
  assert.deepEqual([seen.message, seen.state], ["unreachable", "unreachable; code=fetch-off"]);
}, { fetching: false });

serverTest("by URL: what was seen long ago says when, and isn't shown for good", async (server) => {
  files.clear();
  const { envelope } = await mint(server, { key: ANNA });
  const query = urlOf(server, "/mine");
  const good = ofType(JSON.stringify(envelope));
  files.set("/mine", good);
  const now = await see(server, "/badge", query);
  assert.deepEqual([now.message, now.cache, now.isError], ["2/2 passed", WINDOW, false]);
  files.set("/mine", () => new Response("", { status: 500 }));
  const ages: [hours: number, seen: string | null][] = [
    [0.5, null],
    [0.99, null],
    [1.2, "seen 1 h ago"],
    [2.9, "seen 2 h ago"],
    [23.9, "seen 23 h ago"],
    [24.1, "seen 1 d ago"],
    [6.9 * 24, "seen 6 d ago"],
  ];
  let at = 0;
  for (const [hours, seen] of ages) {
    clock.pass((hours - at) * HOUR);
    at = hours;
    // While it is known from less than an hour ago, nobody waits for the host.
    const badge = await see(server, "/badge", query);
    assert.equal(badge.message, seen === null ? "2/2 passed" : `2/2 passed · ${seen}`);
    if (seen === null) continue;
    // Never as sure as what is known, though it is the same.
    assert.ok(badge.isError);
    assert.ok(badge.title.includes(seen), badge.title);
    assert.equal(badge.state, "verified");
    assert.equal(badge.cache, WINDOW);
  }
  clock.pass(LONGEST_SHOWN_MS - at * HOUR + HOUR);
  const gone = await see(server, "/badge", `${query}&cacheSeconds=86400`);
  assert.equal(gone.message, "unreachable");
  assert.equal(gone.state, "unreachable; code=fetch-status");
  assert.equal(gone.cache, "no-store");
  assert.match(gone.title, /more than 7 days ago/);
  files.set("/mine", good);
  clock.pass(HOUR);
  assert.equal((await see(server, "/badge", query)).message, "2/2 passed");
}, { origin, fetching: { clock: clock.read }, registry: knowing(ANNA) });

serverTest("what is old says so before its signer's name is missed, too", async (server) => {
  files.clear();
  const { envelope } = await mint(server, { answers: ["right", "wrong"], minPass: 2 });
  const query = urlOf(server, "/mine");
  files.set("/mine", ofType(JSON.stringify(envelope)));
  await see(server, "/badge", query);
  files.set("/mine", () => new Response("", { status: 500 }));
  clock.pass(3 * HOUR);
  const { message } = await see(server, "/badge", query);
  assert.equal(message, "1/2 passed · failed · unknown issuer · seen 3 h ago");
  const refused = await see(server, "/badge", `${query}&context=there`);
  assert.equal(
    refused.message,
    "not accepted · other context · unknown issuer · seen 3 h ago",
  );
}, { origin, fetching: { clock: clock.read } });

serverTest("a page hands on to its badge what slipped into a look", async (server) => {
  const id = await keep(server, (await mint(server, { key: ANNA })).envelope);
  for (const query of ["style=flat;issuer=0000", "label=mine%3Bissuer%3D0000", "Issuer=0000"]) {
    const page = await (await server.fetch(`/r/${id}?${query}`)).text();
    assert.match(page, /Not accepted: bad link\./);
    const [, badge = ""] = /src="(\/badge\/[^"]*\.svg\?[^"]*)"/.exec(page) ?? [];
    const svg = await (await server.fetch(badge.replaceAll("&amp;", "&"))).text();
    assert.match(svg, /aria-label="touchstone: not accepted · bad link"/, query);
  }
}, { registry: knowing(ANNA) });

/** Seconds for which an answer may be shown, by all directives of its Cache-Control together. */
function windowOf(cache: string | null): number {
  if (cache === "no-store") return 0;
  const [, maxAge, grace = "0"] =
    /^public, max-age=(\d+)(?:, stale-while-revalidate=(\d+))?$/.exec(cache ?? "") ?? [];
  assert.ok(maxAge !== undefined, `${cache}`);
  return Number(maxAge) + Number(grace);
}

/** What the clock of a service shows. */
let time = 0;

serverTest("how long each kind of badge may be shown", async (server) => {
  files.clear();
  time = Date.now();
  const { envelope, session } = await mint(server, { key: ANNA });
  const id = await keep(server, envelope);
  const decided = Date.parse(JSON.parse(envelope.payload).verdict.decidedAt);
  const forged = { ...envelope, payload: envelope.payload.replace('"pass":true', '"pass":false') };
  const invalid = await keep(server, forged);
  files.set("/one", ofType(JSON.stringify(envelope)));
  files.set("/page", ofType("<p>", "text/html"));
  const day = 86_400_000;
  const table: [path: string, query: string, sinceDecided: number, window: number][] = [
    [`/badge/${id}`, "", day, 360],
    [`/badge/${id}`, "cacheSeconds=0", day, 360],
    [`/badge/${id}`, "cacheSeconds=3600", day, 3660],
    [`/badge/${id}`, "cacheSeconds=86400", day, 86_460],
    [`/badge/${id}`, "cacheSeconds=999999", day, 86_460],
    [`/badge/${invalid}`, "", day, 360],
    [`/badge/${id}`, "context=there", day, 360],
    [`/badge/${id}`, "Issuer=x", day, 360],
    [`/badge/session/${session.sessionId}`, "", day, 360],
    ["/badge", `${urlOf(server, "/one").slice(1)}`, day, 360],
    // Too old from then on.
    [`/badge/${id}`, "maxage=30d", day, 360],
    [`/badge/${id}`, "maxage=1d", day - 3_600_000, 360],
    [`/badge/${id}`, "maxage=1d&cacheSeconds=86400", day - 100_000_000, 360],
    [`/badge/${id}`, "maxage=1d", day - 330_000, 330],
    [`/badge/${id}`, "maxage=1d", day - 200_000, 200],
    [`/badge/${id}`, "maxage=1d&cacheSeconds=86400", day - 200_000, 200],
    [`/badge/${id}`, "maxage=1d", day - 500, 0],
    [`/badge/session/${session.sessionId}`, "maxage=1d", day - 200_000, 200],
    ["/badge", `${urlOf(server, "/one").slice(1)}&maxage=1d`, day - 200_000, 200],
    // It is, and stays so.
    [`/badge/${id}`, "maxage=1d", day + 1000, 360],
    // Decided in what is still the future: not accepted, for so long.
    [`/badge/${id}`, "maxage=1d", -100_000, 100],
    // What may say something else any moment, whatever is asked for.
    [`/badge/${"0".repeat(64)}`, "cacheSeconds=86400", day, 0],
    ["/badge/session/gs_notstoredyet", "cacheSeconds=86400", day, 0],
    ["/badge", "cacheSeconds=86400", day, 0],
    ["/badge", `${urlOf(server, "/page").slice(1)}&cacheSeconds=86400`, day, 0],
    ["/badge", "url=nonsense", day, 0],
    [`/badge/${"0".repeat(64)}`, "Issuer=x", day, 0],
  ];
  for (const [path, query, since, window] of table) {
    time = decided + since;
    const { cache } = await see(server, path, `?${query}`);
    assert.equal(windowOf(cache), window, `${path}?${query} ${since}: ${cache}`);
    const json = await server.fetch(`${path}.json?${query}`);
    const { cacheSeconds } = shieldsSchema.parse(await json.json());
    // Shields keeps it for so long by itself, and takes no less.
    assert.ok(cacheSeconds <= Math.max(300, window), `${cacheSeconds}`);
  }
}, { origin, registry: knowing(ANNA), now: () => time });

const FORMATS = { svg: "image/svg+xml", png: "image/png", json: "application/json" };

serverTest("a fault and a renderer that is down leave an image with status 200", async (server) => {
  const id = await keep(server, (await mint(server)).envelope);
  const paths = [`/badge/${id}`, `/badge/${"0".repeat(64)}`, "/badge/session/gs_notyet", "/badge"];
  for (const path of paths) {
    for (const [format, type] of Object.entries(FORMATS)) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await server.fetch(`${path}.${format}`, { method });
        assert.equal(answer.status, 200, path);
        // Nothing can be drawn, so that an SVG with text in it stands for the PNG.
        const drawn = format === "json" ? type : "image/svg+xml";
        assert.equal(answer.headers.get("content-type"), drawn);
        if (format !== "json") assert.equal(answer.headers.get("cache-control"), "no-store");
        await answer.body?.cancel();
      }
    }
  }
}, {
  renderer: { render: () => Promise.reject(new Error("no renderer")), close() {} },
});

serverTest("over the limit and without a renderer an image comes, too", async (server) => {
  for (let round = 0; round < 3; round++) {
    for (const format of Object.keys(FORMATS)) {
      const answer = await server.fetch(`/badge/${"0".repeat(64)}.${format}`);
      assert.equal(answer.status, 200);
      const state = answer.headers.get("touchstone-state");
      assert.equal(state, round === 0 && format === "svg" ? "not-found" : "checking");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      await answer.body?.cancel();
    }
  }
}, {
  renderer: { render: () => Promise.reject(new Error("no renderer")), close() {} },
  limits: Object.fromEntries(
    BUCKETS.map((name) => [name, { name, quota: 1, window: 1e6 }]),
  ) as Policies,
});
