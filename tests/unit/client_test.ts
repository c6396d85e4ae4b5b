import assert from "node:assert/strict";
import { Hono } from "hono";
import { clientOf } from "../../routes/client.ts";

const app = new Hono();
app.get("/", (c) => c.json(clientOf(c)));

async function client(info?: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const answer = await app.fetch(
    new Request("http://x/", { headers }),
    info as Record<string, unknown>,
  );
  return await answer.json();
}

Deno.test("a client is its address, an IPv6 one its /64; headers are not believed", async () => {
  const cases: Record<string, string> = {
    "192.0.2.7": "192.0.2.7",
    "::ffff:192.0.2.7": "192.0.2.7",
    "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
    "2001:db8:1:2::1": "2001:db8:1:2::/64",
    "2001:db8::1": "2001:db8:0:0::/64",
    "::1": "0:0:0:0::/64",
    "fe80::1%eth0": "fe80:0:0:0::/64",
  };
  for (const [hostname, expected] of Object.entries(cases)) {
    const info = { remoteAddr: { transport: "tcp", hostname, port: 1 } };
    assert.equal(await client(info, { "x-forwarded-for": "203.0.113.9" }), expected, hostname);
  }
  for (const info of [undefined, {}, { remoteAddr: null }, { remoteAddr: { path: "/x" } }]) {
    assert.equal(await client(info), null);
  }
});
