/** Forms sent by a real Chromium: from the service's own page, and from another site's. */
import assert from "node:assert/strict";
import { serverTest, type TestServer } from "../support/server.ts";
import { openBrowser, type Tab, whereChromium } from "./chromium.ts";

function browserTest(name: string, run: (server: TestServer, tab: Tab) => Promise<void>): void {
  whereChromium(name, () =>
    serverTest(name, async (server) => {
      await using browser = await openBrowser();
      await run(server, browser.tab);
    }, { publicUrl: "http://stone.example" }));
}

/** Sends the form of the page that the tab shows; gives the answering page's text. */
async function send(tab: Tab, fields: Record<string, string>): Promise<string> {
  await tab.evaluate(`
    window.before = true;
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      document.querySelector("form[method=post] [name=" + name + "]").value = value;
    }
    document.querySelector("form[method=post] button").click();
  `);
  await tab.until("window.before === undefined && document.readyState === 'complete'");
  return await tab.evaluate("document.body.innerText");
}

browserTest("a browser's own words let the service's forms through", async (server, tab) => {
  const { port } = new URL(server.url);
  // An address that counts as secure, where browsers say Sec-Fetch-Site, and a name that doesn't.
  for (const origin of [server.url, `http://stone.example:${port}`]) {
    await tab.open(`${origin}/verify`);
    assert.match(await send(tab, { document: "[1]" }), /Not a receipt/);
    await tab.open(`${origin}/pools`);
    assert.match(await send(tab, { pool: "{}" }), /Pool refused/);
  }
});

browserTest("a form on another site's page is refused", async (server, tab) => {
  const page = (path: string, enctype: string) => `
    <!doctype html>
    <form method="post" enctype="${enctype}" action="${server.url}${path}">
      <textarea name="document"></textarea><textarea name="pool"></textarea><button>Win</button>
    </form>`;
  let shown = "";
  const other = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(shown, { headers: { "content-type": "text/html" } }),
  );
  try {
    const enctypes = ["multipart/form-data", "application/x-www-form-urlencoded", "text/plain"];
    for (const path of ["/verify", "/pools", "/api/verify", "/api/results", "/api/pools"]) {
      for (const enctype of enctypes) {
        shown = page(path, enctype);
        await tab.open(`http://127.0.0.1:${other.addr.port}/`);
        const text = await send(tab, { document: "[1]", pool: "{}" });
        // What changes nothing is refused for its type, everything else for where it comes from.
        const expected = path === "/api/verify"
          ? /content-type-unsupported/
          : path.startsWith("/api")
          ? /origin-refused/
          : /another site/;
        assert.match(text, expected, `${path} ${enctype}`);
      }
    }
  } finally {
    await other.shutdown();
  }
});
