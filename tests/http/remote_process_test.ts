/** Fetching from a process of its own, with few permissions, or with proxies in its environment. */
import assert from "node:assert/strict";
import { rawServer } from "../support/raw_server.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

interface Process {
  permissions: string[];
  /** All of its environment. */
  env?: Record<string, string>;
  url: string;
  /** `host:port` to be trusted. */
  host: string;
  /** Of the host, where it is a name. */
  addresses?: string[];
}

/** What `fetch_process.ts` says. */
async function outcome(
  { permissions, env = {}, url, host, addresses = [] }: Process,
): Promise<string> {
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--no-check", ...permissions],
      ...[`${ROOT}tests/support/fetch_process.ts`, url, host, ...addresses],
    ],
    env: { NO_COLOR: "1", HOME: Deno.env.get("HOME") ?? "/", DENO_DIR: denoDir(), ...env },
    clearEnv: true,
    cwd: ROOT,
    stdin: "null",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

/** Where the modules are that this process runs from, so that nothing is downloaded again. */
function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME") ?? "/"}/.cache/deno`;
}

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

Deno.test("the right to connect to the address is all that a fetch needs", async () => {
  await using server = rawServer(({ send }) => send(answer));
  const { host, port } = server;
  const permissions = [`--allow-net=${host}`];
  assert.equal(await outcome({ permissions, url: `http://${host}/`, host }), "{}");
  const name = { url: `http://files.example:${port}/`, host: `files.example:${port}` };
  assert.equal(await outcome({ permissions, ...name, addresses: ["127.0.0.1"] }), "{}");
  // An address that it may not connect to is one that doesn't answer, and ends nothing.
  const both = ["::1", "10.0.0.1", "127.0.0.1"];
  assert.equal(await outcome({ permissions, ...name, addresses: both }), "{}");
  assert.equal(
    await outcome({ permissions, ...name, addresses: ["::1"] }),
    "fetch-unreachable",
  );
  // So is a name server that it may not ask.
  const nothing = { url: `https://nothing.example/`, host };
  assert.equal(await outcome({ permissions, ...nothing }), "fetch-blocked-address");
});

Deno.test("proxies in the environment are never asked", async () => {
  await using proxy = rawServer(({ send }) => send(answer));
  await using server = rawServer(({ send }) => send(answer));
  const address = `http://${proxy.host}`;
  const env = {
    HTTP_PROXY: address,
    http_proxy: address,
    HTTPS_PROXY: address,
    https_proxy: address,
    ALL_PROXY: address,
    all_proxy: address,
    NO_PROXY: "",
    NODE_USE_ENV_PROXY: "1",
  };
  const permissions = ["--allow-all"];
  assert.equal(
    await outcome({ permissions, env, url: `http://${server.host}/a?b`, host: server.host }),
    "{}",
  );
  // The proxy's form of a request names the whole URL.
  assert.match(server.requests[0]!, /^GET \/a\?b HTTP\/1\.1\r\n/);
  // This one isn't TLS, which must not lead to the proxy either.
  assert.equal(
    await outcome({ permissions, env, url: `https://${server.host}/`, host: server.host }),
    "fetch-unreachable",
  );
  assert.equal(proxy.connections, 0);
});
