/** Names that every object inherits, in addresses, queries and forms. */
import assert from "node:assert/strict";
import { problemSchema } from "../../routes/schemas/index.ts";
import { keep } from "../support/disclosure.ts";
import { mint, serverTest } from "../support/server.ts";

const NAMES = [...Object.getOwnPropertyNames(Object.prototype), "prototype", "then", "0"];

serverTest("paths: nothing is found under a name that every object inherits", async (server) => {
  for (const name of NAMES) {
    for (
      const path of [
        `/${name}`,
        `/r/${name}`,
        `/api/${name}`,
        `/api/results/${name}`,
        `/api/results/${name}/document`,
        `/api/pools/${name}`,
        `/api/pools/${name}/results`,
        `/api/pools/${name}/upgrade`,
        `/pools/${name}`,
        `/problems/${name}`,
      ]
    ) {
      const answer = await server.fetch(path);
      assert.equal(answer.status, 404, path);
      await answer.body?.cancel();
    }
    // Of badges, the words are the status.
    for (
      const path of [
        `/badge/${name}`,
        `/badge/${name}.svg`,
        `/badge/${"0".repeat(64)}.${name}`,
        `/badge/session/${name}.svg`,
      ]
    ) {
      const answer = await server.fetch(path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("touchstone-state"), "not-found", path);
      await answer.body?.cancel();
    }
  }
  assert.deepEqual(server.logs, []);
});

serverTest(
  "queries: an unknown parameter is refused or ignored, whatever its name",
  async (server) => {
    const { envelope } = await mint(server);
    const { id } = await keep(server, envelope);
    const strict = ["/api/results", `/api/results/${id}`, "/api/pools", "/api/feed", "/pools"];
    const lenient = ["/", `/r/${id}`, "/api/openapi.json", `/badge/${id}.json`, "/evaluator"];
    for (const name of NAMES) {
      for (
        const query of [`?${name}=x`, `?${name}`, `?${name}=a&${name}=b`, `?a=${name}&${name}[]=x`]
      ) {
        for (const path of strict) {
          const answer = await server.fetch(path + query);
          assert.equal(answer.status, 400, path + query);
          const text = await answer.text();
          if (path.startsWith("/api/")) {
            assert.equal(problemSchema.parse(JSON.parse(text)).code, "query-malformed");
          }
        }
        for (const path of lenient) {
          const answer = await server.fetch(path + query);
          assert.equal(answer.status, 200, path + query);
          await answer.body?.cancel();
        }
      }
      for (const parameter of ["issuer", "policy"]) {
        const answer = await server.fetch(`/api/results/${id}?${parameter}=${name}`);
        assert.equal(problemSchema.parse(await answer.json()).code, `${parameter}-unknown-name`);
      }
    }
    assert.deepEqual(server.logs, []);
  },
);

serverTest("forms: unknown fields are ignored, whatever their names", async (server) => {
  const { envelope } = await mint(server);
  for (const name of NAMES) {
    const multipart = new FormData();
    multipart.set("document", JSON.stringify(envelope));
    multipart.set("action", name);
    multipart.set(name, "x");
    const encoded = new URLSearchParams({ document: JSON.stringify(envelope), action: "verify" });
    encoded.set(name, "x");
    for (const body of [multipart, encoded]) {
      const answer = await server.fetch("/verify", { method: "POST", body });
      assert.equal(answer.status, 200, name);
      assert.match(await answer.text(), /<article class="report verified">/, name);
    }
    const pool = new FormData();
    pool.set(name, "x");
    const answer = await server.fetch("/pools", { method: "POST", body: pool });
    assert.equal(answer.status, 400, name);
    await answer.body?.cancel();
  }
  assert.deepEqual(server.logs, []);
});

Deno.test("the command line knows no command or subcommand by such a name", async () => {
  const root = new URL("../../", import.meta.url).pathname;
  for (
    const args of [["__proto__"], ["constructor"], ["issuer", "toString"], ["store", "valueOf"]]
  ) {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", `${root}main.ts`, ...args],
      cwd: root,
      stdin: "null",
    }).output();
    assert.equal(code, 3, args.join(" "));
    assert.match(new TextDecoder().decode(stderr), /command/);
  }
});
