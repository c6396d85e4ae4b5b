/** Links with hosts that are scripts and a clock that is set: nothing here waits for time to pass. */
import assert from "node:assert/strict";
import { FetchError } from "../../../lib/fetch/error.ts";
import { CheckerBusy } from "../../../lib/verify/checker.ts";
import { StoreError, StoreUnavailable } from "../../../lib/store/store.ts";
import { createAsker, type Spent, workFor } from "../../../lib/async/asker.ts";
import { honest, plain, poolOf } from "../../support/store_fixtures.ts";
import { bytesOf, rowOf, summaryOf } from "../../support/runs.ts";
import {
  badgeShown,
  type Bench,
  HOUR,
  MINUTE,
  SECOND,
  shown,
  START,
  withLinks,
} from "../../support/links.ts";

const URL_A = "https://files.example/receipt.json?token=s3cr3t";
const one = await plain();
const two = await plain();
const text = (...documents: { envelope: unknown }[]) =>
  documents.length === 1
    ? JSON.stringify(documents[0]!.envelope)
    : JSON.stringify(documents.map(({ envelope }) => envelope));
const says = (...documents: { id: string }[]) =>
  documents.map(({ id }) => `${id.slice(0, 8)} verified`).join(", ");
const given = (...documents: { envelope: unknown }[]) => ({ body: text(...documents) });
const MISSING = { error: "fetch-status", status: 404 } as const;
const DOWN = { error: "fetch-timeout" } as const;

function linkTest(
  name: string,
  run: (bench: Bench) => Promise<void>,
  options: Parameters<typeof withLinks>[1] = {},
): void {
  Deno.test(name, () => withLinks(run, options));
}

linkTest("up to 5 minutes old, it is served without asking", async ({ links, host, clock }) => {
  host.answer(given(one));
  assert.equal(await shown(links, URL_A), says(one));
  host.answer(given(two));
  clock.pass(5 * MINUTE);
  assert.equal(await shown(links, URL_A), says(one));
  await links.idle();
  assert.equal(host.asked.length, 1);
});

linkTest("up to an hour, it is served while it is asked for", async ({ links, host, clock }) => {
  host.answer(given(one));
  await shown(links, URL_A);
  host.answer(given(two));
  clock.pass(5 * MINUTE + 1);
  const release = host.hold();
  assert.equal(await shown(links, URL_A), says(one));
  assert.equal(await shown(links, URL_A), says(one));
  release();
  await links.idle();
  assert.equal(host.asked.length, 2, "one look for both");
  assert.equal(await shown(links, URL_A), says(two));
});

linkTest("older, it is asked for first", async ({ links, host, clock }) => {
  host.answer(given(one));
  await shown(links, URL_A);
  host.answer(given(two));
  clock.pass(HOUR + 1);
  assert.equal(await shown(links, URL_A), says(two));
});

linkTest("older, and the host slow: after 2.5 s the last good result", async (bench) => {
  const { links, host, clock } = bench;
  host.answer(given(one));
  await shown(links, URL_A);
  host.answer(given(two));
  clock.pass(HOUR + 1);
  const release = host.hold();
  const waiting = links.verify(URL_A);
  await until(() => clock.waiting() > 0);
  clock.pass(2499);
  assert.equal(clock.waiting(), 1, "not yet");
  clock.pass(1);
  const result = await waiting;
  assert.ok(result.state === "given");
  assert.equal(result.link.age, HOUR + 1 + 2500);
  assert.equal(result.link.state, "stale");
  assert.deepEqual(result.served, {
    look: { why: "stale", status: null, collapsed: false },
    problem: "late",
  });
  release();
  await links.idle();
  // The look went on, and its news are there for the next one.
  assert.equal(await shown(links, URL_A), says(two));
  assert.equal(host.asked.length, 2);
});

linkTest("what was never given is waited for", async ({ links, host, clock }) => {
  host.answer(given(one));
  const release = host.hold();
  const waiting = shown(links, URL_A);
  await until(() => host.asked.length > 0);
  clock.pass(MINUTE);
  assert.equal(clock.waiting(), 0);
  release();
  assert.equal(await waiting, says(one));
});

linkTest("one fetch in flight for each URL", async ({ links, host }) => {
  host.answer(given(one));
  const release = host.hold();
  const urls = [
    URL_A,
    URL_A,
    `${URL_A}#part`,
    "https://FILES.example:443/receipt.json?token=s3cr3t",
  ];
  const all = urls.map((url) => links.verify(url));
  const other = shown(links, "https://files.example/other.json");
  const refreshed = links.refresh(URL_A);
  const badge = badgeShown(links, URL_A);
  await until(() => host.asked.length >= 2);
  release();
  for (const result of await Promise.all(all)) assert.equal(result.state, "given");
  assert.equal(await other, says(one));
  assert.equal(await badge, says(one));
  assert.equal((await refreshed).link.state, "fresh");
  assert.equal(host.asked.length, 2);
  const collapsed = (await Promise.all(all)).map((result) =>
    result.state === "given" && result.served.look?.collapsed
  );
  assert.ok(collapsed.filter(Boolean).length >= 3, "all but one joined, whoever was first");
});

linkTest("a 304 makes it fresh again, and the bytes stay", async ({ links, host, clock }) => {
  host.answer({ ...given(one), etag: '"v1"' });
  await shown(links, URL_A);
  clock.pass(2 * HOUR);
  const result = await links.verify(URL_A);
  assert.deepEqual(host.asked.at(-1), {
    url: new URL(URL_A).href,
    etag: '"v1"',
    conditional: true,
  });
  assert.ok(result.state === "given");
  assert.equal(result.link.age, 0);
  assert.equal(result.served.look?.status, 304);
  assert.equal(await shown(links, URL_A), says(one));
  assert.equal(host.asked.length, 2);
  host.answer({ ...given(two), etag: '"v2"' });
  clock.pass(2 * HOUR);
  assert.equal(await shown(links, URL_A), says(two));
});

linkTest("validators of a URL with a query aren't kept for another one", async (bench) => {
  const { links, host, clock, kv } = bench;
  const final = "https://cdn.example/x?signature=s3cr3t";
  host.answer({ ...given(one), etag: '"v1"', url: final });
  await shown(links, URL_A);
  clock.pass(2 * HOUR);
  await shown(links, URL_A);
  assert.equal(host.asked.at(-1)!.conditional, false);
  host.answer({ ...given(one), etag: '"v1"', url: "https://cdn.example/x" });
  clock.pass(2 * HOUR);
  await shown(links, URL_A);
  clock.pass(2 * HOUR);
  await shown(links, URL_A);
  assert.equal(host.asked.at(-1)!.etag, '"v1"');
  for await (const { key, value } of kv.list({ prefix: [] })) {
    assert.ok(
      !Deno.inspect([key, value], { depth: 9 }).includes("s3cr3t"),
      "nothing secret is stored",
    );
  }
});

linkTest("a failure is remembered: 10 s at first, then longer", async ({ links, host, clock }) => {
  host.answer(DOWN);
  assert.equal(await shown(links, URL_A), "fetch-timeout");
  clock.pass(10 * SECOND - 1);
  assert.equal(await shown(links, URL_A), "fetch-timeout");
  assert.equal(host.asked.length, 1);
  clock.pass(1);
  assert.equal(await shown(links, URL_A), "fetch-timeout");
  assert.equal(host.asked.length, 2);
  clock.pass(10 * SECOND);
  await shown(links, URL_A);
  assert.equal(host.asked.length, 2);
  host.answer(given(one));
  clock.pass(10 * SECOND);
  assert.equal(await shown(links, URL_A), says(one));
});

linkTest("trouble keeps the last good result, with its age", async ({ links, host, clock }) => {
  host.answer(given(one));
  await shown(links, URL_A);
  const troubles = [
    DOWN,
    { error: "fetch-unreachable" },
    { error: "fetch-status", status: 503 },
    { error: "fetch-status", status: 404 },
    { error: "fetch-too-large" },
    { body: "<html>" },
    { body: "[" },
    { body: JSON.stringify(Array(101).fill(0)) },
    { body: new Uint8Array([0x1f, 0x8b, 1]) },
  ] as const;
  const codes: string[] = [];
  for (const trouble of troubles) {
    host.answer(trouble);
    clock.pass(HOUR + 1);
    const result = await links.verify(URL_A);
    assert.ok(result.state === "given", JSON.stringify(trouble));
    assert.equal(result.link.state, "failing");
    assert.equal(result.link.fetchedAt, START);
    assert.equal(result.link.age, clock.now - START);
    assert.equal(await shown(links, URL_A), says(one));
    codes.push(result.link.failure!.code);
  }
  assert.deepEqual(codes, [
    "fetch-timeout",
    "fetch-unreachable",
    "fetch-status",
    "fetch-status",
    "fetch-too-large",
    "document-not-json",
    "document-not-json",
    "too-many-documents",
    "gzip-malformed",
  ]);
});

linkTest("a 404 twice, five minutes apart: gone; and back", async ({ links, host, clock }) => {
  host.answer(given(one));
  await shown(links, URL_A);
  clock.pass(HOUR + 1);
  host.answer(MISSING);
  assert.equal(await shown(links, URL_A), says(one), "once is no proof");
  clock.pass(5 * MINUTE);
  const result = await links.verify(URL_A);
  assert.ok(result.state === "gone");
  assert.equal(result.link.documents[0]?.id, one.id);
  assert.equal(result.link.fetchedAt, START);
  assert.equal(result.link.goneAt, clock.now);
  assert.equal(await badgeShown(links, URL_A), "gone");
  host.answer(DOWN);
  clock.pass(HOUR);
  assert.equal(await shown(links, URL_A), "gone", "trouble doesn't bring it back");
  host.answer(given(one));
  clock.pass(HOUR);
  assert.equal(await shown(links, URL_A), says(one));
  const history = await links.history((await links.refresh(URL_A)).link);
  assert.deepEqual(history.map(({ what }) => what), ["first", "gone", "back"]);
});

linkTest("a slow host doesn't keep it from being shown as gone", async (bench) => {
  const { links, host, clock } = bench;
  host.answer(MISSING);
  await shown(links, URL_A);
  clock.pass(5 * MINUTE);
  assert.equal(await shown(links, URL_A), "gone");
  clock.pass(HOUR);
  const release = host.hold();
  const waiting = badgeShown(links, URL_A);
  // The badge's own limit, and the look's.
  await until(() => clock.waiting() > 1);
  clock.pass(2500);
  assert.equal(await waiting, "gone");
  release();
});

linkTest("a 404 where nothing was ever given says so, then gone", async (bench) => {
  const { links, host, clock, kv } = bench;
  host.answer(MISSING);
  const result = await links.verify(URL_A);
  assert.ok(result.state === "failed");
  assert.equal(result.failure.status, 404);
  clock.pass(5 * MINUTE);
  assert.equal(await shown(links, URL_A), "gone");
  for await (const { key } of kv.list({ prefix: [] })) assert.fail(`stored ${key}`);
});

linkTest("a refresh looks however fresh it is, and after failures", async (bench) => {
  const { links, host, clock } = bench;
  host.answer(given(one));
  assert.equal((await links.refresh(URL_A)).changed, true);
  assert.equal((await links.refresh(URL_A)).changed, false);
  host.answer(given(two));
  const { changed, link } = await links.refresh(URL_A);
  assert.equal(changed, true);
  assert.deepEqual(link.documents.map(({ id }) => id), [two.id]);
  host.answer(DOWN);
  assert.equal((await links.refresh(URL_A)).link.state, "failing");
  host.answer(given(one));
  assert.equal((await links.refresh(URL_A)).link.state, "fresh");
  assert.equal(host.asked.length, 5);
  // But for what the host itself asks for.
  host.answer({ error: "fetch-status", status: 429, retryAfter: 60 });
  await links.refresh(URL_A);
  await links.refresh(URL_A);
  assert.equal(host.asked.length, 6);
  clock.pass(60 * SECOND);
  await links.refresh(URL_A);
  assert.equal(host.asked.length, 7);
});

linkTest("a host that was asked often enough is no news of the URL", async (bench) => {
  const { links, host, clock } = bench;
  host.answer({ error: "fetch-host-busy", retryAfter: 7 });
  await assert.rejects(
    links.verify(URL_A),
    (error) =>
      error instanceof FetchError && error.code === "fetch-host-busy" && error.retryAfter === 7,
  );
  assert.equal(await badgeShown(links, URL_A), "checking");
  host.answer(given(one));
  assert.equal(await shown(links, URL_A), says(one), "at once");
  host.answer({ error: "fetch-host-busy", retryAfter: 7 });
  clock.pass(HOUR + 1);
  const result = await links.verify(URL_A);
  assert.ok(result.state === "given");
  assert.equal(result.served.problem, "fetch-host-busy");
  assert.equal(result.link.state, "stale");
});

linkTest("URLs that aren't fetched are refused before anything else", async ({ links, host }) => {
  const refused: [string, string][] = [
    ["", "fetch-url-malformed"],
    ["receipt.json", "fetch-url-malformed"],
    ["http://files.example/a", "fetch-scheme"],
    ["https://u:p@files.example/a", "fetch-credentials"],
    ["https://files.example:22/a", "fetch-port"],
    ["https://127.0.0.1/a", "fetch-blocked-address"],
  ];
  for (const [url, code] of refused) {
    assert.equal(await shown(links, url), code, url);
    assert.deepEqual(await links.badge(url), { state: "blocked", code });
    await assert.rejects(links.refresh(url), FetchError);
  }
  assert.equal(host.asked.length, 0);
});

linkTest("file pages and their files are one link", async ({ links, host }) => {
  host.answer(given(one));
  await shown(links, "https://github.com/o/r/blob/main/receipt.json");
  await shown(links, "https://raw.githubusercontent.com/o/r/main/receipt.json");
  assert.deepEqual(host.asked.map(({ url }) => url), [
    "https://raw.githubusercontent.com/o/r/main/receipt.json",
  ]);
});

linkTest("bytes that were forgotten are asked for again, without conditions", async (bench) => {
  const { links, host } = bench;
  host.answer({ ...given(one), etag: '"v1"' });
  await shown(links, URL_A);
  host.answer({ ...given(two), etag: '"v1"' }, "https://files.example/other");
  await shown(links, "https://files.example/other");
  const result = await links.verify(URL_A);
  assert.ok(result.state === "given" && result.served.look?.why === "miss");
  assert.equal(host.asked.length, 3);
  assert.equal(host.asked[2]!.conditional, false);
}, { capacity: 9000 });

linkTest("what is kept needs neither memory nor host", async (bench) => {
  const { links, host, clock, another, store } = bench;
  host.answer({ body: `{"ok":true,"receipt":${text(one)}}`, etag: '"v1"' });
  const kept = await links.verify(URL_A, { keep: true });
  assert.ok(kept.state === "given" && kept.link.documents[0]!.kept);
  assert.equal((await store.result(one.id)).state, "current");
  host.answer(DOWN);
  clock.pass(2 * HOUR);
  const { links: restarted } = another();
  const result = await restarted.verify(URL_A);
  assert.ok(result.state === "given");
  const [report] = result.checked.checked.map(({ json }) => JSON.parse(json));
  assert.equal(report.outcome, "verified");
  assert.deepEqual(report.observations.filter((o: string) => o === "unwrapped"), ["unwrapped"]);
  assert.equal(host.asked.at(-1)!.etag, '"v1"', "and may ask with conditions");
  assert.equal(await badgeShown(restarted, URL_A), says(one));
});

linkTest("what isn't kept is gone with the process, its ids aren't", async (bench) => {
  const { links, host, clock, another } = bench;
  host.answer(given(one));
  await shown(links, URL_A);
  host.answer(DOWN);
  clock.pass(MINUTE);
  const { links: restarted } = another();
  const result = await restarted.verify(URL_A);
  assert.ok(result.state === "failed");
  assert.equal(result.link.documents[0]?.id, one.id);
  assert.equal(result.link.fetchedAt, START);
  assert.equal(await badgeShown(restarted, URL_A), "unreachable");
});

linkTest("badges: from memory while it is fresh, kept in the store", async (bench) => {
  const { links, host, clock, store } = bench;
  host.answer(given(one));
  assert.equal(await badgeShown(links, URL_A), says(one));
  assert.equal((await store.result(one.id)).state, "current");
  const first = await links.badge(URL_A);
  clock.pass(5 * MINUTE);
  const again = await links.badge(URL_A);
  assert.ok(first.state === "current" && again.state === "current");
  assert.notEqual(first.revision, null);
  assert.equal(first.revision, again.revision);
  assert.equal(host.asked.length, 1);
  // What comes later is kept while nobody waits.
  host.answer(given(two));
  clock.pass(1);
  assert.equal(await badgeShown(links, URL_A), says(one));
  await links.idle();
  assert.equal((await store.result(two.id)).state, "current");
  assert.equal(await badgeShown(links, URL_A), says(two));
});

Deno.test("badges: a hot one reads nothing of the link from the database", async () => {
  let reads = 0;
  await withLinks(async ({ links, host }) => {
    host.answer(given(one));
    await links.badge(URL_A);
    reads = 0;
    for (let n = 0; n < 100; n++) assert.equal(await badgeShown(links, URL_A), says(one));
    assert.equal(reads, 0);
  }, {
    rows: (rows) => ({ ...rows, read: (hash) => (reads++, rows.read(hash)) }),
  });
});

linkTest("badges: checking after 2.5 s, and there the next time", async (bench) => {
  const { links, host, clock } = bench;
  host.answer(given(one));
  const release = host.hold();
  const waiting = badgeShown(links, URL_A);
  await until(() => clock.waiting() > 1);
  clock.pass(2500);
  assert.equal(await waiting, "checking");
  release();
  await links.idle();
  assert.equal(await badgeShown(links, URL_A), says(one));
  assert.equal(host.asked.length, 1);
});

linkTest("badges: after a look by somebody who keeps nothing, no second fetch", async (bench) => {
  const { links, host, store } = bench;
  host.answer(given(one, two));
  await shown(links, URL_A);
  assert.equal((await store.result(one.id)).state, "unknown");
  assert.equal(await badgeShown(links, URL_A), says(one, two));
  assert.equal((await store.result(two.id)).state, "current");
  assert.equal(host.asked.length, 1);
});

linkTest("badges: a disclosed pool shows at once", async ({ links, host, store }) => {
  const pool = poolOf("links");
  const claimed = await honest(pool);
  host.answer(given(claimed));
  const short = claimed.id.slice(0, 8);
  assert.equal(await badgeShown(links, URL_A), `${short} issuer-claimed`);
  assert.equal(await shown(links, URL_A), `${short} issuer-claimed`);
  const before = await links.badge(URL_A);
  await store.publishPool(pool);
  assert.equal(await badgeShown(links, URL_A), `${short} verified`);
  assert.equal(await shown(links, URL_A), `${short} verified`);
  const after = await links.badge(URL_A);
  assert.ok(before.state === "current" && after.state === "current");
  assert.notEqual(before.revision, after.revision);
  assert.equal(host.asked.length, 1);
});

linkTest("badges: a run, and what is no document", async (bench) => {
  const { links, host, another } = bench;
  const rows = [rowOf("bitmatrix", 4, 1), rowOf("sat", 4, 1)];
  host.answer({ body: bytesOf([...rows, summaryOf(rows)]) });
  const badge = await links.badge(URL_A);
  assert.ok(badge.state === "current");
  const [said] = badge.subjects;
  assert.equal(said!.subject.kind, "run");
  assert.equal(said!.result, null);
  assert.match(said!.id ?? "", /^[0-9a-f]{64}$/);
  assert.notEqual(badge.revision, null);
  // It is remembered in the link's row, for other processes too.
  const { links: restarted } = another();
  const later = await restarted.badge(URL_A);
  assert.deepEqual(later, badge);
  assert.equal(host.asked.length, 1);

  host.answer({ body: `[${text(one)},{"no":"document"}]` }, "https://files.example/mixed");
  assert.equal(
    await badgeShown(links, "https://files.example/mixed"),
    `${says(one)}, undefined invalid`,
  );
  assert.equal(
    await badgeShown(another().links, "https://files.example/mixed"),
    `${says(one)}, undefined invalid`,
  );
});

linkTest("badges: a full store shows them all the same, and remembers nothing of it", async (b) => {
  const { links, host, store } = b;
  host.answer(given(one));
  const badge = await links.badge(URL_A);
  assert.ok(badge.state === "current");
  assert.equal(badge.subjects[0]!.subject.outcome, "verified");
  assert.equal(badge.revision, null);
  assert.equal((await store.result(one.id)).state, "unknown");
  await assert.rejects(
    links.verify(URL_A, { keep: true }),
    (error) => error instanceof StoreError && error.code === "quota-bytes",
  );
  assert.equal(await shown(links, URL_A), says(one), "checking goes on");
}, { quotas: { bytes: 100, documentsPerHour: null } });

linkTest("storing counts for the hourly quota of whoever asks", async ({ links, host }) => {
  host.answer(given(one, two));
  await assert.rejects(
    links.verify(URL_A, { keep: true, client: "198.51.100.7" }),
    (error) => error instanceof StoreError && error.code === "quota-rate",
  );
  assert.equal(await shown(links, URL_A), says(one, two));
}, { quotas: { bytes: null, documentsPerHour: 1 } });

linkTest("what badges bring counts for their reader, whatever the host", async (bench) => {
  const { links, host, store } = bench;
  const readBy = (client: string, url: string) =>
    workFor(createAsker(client), () => badgeShown(links, url));
  host.answer(given(one));
  assert.equal(await readBy("a", URL_A), says(one));
  assert.equal((await store.result(one.id)).state, "current");
  host.answer(given(two));
  for (const url of ["https://files.example/other", "https://elsewhere.example/other"]) {
    assert.equal(await readBy("a", url), says(two));
    assert.equal((await store.result(two.id)).state, "unknown", "one an hour");
  }
  // Another reader of the same host isn't kept from it, nor is the first one from storing itself.
  assert.equal(await readBy("b", "https://files.example/third"), says(two));
  assert.equal((await store.result(two.id)).state, "current");
  await links.verify("https://files.example/third", { keep: true, client: "a" });
}, { quotas: { bytes: null, documentsPerHour: 1 } });

linkTest(
  "what a badge brings is a visit, and ends a week after the last who asked",
  async (bench) => {
    const { links, host, store, clock } = bench;
    const DAY = 24 * HOUR;
    host.answer(given(one, two));
    assert.equal(await badgeShown(links, URL_A), says(one, two));
    const state = async ({ id }: { id: string }) => (await store.result(id)).state;
    assert.deepEqual(await store.sweepVisits(clock.now + 7 * DAY), { removed: 0 });
    assert.deepEqual([await state(one), await state(two)], ["current", "current"]);
    // Somebody stores one of them: that one stays.
    await store.keep(two.envelope);
    assert.deepEqual(await store.sweepVisits(clock.now + 8 * DAY), { removed: 1 });
    assert.deepEqual([await state(one), await state(two)], ["removed", "current"]);
    assert.deepEqual(await store.sweepVisits(clock.now + 800 * DAY), { removed: 0 });
  },
);

linkTest("whoever can't pay for a look sees what is known, and sets nothing off", async (bench) => {
  const { links, host, clock } = bench;
  let tokens = 1;
  const paid: Spent[] = [];
  const reader = createAsker("a", {
    admits: () => tokens-- > 0,
    pay(spent) {
      paid.push(spent);
      return Promise.resolve();
    },
  });
  const read = (url: string) => workFor(reader, () => badgeShown(links, url));
  host.answer(given(one, two));
  assert.equal(await read(URL_A), says(one, two));
  assert.ok(paid.some(({ documents, bytes = 0 }) => documents === 2 && bytes > 1000));
  assert.ok(paid.some(({ milliseconds = 0 }) => milliseconds > 0));
  const asked = host.asked.length;
  assert.equal(await read("https://files.example/another"), "checking");
  clock.pass(2 * HOUR);
  assert.equal(await read(URL_A), says(one, two), "what is known");
  assert.equal(host.asked.length, asked);
});

linkTest("a wish to keep holds for what a look brings at that moment", async (bench) => {
  const { links, host, clock, store } = bench;
  host.answer(given(one));
  await shown(links, URL_A);
  host.answer(given(two));
  clock.pass(5 * MINUTE + 1);
  await shown(links, URL_A, true);
  await links.idle();
  assert.equal(await shown(links, URL_A), says(two));
  assert.equal((await store.result(two.id)).state, "current");
});

linkTest("what the operator deleted comes back only when somebody asks for it", async (bench) => {
  const { links, host, clock, store } = bench;
  host.answer(given(one));
  assert.equal(await badgeShown(links, URL_A), says(one));
  await store.deleteDocument(one.id);
  assert.equal(await badgeShown(links, URL_A), says(one), "checked, not stored");
  clock.pass(HOUR + 1);
  assert.equal(await badgeShown(links, URL_A), says(one));
  await links.idle();
  assert.equal((await store.result(one.id)).state, "removed");
  await links.verify(URL_A, { keep: true });
  assert.equal((await store.result(one.id)).state, "current");
});

linkTest("removed by retention, and asked for again: kept again", async (bench) => {
  const { links, host, clock, store } = bench;
  host.answer(given(one));
  await badgeShown(links, URL_A);
  clock.pass(24 * HOUR);
  await shown(links, URL_A);
  clock.pass(24 * HOUR);
  assert.deepEqual(await store.sweep(clock.now + 24 * HOUR, 1), { removed: 1 });
  assert.equal(await badgeShown(links, URL_A), says(one));
  assert.equal((await store.result(one.id)).state, "current");
});

linkTest("links that nobody asks for go with retention, history and all", async (bench) => {
  const { links, rows, host, clock, store, kv, another } = bench;
  host.answer(given(one));
  const { link } = await links.refresh(URL_A);
  await rows.sweep(clock.now + 24 * HOUR, 1);
  assert.equal((await links.history(link)).length, 1, "not yet");
  await rows.sweep(clock.now + 48 * HOUR, 1);
  assert.deepEqual(await links.history(link), []);
  assert.equal((await kv.get(["link", link.hash!])).value, null);
  const { bytes } = await store.stats();
  assert.equal(bytes, 0, "its bytes are given back");
  assert.equal(await shown(another().links, URL_A), says(one));
});

linkTest("own URLs are answered from the store", async ({ links, host, store }) => {
  const own = "stone.example";
  await store.keep(one.envelope);
  for (
    const path of [`/r/${one.id}`, `/api/results/${one.id}/document`, `/badge/${one.id}.svg`]
  ) {
    for (const base of ["https://stone.example", "http://stone.example:8000"]) {
      const result = await links.verify(base + path, { own });
      assert.ok(result.state === "given", path);
      assert.equal(result.checked.checked.length, 1);
      assert.equal(result.link.documents[0]!.id, one.id);
      const badge = await links.badge(base + path, { own });
      assert.ok(badge.state === "current" && badge.subjects[0]!.id === one.id);
    }
  }
  const notHere = `https://stone.example/r/${two.id}`;
  await assert.rejects(links.verify(notHere, { own }), hasCode("fetch-own-host"));
  assert.deepEqual(await links.badge(notHere, { own }), { state: "absent", id: two.id });
  for (const path of ["/", "/api/verify?url=https%3A%2F%2Fa.example%2F", "/verify?url=x"]) {
    const url = `https://stone.example${path}`;
    await assert.rejects(links.verify(url, { own }), hasCode("fetch-own-host"));
    await assert.rejects(links.refresh(url, { own }), hasCode("fetch-own-host"));
    assert.deepEqual(await links.badge(url, { own }), { state: "blocked", code: "fetch-own-host" });
  }
  assert.equal(host.asked.length, 0);
});

linkTest("a redirect to this service: the stored document, for everybody", async (bench) => {
  const { links, host, store, another } = bench;
  await store.keep(one.envelope);
  host.answer({ own: `https://stone.example/t/r/${one.id}` });
  assert.equal(await shown(links, URL_A), says(one));
  assert.equal(await shown(links, URL_A), says(one));
  assert.equal(await badgeShown(another().links, URL_A), says(one));
  assert.equal(host.asked.length, 1);
  host.answer({ own: "https://stone.example/t/api/verify?url=x" }, "https://loop.example/");
  assert.equal(await shown(links, "https://loop.example/"), "fetch-own-host");
}, { ownHosts: ["stone.example"], path: "/t" });

linkTest("what one asker calls this service is of no concern to others", async (bench) => {
  const { links, host, store } = bench;
  await store.keep(one.envelope);
  // A redirect that, under the name claimed, seems to lead here.
  host.answer({ own: `https://cdn.example/r/${one.id}` });
  const claimed = await links.verify(URL_A, { own: "cdn.example" });
  assert.ok(claimed.state === "given");
  host.answer({ own: "https://cdn.example/x" });
  await assert.rejects(links.verify(URL_A, { own: "cdn.example" }), hasCode("fetch-own-host"));
  host.answer(given(two));
  assert.equal(await shown(links, URL_A), says(two));
  const { link } = await links.refresh(URL_A);
  const history = await links.history(link);
  assert.deepEqual(history.map(({ ids }) => ids), [[two.id]]);
});

linkTest("pools that come along count for reports, and not for badges", async (bench) => {
  const { links, host, another } = bench;
  const pool = poolOf("inline");
  const claimed = await honest(pool);
  const short = claimed.id.slice(0, 8);
  host.answer({ body: JSON.stringify({ documents: [claimed.envelope], pools: [pool] }) });
  assert.equal(await shown(links, URL_A, true), `${short} verified`);
  assert.equal(await badgeShown(links, URL_A), `${short} issuer-claimed`);
  // What is stored isn't all that came: it doesn't stand for it.
  assert.equal(await shown(another().links, URL_A), `${short} verified`);
  assert.equal(host.asked.length, 2);
});

linkTest(
  "a check's ETag that is another document's: an observation, no other outcome",
  async (b) => {
    const { links, host } = b;
    const url = "https://api.example/v1/checks/gs_9AH2bzdnfvKJ";
    host.answer({ ...given(one), etag: `"${two.id}"` });
    const observations = async () => {
      const result = await links.verify(url);
      assert.ok(result.state === "given");
      const [report] = result.checked.checked.map(({ json }) => JSON.parse(json));
      assert.equal(report.outcome, "verified");
      return report.observations.includes("etag-mismatch");
    };
    assert.equal(await observations(), true);
    assert.equal(await observations(), true, "from memory too");
    const badge = await links.badge(url);
    assert.ok(badge.state === "current");
    assert.ok(badge.subjects[0]!.subject.observations.includes("etag-mismatch"));
    host.answer({ ...given(one), etag: `"${one.id}"` });
    await links.refresh(url);
    assert.equal(await observations(), false);
  },
);

Deno.test("a verifier that is busy: the last good result, or an error that passes", async () => {
  let busy = false;
  const check = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => (...args: A) =>
    busy ? Promise.reject(new CheckerBusy(2)) : work(...args);
  await withLinks(async ({ links, host, clock }) => {
    host.answer(given(one));
    busy = true;
    await assert.rejects(links.verify(URL_A), CheckerBusy);
    assert.equal(await badgeShown(links, URL_A), "checking");
    busy = false;
    assert.equal(await badgeShown(links, URL_A), says(one));
    await shown(links, URL_A);
    busy = true;
    host.answer(given(two));
    clock.pass(HOUR + 1);
    assert.equal(await shown(links, URL_A), says(one));
    assert.equal(await badgeShown(links, URL_A), says(one));
  }, {
    checker: (checker) => ({
      ...checker,
      input: check(checker.input),
      intake: check(checker.intake),
      documents: check(checker.documents),
    }),
  });
});

Deno.test("without a database, links live in memory", async () => {
  let away = true;
  const when = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => (...args: A) =>
    away ? Promise.reject(new StoreUnavailable("away")) : work(...args);
  await withLinks(async ({ links, host, clock, another }) => {
    host.answer(given(one));
    assert.equal(await shown(links, URL_A), says(one));
    host.answer(DOWN);
    clock.pass(HOUR + 1);
    assert.equal(await shown(links, URL_A), says(one));
    assert.equal(host.asked.length, 2);
    away = false;
    host.answer(given(two));
    clock.pass(HOUR + 1);
    assert.equal(await shown(links, URL_A), says(two));
    const { links: other } = another();
    const { link } = await other.refresh(URL_A);
    assert.equal((await other.history(link)).length, 1, "and are written once it is there");
  }, {
    rows: (rows) => ({ ...rows, read: when(rows.read), write: when(rows.write) }),
  });
});

linkTest("two processes share what they see", async (bench) => {
  const { links, host, clock, another } = bench;
  const { links: other } = another();
  host.answer(given(one));
  await shown(links, URL_A, true);
  assert.equal(await shown(other, URL_A), says(one));
  assert.equal(host.asked.length, 1, "the other's look was enough");
  host.answer(given(two));
  clock.pass(HOUR + 1);
  await links.refresh(URL_A);
  assert.equal(await shown(other, URL_A), says(two));
  assert.equal(host.asked.length, 2);
  // Each sees one 404; together they are two, but both at the same time.
  host.answer(MISSING);
  clock.pass(HOUR + 1);
  await Promise.all([links.refresh(URL_A), other.refresh(URL_A)]);
  assert.equal(await shown(links, URL_A), says(two));
  clock.pass(5 * MINUTE);
  await other.refresh(URL_A);
  assert.equal(await shown(other, URL_A), "gone");
  const { link } = await links.refresh(URL_A);
  assert.equal(link.state, "gone");
  const history = await links.history(link);
  assert.deepEqual(history.map(({ what }) => what), ["first", "changed", "gone"]);
});

linkTest("a history keeps its last fifty changes", async ({ links, host, kv }) => {
  for (let n = 0; n < 60; n++) {
    host.answer(given(n % 2 === 0 ? one : two));
    await links.refresh(URL_A);
  }
  const { link } = await links.refresh(URL_A);
  const history = await links.history(link);
  assert.equal(history.length, 50);
  assert.ok(history.every(({ at }, n) => n === 0 || at >= history[n - 1]!.at));
  const stored = await Array.fromAsync(kv.list({ prefix: ["link-history"] }));
  assert.equal(stored.length, 50);
});

linkTest("a hundred documents fit into a row, whatever they are", async ({ links, host, kv }) => {
  const junk = Array.from({ length: 100 }, (_, n) => ({ protocol: "x".repeat(50), n }));
  host.answer({ body: JSON.stringify(junk) });
  const badge = await links.badge(URL_A);
  assert.ok(badge.state === "current");
  assert.equal(badge.subjects.length, 100);
  assert.ok(badge.subjects.every(({ subject }) => subject.outcome === "invalid"));
  const rows = await Array.fromAsync(kv.list({ prefix: ["link"] }));
  assert.equal(rows.length, 1);
});

linkTest("a URL that gives nothing to verify gives no result", async ({ links, host }) => {
  host.answer({ body: "[]" });
  const result = await links.verify(URL_A);
  assert.ok(result.state === "failed");
  assert.equal(result.failure.code, "documents-empty");
  assert.equal(result.failure.reason?.code, "documents-empty");
  const badge = await links.badge(URL_A);
  assert.ok(badge.state === "unreachable");
  assert.equal(badge.failure.code, "documents-empty");
});

linkTest("closing ends what is in flight", async ({ links, host }) => {
  host.answer(given(one));
  host.hold();
  const waiting = assert.rejects(links.verify(URL_A), /closing/);
  await until(() => host.asked.length > 0);
  await links.close();
  await waiting;
  await assert.rejects(links.verify(URL_A), /closing/);
});

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof FetchError && error.code === code;
}

/** Waits for what needs nothing but its turn. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn++) {
    if (turn === 5000) assert.fail("it never comes to that");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
