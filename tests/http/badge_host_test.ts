/** Badges under Host headers that name no host: what one client writes there is nobody else's badge. */
import assert from "node:assert/strict";
import { shieldsSchema } from "../../routes/schemas.ts";
import { mint, mintHeldOut, post, serverTest, type TestServer } from "./server.ts";

/** What a badge's JSON says, for any Host header. */
async function says(server: TestServer, path: string, host: string): Promise<string> {
  const connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(server.url).port),
  });
  const request = `GET ${path} HTTP/1.0\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const [, body = ""] = (await new Response(connection.readable).text()).split("\r\n\r\n");
  const { label, message } = shieldsSchema.parse(JSON.parse(body));
  return `${label}: ${message}`;
}

serverTest(
  "a query in the Host header doesn't change the badge that others get",
  async (server) => {
    const keep = async (document: unknown): Promise<string> =>
      (await (await server.fetch("/api/results", post(document))).json()).id;
    const passed = await keep((await mint(server)).envelope);
    const claimed = await keep((await mintHeldOut(server)).envelope);
    const own = new URL(server.url).host;
    const badges = [
      [`/badge/${passed}.json`, ": 2/2 passed · unknown issuer"],
      [
        `/badge/${passed}.json?session=gs_AAAAAAAAAAAA`,
        ": not accepted · other session · unknown issuer",
      ],
      [`/badge/${claimed}.json?replayed=all`, ": not accepted · 2 unreplayed · unknown issuer"],
    ] as const;
    const hosts = [
      "?label=forged&x=",
      "x?label=forged&x=",
      "x?replayed=all&x=",
      "x#?label=forged",
      "x",
    ];
    for (const [path, expected] of badges) {
      for (const host of hosts) {
        const odd = await says(server, path, host);
        assert.ok(odd.endsWith(expected), `${path} to ${host}: ${odd}`);
        assert.ok(!odd.includes("forged"), `${path} to ${host}: ${odd}`);
        // The second time it is at hand.
        for (const _ of [1, 2]) {
          const usual = await says(server, path, own);
          assert.ok(
            usual.endsWith(expected) && !usual.includes("forged"),
            `after ${host}: ${usual}`,
          );
        }
      }
    }
  },
);
