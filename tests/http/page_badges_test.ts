/** Badges on pages of checks that store nothing: the renderer draws them, and words stand in for them. */
import assert from "node:assert/strict";
import type { Badge } from "../../lib/badge/model.ts";
import { renderBadge, type RenderOptions } from "../../lib/badge/render.ts";
import { RendererBusy } from "../../lib/badge/renderer.ts";
import { readMarkup } from "../support/markup.ts";
import { mint, serverTest, type TestServer } from "../support/server.ts";

/** The page of a check of these documents. */
async function check(server: TestServer, documents: unknown[]): Promise<string> {
  const form = new FormData();
  form.set("document", JSON.stringify(documents));
  const answer = await server.fetch("/verify", { method: "POST", body: form });
  assert.equal(answer.status, 200);
  const text = await answer.text();
  readMarkup(text);
  return text;
}

/** What stands where each report's badge is: the markup of each line. */
function badgesOn(page: string): string[] {
  return [...page.matchAll(/<p class="badge">([^]*?)<\/p>/g)].map(([, badge]) => badge!);
}

async function twoDocuments(server: TestServer): Promise<unknown[]> {
  const passed = await mint(server);
  const failed = await mint(server, { answers: ["wrong", "wrong"], minPass: 1 });
  return [passed.envelope, failed.envelope];
}

const drawn: string[] = [];
let atOnce = 0;

serverTest("the service's renderer draws each badge, one after the other", async (server) => {
  const page = await check(server, await twoDocuments(server));
  assert.deepEqual(drawn, [
    "2/2 passed · unknown issuer",
    "0/2 passed · failed · unknown issuer",
  ]);
  const badges = badgesOn(page);
  assert.equal(badges.length, 2);
  for (const badge of badges) assert.match(badge, /^<svg [^]*<\/svg>$/);
  assert.ok(badges[0]!.includes("2/2 passed") && badges[1]!.includes("0/2 passed"));
}, {
  renderer: {
    async render(badge: Badge, options?: RenderOptions) {
      assert.equal(atOnce++, 0, "no second badge waits in the queue for one page");
      drawn.push(badge.message.join(" · "));
      const rendered = await renderBadge(badge, options);
      atOnce--;
      return rendered;
    },
    close() {},
  },
});

serverTest("a page has the badges' words when the renderer is full", async (server) => {
  const page = await check(server, await twoDocuments(server));
  assert.deepEqual(badgesOn(page), [
    "touchstone: 2/2 passed · unknown issuer",
    "touchstone: 0/2 passed · failed · unknown issuer",
  ]);
  assert.deepEqual(server.logs, []);
}, { renderer: { render: () => Promise.reject(new RendererBusy(2)), close() {} } });

let tries = 0;

serverTest("a renderer that fails is told to the operator once a page", async (server) => {
  const page = await check(server, await twoDocuments(server));
  assert.equal(badgesOn(page).length, 2);
  for (const badge of badgesOn(page)) assert.match(badge, /^[^<>]*passed[^<>]*$/);
  assert.equal(tries, 1);
  assert.equal(server.logs.length, 1);
}, {
  renderer: {
    render() {
      tries++;
      return Promise.reject(new Error("no fonts"));
    },
    close() {},
  },
});
