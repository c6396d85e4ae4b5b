/** One client asks a host without end for files that aren't there; another one's requests go on. */
import assert from "node:assert/strict";
import { createHosts } from "../../lib/fetch/hosts.ts";
import { readNetwork } from "../../lib/limits/address.ts";
import { mint, serverTest, type TestServer } from "../support/server.ts";

const time = { ms: 0 };
const clock = () => time.ms;

let document = "";

const as = (client: string): RequestInit => ({ headers: { "x-forwarded-for": client } });

async function statusOf(server: TestServer, path: string, client: string): Promise<number> {
  const answer = await server.fetch(path, as(client));
  await answer.body?.cancel();
  return answer.status;
}

async function badgeOf(server: TestServer, url: string, client: string): Promise<string> {
  const answer = await server.fetch(`/badge.json?url=${encodeURIComponent(url)}`, as(client));
  return (await answer.json()).message;
}

serverTest(
  "one client at 4 requests a second for missing files leaves another's badges and verifications",
  async (server) => {
    document = JSON.stringify((await mint(server)).envelope);
    const refused = { one: 0, two: 0 };
    for (let second = 0; second < 40; second++) {
      for (let n = 0; n < 4; n++) {
        const url = encodeURIComponent(`${server.origin}/missing/${second}-${n}`);
        const path = n % 2 === 0 ? `/badge.svg?url=${url}` : `/api/verify?url=${url}`;
        if (await statusOf(server, path, "203.0.113.1") === 429) refused.one++;
        time.ms += 250;
      }
      // The other one begins when the host's budget for the first one is long used up.
      if (second < 10) continue;
      const url = `${server.origin}/there/${second}`;
      assert.equal(
        await badgeOf(server, url, "203.0.113.2"),
        "2/2 passed · unknown issuer",
        `second ${second}`,
      );
      const verify = `/api/verify?url=${encodeURIComponent(url)}`;
      assert.equal(await statusOf(server, verify, "203.0.113.2"), 200, `second ${second}`);
    }
    assert.ok(refused.one > 40, "the first one was held back");
  },
  {
    origin: (request) =>
      new URL(request.url).pathname.startsWith("/there/")
        ? new Response(document, { headers: { "content-type": "application/json" } })
        : new Response("no", { status: 404 }),
    hosts: { hosts: createHosts({ clock }), addresses: createHosts({ clock }) },
    trustedProxies: [readNetwork("127.0.0.0/8")!],
  },
);
