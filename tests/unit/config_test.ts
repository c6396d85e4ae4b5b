import assert from "node:assert/strict";
import { ConfigError, readConfig, VARIABLES } from "../../config.ts";

const read = (values: Record<string, string>) => readConfig((name) => values[name]);

Deno.test("defaults", () => {
  const defaults = {
    port: 8000,
    host: "127.0.0.1",
    kvPath: "data/touchstone.kv",
    publicUrl: null,
    evaluator: "auto",
  };
  const { port, host, kvPath, publicUrl, evaluator } = read({});
  assert.deepEqual({ port, host, kvPath, publicUrl, evaluator }, defaults);
  // A variable set to nothing is as good as unset.
  assert.deepEqual(read(Object.fromEntries(VARIABLES.map((name) => [name, ""]))), read({}));
});

Deno.test("values are read", () => {
  const config = read({
    PORT: "0",
    HOST: "::1",
    KV_PATH: ":memory:",
    PUBLIC_URL: "https://stone.example/t//",
    EVALUATOR: "official",
  });
  assert.equal(config.port, 0);
  assert.equal(config.host, "::1");
  assert.equal(config.kvPath, ":memory:");
  assert.equal(config.publicUrl, "https://stone.example/t");
  assert.equal(config.evaluator, "official");
});

Deno.test("malformed values are named, all at once", () => {
  const malformed: Record<string, string[]> = {
    PORT: ["x", "-1", "65536", "80.5", " 80", "0x50"],
    HOST: ["a b", "a/b", "[::1]"],
    PUBLIC_URL: ["example.org", "ftp://x", "https://u:p@x", "https://x?q", "https://x#f"],
    EVALUATOR: ["own", "AUTO"],
  };
  for (const [name, values] of Object.entries(malformed)) {
    for (const value of values) {
      assert.throws(() => read({ [name]: value }), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.ok(error.message.startsWith(`${name}: `), `${name}=${value}`);
        return true;
      }, `${name}=${value}`);
    }
  }
  assert.throws(
    () => read({ PORT: "x", EVALUATOR: "y" }),
    (error) => error instanceof ConfigError && /PORT: .*\nEVALUATOR: /.test(error.message),
  );
});
