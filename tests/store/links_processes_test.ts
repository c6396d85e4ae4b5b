/** Two servers on one KV file: what one sees of a URL, the other knows, and the next one too. */
import assert from "node:assert/strict";
import { linkSchema, problemSchema, verificationSchema } from "../../routes/schemas/index.ts";
import { honest, plain, poolOf, withFile } from "../support/store_fixtures.ts";
import { startServer } from "./process.ts";

const one = await plain();
const two = await honest(poolOf("processes"));

Deno.test("two processes, a restart, and a host that goes away", async () => {
  let answer: () => Response = () => new Response("", { status: 500 });
  let asked = 0;
  const origin = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    asked++;
    return answer();
  });
  const host = `127.0.0.1:${origin.addr.port}`;
  const url = encodeURIComponent(`http://${host}/receipt.json?token=x`);
  const give = ({ envelope }: { envelope: unknown }) => {
    const body = JSON.stringify(envelope);
    answer = () => new Response(body, { headers: { "content-type": "application/json" } });
  };
  const ask = { method: "POST", headers: { "content-type": "application/json" } };
  const idsAt = async (server: string, keep = false) => {
    const response = keep
      ? await fetch(`${server}/api/results?url=${url}`, ask)
      : await fetch(`${server}/api/verify?url=${url}`);
    const text = await response.text();
    if (response.status !== 200) return problemSchema.parse(JSON.parse(text)).code;
    return verificationSchema.parse(JSON.parse(text)).results.map(({ id }) => id).join();
  };
  const refresh = async (server: string) => {
    const response = await fetch(`${server}/api/refresh?url=${url}`, ask);
    return linkSchema.parse(await response.json());
  };

  await withFile(async (path) => {
    const environment = { KV_PATH: path, FETCH_ALLOW_HOSTS: host, VERIFY_WORKERS: "0" };
    const [first, second] = await Promise.all([
      startServer(environment),
      startServer(environment),
    ]);
    try {
      give(one);
      assert.equal(await idsAt(first.url, true), one.id);
      assert.equal(await idsAt(second.url), one.id);
      assert.equal(asked, 1, "what one had asked for was enough for both");
      give(two);
      assert.equal((await refresh(second.url)).changed, true);
      assert.equal((await refresh(first.url)).changed, false);
      assert.deepEqual((await refresh(first.url)).history.map(({ what }) => what), [
        "first",
        "changed",
      ]);
      const states = await Promise.all(
        Array.from({ length: 10 }, (_, n) => refresh(n % 2 === 0 ? first.url : second.url)),
      );
      assert.ok(states.every(({ state }) => state === "fresh"));
      assert.equal((await refresh(second.url)).history.length, 2);
    } finally {
      await first.kill();
      await second.stop();
    }
    answer = () => new Response("", { status: 503 });
    const third = await startServer(environment);
    try {
      assert.equal(await idsAt(third.url), two.id, "kept, as it was from the second one's look on");
      const link = await refresh(third.url);
      assert.equal(link.state, "failing");
      assert.equal(link.documents[0]!.id, two.id);
      assert.equal(await idsAt(third.url), two.id);
    } finally {
      await third.stop();
    }
    for (const server of [first, second, third]) assert.equal(server.errors(), "");
  });
  await origin.shutdown();
});
