/** The table of paths against the application, and what is derived from the table. */
import assert from "node:assert/strict";
import { createApp } from "../../../routes/app.ts";
import { openApi } from "../../../routes/api/openapi.ts";
import {
  audienceOf,
  bucketOf,
  changesState,
  isMarked,
  isReadableElsewhere,
  routeOf,
  ROUTES,
} from "../../../routes/table.ts";
import { inLineChecker } from "../../../service/checker.ts";
import { createServices } from "../../../service/services.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";

const ID = "0123456789abcdef".repeat(4);

/** A path as somebody would ask for it. */
const asked = (path: string) =>
  path.replace("/:rest{badge\\..+}", "/badge.x/y").replace("/:file{badge\\.[^/]+}", "/badge.x")
    .replace("*", "a/b").replace(":file", `${ID}.svg`)
    .replace(/:\w+/, ID);

Deno.test("every route of the application is in the table, and the other way round", async () => {
  const kv = await Deno.openKv(":memory:");
  const verifier = createVerifyContext("auto");
  const app = createApp(createServices({
    kv,
    checker: inLineChecker(verifier),
    references: verifier.references,
    publicUrl: null,
  }));
  try {
    const known = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
    const listed = ROUTES.map(([method, path]) => `${method} ${path}`);
    assert.ok(listed.length > 40);
    assert.deepEqual([...known].sort(), [...listed].sort());
    assert.equal(new Set(listed).size, listed.length, "each stands there once");
  } finally {
    await app.close();
    kv.close();
  }
});

Deno.test("the description has every route that the table says is described, and no other", () => {
  const { paths } = openApi("https://stone.example");
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
  ).filter((name) => !name.startsWith("GET /badge"));
  const marked = ROUTES.filter((route) => isMarked(route, "described"))
    .map(([method, path]) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  assert.deepEqual(described.sort(), marked.sort());
});

Deno.test("a path finds its own row", () => {
  for (const route of ROUTES) {
    const [method, path] = route;
    assert.equal(routeOf(method, asked(path))?.[1], path, path);
    if (method === "GET") assert.equal(routeOf("HEAD", asked(path))?.[1], path);
  }
  for (const path of ["/nothing", "/api/results/", `/r/${ID}/x`, "/api/pools/a/b", "/badges"]) {
    assert.equal(routeOf("GET", path), null, path);
  }
  assert.equal(routeOf("POST", "/badge.svg"), null);
  assert.equal(routeOf("DELETE", "/api/pools"), null);
});

Deno.test("whatever is sent to change something is marked, and only checking is not", () => {
  const posts = ROUTES.filter(([method]) => method === "POST");
  const harmless = posts.filter((route) => !isMarked(route, "changes")).map(([, path]) => path);
  assert.deepEqual(harmless, ["/api/verify"]);
  assert.ok(ROUTES.every((route) => route[0] === "POST" || !isMarked(route, "changes")));
  assert.ok(changesState("POST", "/nothing") && changesState("DELETE", "/api/pools"));
  assert.ok(!changesState("OPTIONS", "/api/pools") && !changesState("HEAD", "/api/pools"));
});

Deno.test("pages of other sites read the API and badges, and send nothing that changes", () => {
  for (const route of ROUTES) {
    const [method, path, , audience] = route;
    const isOpen = isReadableElsewhere(method, asked(path));
    assert.ok(!isOpen || audience === "programs" && !isMarked(route, "changes"), path);
    const isRead = method === "GET" && /^\/(?:api\/|badge|:\w+\{badge)/.test(path);
    assert.equal(isOpen, isRead || path === "/api/verify", `${method} ${path}`);
  }
  assert.ok(isReadableElsewhere("GET", "/api/nothing"), "the problem can be read");
  assert.ok(!isReadableElsewhere("POST", "/api/nothing"));
  assert.ok(!isReadableElsewhere("GET", "/nothing"));
});

Deno.test("whom a path is for", () => {
  assert.equal(audienceOf("/api"), "people");
  assert.equal(audienceOf("/api/nothing"), "programs");
  assert.equal(audienceOf("/badge/x/y/z"), "programs");
  assert.equal(audienceOf("/healthz"), "programs");
  assert.equal(audienceOf("/"), "people");
  assert.equal(audienceOf("/nothing"), "people");
});

Deno.test("who pays for a request", () => {
  for (
    const [method, path, bucket] of [
      ["POST", "/api/verify", "verify"],
      ["GET", "/api/verify", "verify"],
      ["HEAD", "/api/verify", "verify"],
      ["POST", "/api/results", "verify"],
      ["POST", "/api/refresh", "verify"],
      ["POST", "/verify", "verify"],
      ["GET", "/verify", "read"],
      ["POST", "/pools", "publish"],
      ["POST", "/api/pools", "publish"],
      ["GET", "/api/pools", "read"],
      ["GET", `/r/${ID}`, "read"],
      ["GET", "/nothing", "read"],
      ["GET", `/badge/${ID}.svg`, null],
      ["GET", "/badge.svg", null],
      ["GET", "/healthz", null],
      ["GET", "/style.css", null],
      ["OPTIONS", "/api/pools", null],
    ] as const
  ) assert.equal(bucketOf(method, path), bucket, `${method} ${path}`);
  assert.equal(bucketOf("GET", "/verify", true), "verify");
  assert.equal(bucketOf("GET", "/pools", true), "read");
});
