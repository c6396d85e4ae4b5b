import assert from "node:assert/strict";
import { ConfigError, readConfig, VARIABLES } from "../../../service/config.ts";

const read = (values: Record<string, string>) => readConfig((name) => values[name]);

Deno.test("defaults", () => {
  const defaults = {
    port: 8000,
    host: "127.0.0.1",
    kv: { kind: "file", path: "data/touchstone.kv" },
    deployed: false,
    publicUrl: null,
    evaluator: "auto",
    quotas: { bytes: null, documentsPerHour: null },
    workers: navigator.hardwareConcurrency - 1,
    time: { document: 3000, input: 9000 },
    retentionDays: null,
    limits: {
      verify: { name: "verify", quota: 300, window: 60 },
      publish: { name: "publish", quota: 20, window: 60 },
      read: { name: "read", quota: 600, window: 60 },
      badge: { name: "badge", quota: 12_000, window: 60 },
      draw: { name: "draw", quota: 1200, window: 60 },
      look: { name: "look", quota: 600, window: 60 },
    },
    maxConnections: 1000,
    trustedProxies: [],
    fetch: { allowHosts: new Set(), ports: new Set([443, 8443]) },
  };
  assert.deepEqual(read({}), defaults);
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
    QUOTA_BYTES: "1000000",
    QUOTA_DOCUMENTS_PER_HOUR: "60",
    RETENTION_DAYS: "365",
    VERIFY_WORKERS: "0",
    VERIFY_MS: "500",
    FETCH_ALLOW_HOSTS: " Files.Example, 127.0.0.1:8000,[::1]:80 ",
    FETCH_PORTS: "443, 9443",
  });
  assert.equal(config.port, 0);
  assert.equal(config.host, "::1");
  assert.deepEqual(config.kv, { kind: "file", path: ":memory:" });
  assert.equal(config.publicUrl, "https://stone.example/t");
  assert.equal(config.evaluator, "official");
  assert.deepEqual(config.quotas, { bytes: 1_000_000, documentsPerHour: 60 });
  assert.equal(config.retentionDays, 365);
  assert.equal(config.workers, 0);
  assert.deepEqual(config.time, { document: 500, input: 1500 });
  assert.deepEqual(config.fetch, {
    allowHosts: new Set(["files.example", "127.0.0.1:8000", "[::1]:80"]),
    ports: new Set([443, 9443]),
  });
  assert.equal(read({ FETCH: "off" }).fetch, null);
});

Deno.test("limits and trusted proxies", () => {
  assert.equal(read({ RATE_LIMITS: "off", RATE_VERIFY: "1/s" }).limits, null);
  const { limits } = read({
    RATE_VERIFY: "5/s",
    RATE_PUBLISH: "10/day",
    RATE_READ: "1000/h",
    RATE_BADGE: "999999999/min",
    RATE_DRAW: "7/s",
    RATE_LOOK: "8/s",
  });
  assert.deepEqual(limits, {
    verify: { name: "verify", quota: 5, window: 1 },
    publish: { name: "publish", quota: 10, window: 86_400 },
    read: { name: "read", quota: 1000, window: 3600 },
    badge: { name: "badge", quota: 999_999_999, window: 60 },
    draw: { name: "draw", quota: 7, window: 1 },
    look: { name: "look", quota: 8, window: 1 },
  });
  const { trustedProxies } = read({ TRUSTED_PROXIES: "10.0.0.0/8, ::1,2001:db8::/32" });
  assert.deepEqual(
    trustedProxies.map(([address, bits]) => `${address}/${bits}`),
    ["10.0.0.0/8", "::1/128", "2001:db8::/32"],
  );
});

Deno.test("where the database is", () => {
  const url = "https://kv.example:4512/";
  const server = { KV_URL: url, DENO_KV_ACCESS_TOKEN: "secret-token" };
  assert.deepEqual(read(server).kv, { kind: "server", url });
  assert.deepEqual(read({ DENO_DEPLOYMENT_ID: "x" }).kv, { kind: "deploy" });
  assert.deepEqual(read({ DENO_DEPLOYMENT_ID: "x", KV_PATH: "data/x.kv" }).kv, { kind: "deploy" });
  assert.deepEqual(read({ DENO_DEPLOYMENT_ID: "x", ...server }).kv, { kind: "server", url });

  const refused = (values: Record<string, string>, pattern: RegExp) =>
    assert.throws(() => read(values), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, pattern);
      assert.ok(!error.message.includes("secret-token"));
      return true;
    });
  refused({ ...server, KV_PATH: "data/x.kv" }, /^KV_URL: .*KV_PATH/);
  refused({ KV_URL: url }, /^DENO_KV_ACCESS_TOKEN: .*KV_URL/);
});

Deno.test("malformed values are named, all at once", () => {
  const malformed: Record<string, string[]> = {
    PORT: ["x", "-1", "65536", "80.5", " 80", "0x50"],
    HOST: ["a b", "a/b", "[::1]"],
    PUBLIC_URL: ["example.org", "ftp://x", "https://u:p@x", "https://x?q", "https://x#f"],
    EVALUATOR: ["own", "AUTO"],
    KV_URL: ["kv.example", "ftp://kv.example", "https://u:p@kv.example", "data/x.kv"],
    QUOTA_BYTES: ["0", "-1", "1e6", "10 MB", "1.5"],
    QUOTA_DOCUMENTS_PER_HOUR: ["0", "many"],
    RETENTION_DAYS: ["0", "30d"],
    RATE_LIMITS: ["yes", "ON", "0"],
    RATE_VERIFY: ["60", "0/min", "-1/min", "60/m", "60/minute", "1.5/s", "60 / min", "off"],
    RATE_PUBLISH: ["1e3/h", "9999999999/s"],
    RATE_READ: ["/min"],
    RATE_BADGE: ["many/day"],
    RATE_DRAW: ["0/s"],
    RATE_LOOK: ["0/s"],
    TRUSTED_PROXIES: ["proxy.example", "0.0.0.0/0", "10.0.0.1 10.0.0.2", "10.0.0.0/8,x", "*"],
    FETCH: ["no", "ON"],
    FETCH_ALLOW_HOSTS: [
      "https://x.example",
      "x.example/path",
      "u@x.example",
      "*.x",
      "x:99999",
      "a b",
    ],
    FETCH_PORTS: ["0", "https", "443-500", "65536", ","],
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
