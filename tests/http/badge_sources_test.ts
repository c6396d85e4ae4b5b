/** Badges by session and by URL, what their addresses may require, and what drawing them may cost. */
import assert from "node:assert/strict";
import { bundleId } from "../../lib/badge/bundle.ts";
import { createKey, type KeyPair } from "../../lib/issuer/keys.ts";
import { type AnswerKind, mintAdmission, mintReceipt } from "../../lib/issuer/mint.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import { documentId } from "../../lib/protocol/envelope.ts";
import { cellId } from "../../lib/suites/suites.ts";
import { QueueFull } from "../../lib/workers/workers.ts";
import { createRenderer } from "../../service/renderer.ts";
import { BUCKETS, type Policies } from "../../lib/limits/policy.ts";
import { renderBadge } from "../../lib/badge/render.ts";
import { shieldsSchema } from "../../routes/schemas/index.ts";
import { setClock } from "../support/links.ts";
import { bytesOf, linesOf, rowOf } from "../support/runs.ts";
import { fileOf, newPool, publish, tallyOf } from "../support/disclosure.ts";
import { mint, mintHeldOut, post, serverTest, type TestServer } from "../support/server.ts";

async function keep(server: TestServer, document: unknown): Promise<string> {
  const answer = await server.fetch("/api/results", post(document));
  assert.equal(answer.status, 201);
  return (await answer.json()).id;
}

/** What the badge says, in all of its forms. */
async function said(server: TestServer, path: string, query = ""): Promise<string> {
  const json = await server.fetch(`${path}.json${query}`);
  const { label, message } = shieldsSchema.parse(await json.json());
  const svg = await server.fetch(`${path}.svg${query}`);
  const text = await svg.text();
  const escaped = message.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  assert.ok(
    text.includes(`aria-label="${label}: ${escaped}"`),
    `${message}: ${text.slice(0, 300)}`,
  );
  assert.equal(svg.status, json.status);
  assert.equal(svg.headers.get("cache-control"), json.headers.get("cache-control"));
  const png = await server.fetch(`${path}.png${query}`);
  assert.equal(png.headers.get("content-type"), "image/png");
  assert.deepEqual([...new Uint8Array(await png.arrayBuffer()).slice(1, 4)], [0x50, 0x4e, 0x47]);
  return message;
}

function session(
  server: TestServer,
  name: string,
  answers: AnswerKind[],
  key?: KeyPair,
): ReturnType<typeof mintAdmission> {
  return mintAdmission({
    references: server.verifier.references,
    cells: ["algal:t1"],
    answers,
    minPass: 1,
    // The same text gives the same session, whatever is answered and whoever signs.
    random: seededRandom(name),
    ...(key && { key }),
  });
}

const key = (name: string) => createKey(seededRandom(name));

/** Milliseconds that have passed for the service. */
let later = 0;

serverTest("by session: found, unknown, ambiguous, and contradicted", async (server) => {
  const [anna, bob] = [key("anna"), key("bob")];
  const first = await session(server, "one", ["right", "wrong"], anna);
  const path = `/badge/session/${first.session.sessionId}`;
  assert.equal(await said(server, path), "not found");
  assert.equal((await server.fetch(`${path}.svg`)).status, 200);
  // A lone receipt of a session is not its admission.
  await keep(server, JSON.parse(receiptOf(first.envelope)));
  later += 10_000;
  assert.equal(await said(server, path), "not found");
  await keep(server, first.envelope);

  const one = (issuer: KeyPair) => `?issuer=${issuer.publicKey.text}`;
  assert.equal(await said(server, path, one(anna)), "1/2 passed · unknown issuer");
  assert.equal(await said(server, path, one(bob)), "not found");

  const other = await session(server, "one", ["right", "right"], bob);
  assert.equal(other.session.sessionId, first.session.sessionId);
  await keep(server, other.envelope);
  later += 10_000;
  assert.equal(await said(server, path), "ambiguous");
  assert.equal(await said(server, path, one(anna)), "1/2 passed · unknown issuer");
  assert.equal(await said(server, path, one(bob)), "2/2 passed · unknown issuer");
  assert.equal(await said(server, path, `${one(anna)}&issuer=${bob.publicKey.text}`), "ambiguous");
  assert.equal(await said(server, path, "?issuer=nobody"), "not accepted · bad link");

  const contrary = await session(server, "one", ["right", "right"], anna);
  await keep(server, contrary.envelope);
  later += 10_000;
  assert.equal(await said(server, path, one(anna)), "conflicting");
  assert.equal(await said(server, path), "conflicting");
  assert.equal(await said(server, path, one(bob)), "2/2 passed · unknown issuer");
  for (const id of ["gs_", "x", "__proto__", "..%2f"]) {
    assert.equal((await server.fetch(`/badge/session/${id}.svg`)).status, 200, id);
  }
}, { now: () => Date.now() + later });

/** The first receipt within an admission. */
function receiptOf({ payload }: { payload: string }): string {
  return JSON.stringify(JSON.parse(payload).receipts[0]);
}

serverTest("requirements: what isn't met shows, and so does what is unreplayed", async (server) => {
  const anna = key("anna of the requirements");
  const claimed = await mintAdmission({
    references: server.verifier.references,
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "right", "wrong", "right"],
    minPass: 3,
    context: "here",
    key: anna,
    now: Date.UTC(2026, 0, 1),
  });
  const path = `/badge/${await keep(server, claimed.envelope)}`;
  const full = `?issuer=${anna.publicKey.text}&context=here`;
  const rest = "2 unreplayed · unknown issuer";
  const cases: [query: string, message: string][] = [
    ["", `3/4 passed · ${rest}`],
    [full, `3/4 passed · ${rest}`],
    [`?issuer=${key("bob").publicKey.text}`, `not accepted · other issuer · ${rest}`],
    [`${full}&policy=algal-floor-v1`, `not accepted · other policy · ${rest}`],
    ["?context=there", `not accepted · other context · ${rest}`],
    ["?context=", `not accepted · other context · ${rest}`],
    ["?session=gs_AAAAAAAAAAAA", `not accepted · other session · ${rest}`],
    [`?sha256=${"0".repeat(64)}`, `not accepted · other document · ${rest}`],
    ["?replayed=all", `not accepted · ${rest}`],
    ["?maxage=1d", `not accepted · stale · ${rest}`],
    // The first that isn't met.
    ["?maxage=1d&context=there", `not accepted · other context · ${rest}`],
    // What can't be read accepts nothing: it must never pass for nothing asked.
    ...[
      "issuer=nobody",
      "issuer=",
      "policy=none-such",
      "session=",
      "sha256=",
      "replayed=some",
      "replayed",
      "maxage=30",
      "maxage=",
      "context=here&context=there",
      "replayed=all&replayed=all",
    ].map((query): [string, string] => [`?${query}`, `not accepted · bad link · ${rest}`]),
  ];
  for (const [query, message] of cases) {
    assert.equal(await said(server, path, query), message, query);
  }

  const title = async (query: string) =>
    /<title>(.*?)<\/title>/.exec(await (await server.fetch(`${path}.svg${query}`)).text())![1]!;
  assert.match(await title("?issuer=nobody"), /no known issuer has this name/);
  assert.match(await title(""), new RegExp(anna.publicKey.keyId));
  assert.doesNotMatch(await title(full), /compare/);
});

const files = new Map<string, () => Response>();
const origin = (request: Request) =>
  files.get(new URL(request.url).pathname)?.() ?? new Response("nothing", { status: 404 });
const json = (body: BodyInit) => () =>
  new Response(body, { headers: { "content-type": "application/json" } });

const byUrl = (server: TestServer, path: string, more = "") =>
  `?url=${encodeURIComponent(`${server.origin}${path}`)}${more}`;

serverTest("by URL: one document, several, a run, and nothing", async (server) => {
  files.clear();
  const plain = await mint(server);
  const claimed = await mintHeldOut(server);
  const receipt = await mintReceipt({
    references: server.verifier.references,
    cell: "algal:t1",
    answer: "right",
  });
  files.set("/one", json(JSON.stringify(claimed.envelope)));
  files.set("/wrapped", json(JSON.stringify({ admission: plain.envelope, receipts: [] })));
  files.set(
    "/several",
    json(
      [plain.envelope, claimed.envelope, plain.envelope, receipt.envelope]
        .map((document) => JSON.stringify(document)).join("\n"),
    ),
  );
  files.set(
    "/broken",
    json(JSON.stringify([plain.envelope, { ...plain.envelope, signature: "" }])),
  );
  files.set("/page", () => new Response("<p>", { headers: { "content-type": "text/html" } }));
  files.set("/down", () => new Response("", { status: 500 }));
  const said1 = (path: string, more = "") => said(server, "/badge", byUrl(server, path, more));
  assert.equal(await said1("/one"), "3/4 passed · 2 unreplayed · unknown issuer");
  assert.equal(
    await said1("/one", "&replayed=all"),
    "not accepted · 2 unreplayed · unknown issuer",
  );
  assert.equal(await said1("/wrapped"), "2/2 passed · unknown issuer");
  // The admission that comes twice counts once: 2 of 2, 3 of 4, 1 of 1.
  assert.equal(await said1("/several"), "6/7 passed · 2 unreplayed · unknown issuer");
  assert.match(
    await said1("/several", `&issuer=${plain.key.publicKey.text}`),
    /^not accepted · other issuer/,
  );
  assert.equal(await said1("/broken"), "invalid");
  assert.equal(await said1("/page"), "not a receipt");
  assert.equal(await said1("/down"), "unreachable");
  assert.equal(await said(server, "/badge", "?url=http%3A%2F%2F192.168.0.1%2Fx"), "unreachable");
  assert.equal(await said(server, "/badge"), "not found");

  const cached = await server.fetch(`/badge.svg${byUrl(server, "/several")}`);
  assert.match(cached.headers.get("cache-control") ?? "", /^public, max-age=300/);
  await cached.body?.cancel();
  const passing = await server.fetch(`/badge.svg${byUrl(server, "/down")}`);
  assert.equal(passing.status, 200);
  assert.equal(passing.headers.get("cache-control"), "no-store");
  await passing.body?.cancel();
  // Stored, since a README's badge is public: the same document has its page.
  const id = await documentId(claimed.envelope);
  assert.equal(await said(server, `/badge/${id}`), "3/4 passed · 2 unreplayed · unknown issuer");
  assert.equal(bundleId([id, id]), bundleId([id]));
}, { origin });

serverTest("by URL: a run says who reported it, and never looks signed", async (server) => {
  files.clear();
  const rows = [rowOf("sat", 4, 1), rowOf("sat", 4, 2, { pass: false, response: "1" })];
  files.set("/run", () => new Response(bytesOf(linesOf("clankdar-frontier-v1", rows)) as BodyInit));
  // Its puzzles are placeholders, so that it is invalid, and says so.
  assert.equal(await said(server, "/badge", byUrl(server, "/run")), "invalid");
}, { origin });

serverTest(
  "by URL: a disclosed pool changes the badge, though nobody edits a README",
  async (server) => {
    files.clear();
    const pool = newPool();
    const { envelope } = await mintAdmission({
      references: server.verifier.references,
      cells: [`h:${cellId(pool.cells[0]!.family, pool.cells[0]!.tier)}`],
      answers: ["right"],
      minPass: 1,
      pool,
    });
    files.set("/held", json(JSON.stringify(envelope)));
    const held = byUrl(server, "/held");
    assert.equal(await said(server, "/badge", held), "1/1 passed · 1 unreplayed · unknown issuer");
    await publish(server, fileOf(pool));
    await tallyOf(server, pool.poolKey);
    assert.equal(await said(server, "/badge", held), "1/1 passed · unknown issuer");
  },
  { origin },
);

const clock = setClock();

serverTest("by URL: gone is shown as gone, trouble as what was there before", async (server) => {
  files.clear();
  const { envelope } = await mint(server);
  const query = byUrl(server, "/mine");
  const HOUR = 3_600_000;
  const says = async (message: string) => {
    assert.equal(await said(server, "/badge", query), message);
  };
  files.set("/mine", json(JSON.stringify(envelope)));
  await says("2/2 passed · unknown issuer");
  files.set("/mine", () => new Response("", { status: 503 }));
  clock.pass(2 * HOUR);
  await says("2/2 passed · unknown issuer · seen 2 h ago");
  files.delete("/mine");
  clock.pass(2 * HOUR);
  await says("2/2 passed · unknown issuer · seen 4 h ago");
  // Asked again within five minutes, which might be a deployment under way.
  clock.pass(HOUR / 20);
  await says("2/2 passed · unknown issuer · seen 4 h ago");
  clock.pass(HOUR / 6);
  await says("gone");
}, { origin, fetching: { clock: clock.read } });

/** Plenty of everything but `draw`. */
function drawing(quota: number): Policies {
  const policies = BUCKETS.map((name) => [
    name,
    { name, quota: name === "draw" ? quota : 1e6, window: 1e6 },
  ]);
  return Object.fromEntries(policies) as Policies;
}

serverTest(
  "drawing has a bucket of its own: what is drawn already is shown all the same",
  async (server) => {
    const id = await keep(server, (await mint(server)).envelope);
    const ask = (query = "", format = "svg") => server.fetch(`/badge/${id}.${format}${query}`);
    const shows = async (answer: Response, text: string) => {
      assert.equal(answer.status, 200);
      assert.ok((await answer.text()).includes(text));
    };
    for (const label of ["a", "b", "c"]) await shows(await ask(`?label=${label}`), `${label}: 2/2`);
    const late = await ask("?label=d");
    assert.equal(late.headers.get("cache-control"), "no-store");
    assert.match(late.headers.get("ratelimit-policy") ?? "", /^"draw";/);
    assert.ok(Number(late.headers.get("retry-after")) > 0);
    await shows(late, "checking");
    await shows(await ask("?label=b"), "b: 2/2");
    await shows(await ask("?label=e", "json"), '"label":"e"');
    const png = await ask("?label=f", "png");
    assert.equal(png.headers.get("content-type"), "image/png");
    assert.equal(png.headers.get("cache-control"), "no-store");
    await png.body?.cancel();
  },
  { limits: drawing(3) },
);

const drawn: string[] = [];

serverTest("the badge of what is stored is drawn at once, and once", async (server) => {
  drawn.length = 0;
  const id = await keep(server, (await mint(server)).envelope);
  while (drawn.length === 0) await new Promise((done) => setTimeout(done, 5));
  assert.equal(await said(server, `/badge/${id}`), "2/2 passed · unknown issuer");
  // The PNG is a drawing of its own.
  assert.deepEqual(drawn, ["svg 2/2 passed · unknown issuer", "png 2/2 passed · unknown issuer"]);
}, {
  renderer: {
    render(badge, options) {
      drawn.push(`${options?.format} ${badge.message.join(" · ")}`);
      return renderBadge(badge, options);
    },
    close() {},
  },
});

serverTest("when too many badges wait to be drawn, a badge comes all the same", async (server) => {
  const id = await keep(server, (await mint(server)).envelope);
  const answer = await server.fetch(`/badge/${id}.svg`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("retry-after"), "2");
  assert.match(await answer.text(), /checking/);
}, {
  renderer: {
    render: (badge, options) =>
      badge.message[0] === "checking"
        ? renderBadge(badge, options)
        : Promise.reject(new QueueFull("too many")),
    close() {},
  },
});

Deno.test("a worker draws what is drawn in line", async () => {
  const logs: string[] = [];
  const renderer = createRenderer(1, (line) => logs.push(line));
  try {
    const badge = {
      label: "clankdar",
      message: ["3/4 passed", "2 unreplayed"],
      tone: "claimed",
      title: "A title.",
      state: "issuer-claimed",
      unreplayed: 2,
      transient: false,
    } as const;
    for (const style of ["flat", "card"] as const) {
      for (const format of ["svg", "png", "json"] as const) {
        const given = { ...badge, message: [...badge.message] };
        assert.deepEqual(
          await renderer.render(given, { style, format }),
          await renderBadge(given, { style, format }),
        );
      }
    }
    assert.deepEqual(logs, []);
  } finally {
    renderer.close();
  }
});
