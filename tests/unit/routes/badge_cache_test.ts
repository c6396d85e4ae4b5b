/** How badges are sent: encodings, what an address may say, drawing once. */
import assert from "node:assert/strict";
import { renderBadge } from "../../../lib/badge/render.ts";
import { createBadgeServer } from "../../../routes/badges/badge_cache.ts";
import { badgeQuery } from "../../../routes/badges/query.ts";
import { createBadges } from "../../../routes/badges/badges.ts";
import { codingFor } from "../../../routes/http/encoding.ts";
import type { Services } from "../../../routes/http/services.ts";
import { BADGES, report } from "../../support/badges.ts";

Deno.test("the coding is the client's favourite among those at hand", () => {
  const cases: [header: string | null, coding: string][] = [
    [null, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP", "gzip"],
    ["deflate", "identity"],
    ["*", "br"],
    ["identity", "identity"],
    ["br;q=0.5, gzip", "gzip"],
    ["br; q=0.5 , gzip; q=0.8", "gzip"],
    ["br;q=0.8,gzip;q=0.8", "br"],
    ["gzip;q=0.5, identity", "identity"],
    ["gzip;q=0.5, identity;q=0.4", "gzip"],
    ["gzip;q=0.001", "gzip"],
    ["br;q=0, *", "gzip"],
    ["br;q=0, gzip;q=0", "identity"],
    ["gzip;q=0", "identity"],
    // Nothing is acceptable: an image comes all the same.
    ["*;q=0", "identity"],
    ["identity;q=0", "identity"],
    ["identity;q=0, gzip", "gzip"],
    ["gzip, *;q=0", "gzip"],
    // Weights that are none.
    ["br;q=2, gzip;q=0.1", "gzip"],
    ["br;q=abc", "identity"],
    ["br;q=, gzip", "gzip"],
    [",,;;,", "identity"],
    ["__proto__, constructor", "identity"],
  ];
  for (const [header, coding] of cases) assert.equal(codingFor(header), coding, `${header}`);
});

Deno.test("a badge's query: nearest numbers, nothing for the rest", () => {
  const read = (query: string) => badgeQuery(new URLSearchParams(query));
  const none = {
    style: undefined,
    theme: undefined,
    label: undefined,
    scale: undefined,
    cacheSeconds: 300,
  };
  assert.deepEqual(read(""), none);
  assert.deepEqual(read("style=x&theme=x&scale=x&cacheSeconds=x"), none);
  assert.deepEqual(read("style=card&theme=auto&label=a&scale=3&cacheSeconds=600"), {
    style: "card",
    theme: "auto",
    label: "a",
    scale: 3,
    cacheSeconds: 600,
  });
  const scales = { "0": 1, "-5": 1, "1.4": 1, "2.6": 3, "99": 3, "Infinity": undefined };
  for (const [text, scale] of Object.entries(scales)) {
    assert.equal(read(`scale=${text}`).scale, scale);
  }
  const times = { "0": 300, "301": 301, "86400": 86_400, "86401": 86_400, "0x500": 300, "": 300 };
  for (const [text, seconds] of Object.entries(times)) {
    assert.equal(read(`cacheSeconds=${text}`).cacheSeconds, seconds);
  }
});

const ASK = new Request("http://localhost/badge");
const FLAT = { format: "svg", cacheSeconds: 300 } as const;

Deno.test("many who ask for one cold badge wait for one drawing, and so do badges that read alike", async () => {
  let drawings = 0;
  const serve = createBadgeServer(
    () => assert.fail("no fault"),
    (badge, options) => {
      drawings++;
      return renderBadge(badge, options);
    },
  );
  const badge = BADGES["admission"]!;
  const ask = async (options: Partial<Parameters<typeof serve>[2]> = {}, other = badge) =>
    await (await serve(ASK, other, { ...FLAT, ...options })).text();
  const all = await Promise.all(Array.from({ length: 50 }, () => ask()));
  assert.equal(new Set(all).size, 1);
  assert.equal(drawings, 1);
  // The same picture, whatever is of no use to it.
  await ask({}, { ...badge, state: "checking" });
  await ask({ theme: "dark", scale: 3, cacheSeconds: 900 });
  assert.equal(drawings, 1);
  await ask({ style: "plastic" });
  await ask({}, { ...badge, title: "Another." });
  await ask({}, { ...badge, label: "another" });
  assert.equal(drawings, 4);
  await ask({ style: "card" });
  await ask({ style: "card", theme: "dark" });
  await ask({ format: "png", scale: 1 });
  await ask({ format: "png", scale: 2 });
  assert.equal(drawings, 8);
  // There is nothing to draw.
  await ask({ format: "json" });
  await ask({ format: "json", cacheSeconds: 900 });
  assert.equal(drawings, 8);
});

Deno.test("what is remembered is bounded by its bytes", async () => {
  let drawings = 0;
  const body = "x".repeat(1024 * 1024);
  const serve = createBadgeServer(() => {}, () => {
    drawings++;
    return Promise.resolve({ body, type: "image/svg+xml" });
  });
  const ask = async (label: string) =>
    await (await serve(ASK, { ...BADGES["admission"]!, label }, FLAT)).body?.cancel();
  for (let index = 0; index < 40; index++) await ask(`${index}`);
  await ask("39");
  assert.equal(drawings, 40);
  await ask("0");
  assert.equal(drawings, 41);
});

Deno.test("a badge that can't be drawn is said in plain text, and tried again", async () => {
  const faults: unknown[] = [];
  let fails = true;
  const serve = createBadgeServer((error) => void faults.push(error), (badge, options) => {
    if (fails) return Promise.reject(new Error("no font"));
    return renderBadge(badge, options);
  });
  const badge = BADGES["admission-unreplayed"]!;
  const failed = await serve(ASK, badge, { ...FLAT, format: "png" });
  assert.equal(failed.status, 200);
  assert.equal(failed.headers.get("content-type"), "image/svg+xml");
  assert.equal(failed.headers.get("cache-control"), "no-store");
  assert.equal(failed.headers.get("etag"), null);
  assert.match(await failed.text(), />3\/4 passed · 2 unreplayed<\/text>/);
  assert.equal(faults.length, 1);
  fails = false;
  const drawn = await serve(ASK, badge, { ...FLAT, format: "png" });
  assert.equal(drawn.headers.get("content-type"), "image/png");
  assert.ok(drawn.headers.get("etag"));
  await drawn.body?.cancel();
});

Deno.test("states that pass are sent without a tag, and never kept", async () => {
  const serve = createBadgeServer(() => assert.fail("no fault"));
  for (const kind of ["checking", "not-found", "unreachable", "not-finished"]) {
    const answer = await serve(ASK, BADGES[kind]!, { ...FLAT, cacheSeconds: 86_400 });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.headers.get("etag"), null);
    assert.equal(answer.headers.get("content-type"), "image/svg+xml");
    await answer.body?.cancel();
  }
  for (const kind of ["gone", "ambiguous", "conflicting", "invalid", "refused-issuer"]) {
    const answer = await serve(ASK, BADGES[kind]!, FLAT);
    assert.match(answer.headers.get("cache-control")!, /^public, max-age=300,/);
    assert.ok(answer.headers.get("etag"));
    await answer.body?.cancel();
  }
});

Deno.test("a fault while reading is told to the operator, and an image comes all the same", async () => {
  const faults: unknown[] = [];
  const row = { state: "current", result: { ...report(), revision: "1" } };
  const failing = () => Promise.reject(new TypeError("a fault of ours"));
  const routes = (store: Record<string, () => Promise<unknown>>) =>
    createBadges({
      store,
      links: null,
      limits: null,
      clientOf: () => null,
      registry: { issuers: [], policies: [] },
      now: () => 0,
      renderBadge,
      onFault: (error: unknown) => faults.push(error),
    } as unknown as Services).routes;
  const unread = routes({ badgeRow: failing, report: failing });
  const cardless = routes({ badgeRow: () => Promise.resolve(row), report: failing });
  const path = `/badge/${"1".repeat(64)}.svg?style=card`;
  for (const [index, app] of [unread, cardless].entries()) {
    const answer = await app.request(path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.match(await answer.text(), /aria-label="receipt: checking"/);
    assert.equal(faults.length, index + 1);
  }
  // Only the card needs the report.
  const flat = await cardless.request(path.replace("card", "flat"));
  assert.match(await flat.text(), /aria-label="clankdar: 3\/4 passed · unknown issuer"/);
});
