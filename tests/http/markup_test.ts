/**
 * A stranger's text stays text: hostile strings in every string of every document, pool, statement,
 * run, query and form, and every page, badge and answer that could show them. The fields are found in
 * what is minted, so that a new one is tried by itself.
 */
import assert from "node:assert/strict";
import { run as verifyCommand } from "../../cli/verify.ts";
import { type Badge, badgeOf } from "../../lib/badge/model.ts";
import { renderPng } from "../../lib/badge/png.ts";
import { shieldsOf } from "../../lib/badge/shields.ts";
import { renderSvg, STYLES } from "../../lib/badge/svg.ts";
import { said, saidLabel } from "../../lib/badge/text.ts";
import { createDisclosure } from "../../lib/issuer/disclosure.ts";
import { createKey } from "../../lib/issuer/keys.ts";
import type { Envelope } from "../../lib/protocol/envelope.ts";
import { emptyReport } from "../../lib/verify/report.ts";
import { memoryIo } from "../support/io.ts";
import { assertHarmless, readMarkup } from "../support/markup.ts";
import {
  admissionOf,
  challengeOf,
  type ReceiptBody,
  receiptBody,
  SESSION,
  signBody,
} from "../support/forge.ts";
import { linesOf, rowOf } from "../support/runs.ts";
import { fileOf, newPool } from "../support/disclosure.ts";
import { mint, post, serverTest, type TestServer } from "../support/server.ts";

/** Ends of every context that a text can stand in, then something that would run. */
const HOSTILE = [
  `<script>alert(1)</script><img src=x onerror=alert(1)>`,
  `"><svg onload=alert(1)>' onload='alert(1)' x="`,
  `</title></textarea></svg></code>]]>--><!--<b>&lt;&#60;&amp`,
  `javascript:alert(1)//\u202e\u2066\u200f\ufeff\u2028\u2029`,
  `<b>\0\x01\x08\x0b\x1b[31m\x7f\x9b\ud800<\udc00\uffff`,
];

/** What may never stand in a terminal, line ends aside. */
const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const key = createKey();

type Path = (string | number)[];

/** The strings in a JSON value, with their paths. */
function* stringsIn(value: unknown, path: Path = []): Generator<{ path: Path; text: string }> {
  if (typeof value === "string") yield { path, text: value };
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* stringsIn(member, [...path, name]);
}

/** A copy with every string that `text` stands for replaced. */
function replaced<T>(value: T, text: string, by: string): T {
  return JSON.parse(JSON.stringify(value), (_, member) => member === text ? by : member);
}

/** A copy with another text at the path. */
function withText<T>(value: T, path: Path, text: string): T {
  const copy = structuredClone(value) as Record<string | number, unknown>;
  let at = copy;
  for (const step of path.slice(0, -1)) at = at[step] as typeof at;
  at[path.at(-1)!] = text;
  return copy as T;
}

/** Every copy with one string, or all strings equal to it, made hostile. */
function* hostileCopies<T>(value: T): Generator<{ copy: T; hostile: string; where: string }> {
  const strings = [...stringsIn(value)];
  for (const { path, text } of strings) {
    const isAlone = strings.filter((other) => other.text === text).length === 1;
    for (const hostile of HOSTILE) {
      const where = path.join(".");
      yield { copy: withText(value, path, hostile), hostile, where };
      if (isAlone) continue;
      yield { copy: replaced(value, text, hostile), hostile, where: `${where} and wherever it is` };
    }
  }
}

/** Reads an answer of any kind, and makes sure that nothing in it is more than text. */
async function examine(answer: Response, hostile: string): Promise<string[]> {
  assert.ok(answer.status < 500, `${answer.url} answered ${answer.status}`);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff", answer.url);
  for (const [name, value] of answer.headers) assert.match(value, /^[\x20-\x7e]*$/, name);
  const [type] = (answer.headers.get("content-type") ?? "").split(";");
  const bytes = new Uint8Array(await answer.arrayBuffer());
  switch (type) {
    case "":
      assert.equal(bytes.length, 0);
      return [];
    case "image/png":
      assert.deepEqual([...bytes.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
      return [];
    case "text/html":
    case "image/svg+xml": {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      assert.ok(!/[<>"&]/.test(hostile) || !text.includes(hostile));
      if (type === "image/svg+xml") assertXml(text);
      const markup = readMarkup(text);
      assertHarmless(markup);
      return markup.texts;
    }
    case "application/json":
    case "application/problem+json":
    case "application/feed+json": {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(text, /[\x00-\x1f]/);
      return [...stringsIn(JSON.parse(text))].map(({ text }) => text);
    }
    default:
      assert.fail(`${answer.url} answered with ${type}`);
  }
}

/** Characters that XML allows, and no others. */
function assertXml(text: string): void {
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
  assert.ok(text.isWellFormed());
}

/** Everything that shows a document; gives the texts of its pages. */
async function showEverywhere(
  server: TestServer,
  document: unknown,
  hostile: string,
): Promise<string[]> {
  const see = async (path: string, init?: RequestInit) =>
    await examine(await server.fetch(path, init), hostile);
  await see("/api/verify", post([document]));
  const form = new FormData();
  form.set("document", JSON.stringify(document));
  const texts = await see("/verify", { method: "POST", body: form });
  await showInTerminal(JSON.stringify(document));

  const kept = await server.fetch("/api/results", post(document));
  assert.ok(kept.status < 500, `${kept.status}: ${await kept.clone().text()}`);
  const { id = null } = kept.ok ? await kept.clone().json() : {};
  await examine(kept, hostile);
  if (id === null) return texts;
  for (const path of [`/api/results/${id}`, `/api/results/${id}/document`]) await see(path);
  for (const format of ["svg", "png", "json"]) await see(`/badge/${id}.${format}`);
  texts.push(...await see(`/r/${id}`));
  texts.push(
    ...await see(`/r/${id}?issuer=${key.publicKey.text}&policy=${"0".repeat(64)}&maxage=1d`),
  );
  return texts;
}

/** The command line's report. */
async function showInTerminal(input: string): Promise<void> {
  const io = memoryIo(input);
  await verifyCommand(["-"], io);
  const found = UNPRINTABLE.exec(io.written + io.errors);
  assert.equal(found, null, `U+${found?.[0].codePointAt(0)?.toString(16)} in the terminal`);
}

function model(session: boolean): ReceiptBody {
  const challenge = challengeOf(key, 0, {
    context: "the context",
    subject: "the subject",
    ...(session ? { sessionId: SESSION.sessionId } : {}),
  });
  const proof = { publicKey: createKey().publicKey.text, signature: "s".repeat(86) };
  return { ...receiptBody(challenge), subjectProof: proof };
}

/** Answers that are any text, so that the receipt stays what it is. */
function answering(text: string): ReceiptBody {
  const { subjectProof: _, ...body } = model(true);
  return { ...body, expected: text, response: text };
}

serverTest("every string of a receipt", async (server) => {
  const { subjectProof: _, ...sound } = model(false);
  for (const body of [model(false), sound as ReceiptBody]) {
    for (const { copy, hostile } of hostileCopies(body)) {
      await showEverywhere(server, await signBody(key, copy), hostile);
    }
  }
  assert.deepEqual(server.logs, []);
});

serverTest("every string of an admission, and of the receipts in it", async (server) => {
  const { subjectProof: _, ...sound } = model(true);
  const bodies = [sound as ReceiptBody];
  const whole = JSON.parse((await admissionOf(key, bodies)).payload);
  const { receipts: __, kind: ___, ...changes } = whole;
  const claims = { context: "the context", subject: "the subject" };
  for (const { copy, hostile } of hostileCopies({ bodies, changes: { ...changes, ...claims } })) {
    const envelope = await admissionOf(key, copy.bodies, copy.changes);
    await showEverywhere(server, envelope, hostile);
  }
  assert.deepEqual(server.logs, []);
});

serverTest("every string of an envelope, and of a wrapper", async (server) => {
  const { envelope } = await mint(server, { context: "c" });
  for (const { copy, hostile } of hostileCopies({ ...envelope, more: "m" })) {
    await showEverywhere(server, copy, hostile);
  }
  for (const { copy, hostile } of hostileCopies({ admission: envelope, state: "s" })) {
    await showEverywhere(server, copy, hostile);
  }
  assert.deepEqual(server.logs, []);
});

serverTest("what is shown is shown whole: claims, answers and names", async (server) => {
  for (const hostile of HOSTILE.slice(0, 3)) {
    const claims = { context: hostile, subject: hostile };
    const challenge = challengeOf(key, 0, { ...claims, sessionId: SESSION.sessionId });
    const body = { ...answering(hostile), challenge };
    const texts = await showEverywhere(server, await admissionOf(key, [body], claims), hostile);
    // Response, expected answer, context and subject, on three pages.
    assert.equal(texts.filter((text) => text === hostile).length, 4 * 3);
    const unknown = receiptBody(challengeOf(key, 0, { suiteVersion: hostile, family: hostile }));
    const names = await showEverywhere(server, await signBody(key, unknown), hostile);
    assert.ok(names.includes(hostile) && names.includes(`h:${hostile}:t0`));
  }
});

serverTest("names of any length are cut, and what names them can be stored", async (server) => {
  const long = `${HOSTILE[0]}${"x".repeat(100_000)}`;
  const documents: Envelope[] = await Promise.all([
    signBody(key, receiptBody(challengeOf(key, 0, { suiteVersion: long }))),
    signBody(key, receiptBody(challengeOf(key, 0, { family: long }))),
    signBody(key, { ...model(false), subjectProof: { publicKey: long, signature: long } }),
    signBody(key, {
      ...receiptBody(challengeOf(key)),
      verdict: { pass: true, format: long, answeredAt: SESSION.answeredAt },
    }),
  ]);
  for (const document of documents) {
    const kept = await server.fetch("/api/results", post(document));
    assert.equal(kept.status, 201, await kept.clone().text());
    const { report } = await kept.json();
    assert.equal(report.outcome, "invalid");
    assert.equal(report.subjectKey, undefined);
    for (const { text } of stringsIn(report)) assert.ok(text.length <= 300, `${text.length}`);
    await showEverywhere(server, document, HOSTILE[0]!);
  }
});

serverTest("every string of a benchmark run", async (server) => {
  const agent = rowOf("relayvm", 5, 2, {
    detail: {
      transcript: [
        { turn: 0, role: "model", text: "TOOL vm_state {}" },
        { turn: 0, role: "tool", text: "x", tool: "vm_state", ok: true },
      ],
      episodeError: "none",
    },
  });
  const failed = rowOf("sat", 4, 3, { error: "it broke", pass: false, response: "" });
  const runs = [
    linesOf("clankdar-frontier-v1", [rowOf("sat", 4, 1), failed]),
    linesOf("clankdar-agent-v1", [agent]),
    // Without a manifest nothing is regenerated, and more of the rows is believed.
    linesOf("clankdar-frontier-v1", [rowOf("sat", 4, 1), failed]).slice(1).map((line) => {
      const { type, schemaVersion: _, runId: __, suiteVersion: ___, ...rest } = line;
      return type === "summary" ? { type, ...rest } : rest;
    }),
  ];
  for (const lines of runs) {
    for (const { copy, hostile } of hostileCopies(lines)) {
      const text = copy.map((line) => JSON.stringify(line)).join("\n");
      await examine(await server.fetch("/api/verify", post(text)), hostile);
      const form = new FormData();
      form.set("file", new File([text], hostile.toWellFormed().replaceAll("\0", "")));
      await examine(await server.fetch("/verify", { method: "POST", body: form }), hostile);
      await showInTerminal(text);
    }
  }
  assert.deepEqual(server.logs, []);
});

serverTest("every string of a pool and of a statement about it", async (server) => {
  const pool = newPool(["algal:t1"]);
  const disclosure = await createDisclosure(key, pool.poolKey);
  for (
    const { copy, hostile } of hostileCopies({ pool: { ...fileOf(pool), more: "m" }, disclosure })
  ) {
    const see = async (path: string, init: RequestInit) =>
      await examine(await server.fetch(path, init), hostile);
    await see("/api/pools", post(copy));
    await see("/api/pools", post(copy.pool));
    await see("/api/verify", post({ documents: [{}], pools: [copy.pool] }));
    const form = new FormData();
    form.set("pool", JSON.stringify(copy.pool));
    form.set("disclosure", JSON.stringify(copy.disclosure));
    await see("/pools", { method: "POST", body: form });
    const check = new FormData();
    check.set("document", "{}");
    check.set("pool", JSON.stringify(copy.pool));
    await see("/verify", { method: "POST", body: check });
  }
  // Published with members of a stranger's naming, then shown with a result under it.
  const more = Object.fromEntries(HOSTILE.slice(0, 4).map((hostile) => [hostile, hostile]));
  const published = await server.fetch(
    "/api/pools?confirm=publish",
    post({ pool: { ...fileOf(pool), ...more }, disclosure }),
  );
  assert.equal(published.status, 201);
  await examine(published, HOSTILE[0]!);
  const claims = { context: HOSTILE[1]!, subject: HOSTILE[0]! };
  const challenge = challengeOf(key, 0, { ...claims, heldout: { poolKey: pool.poolKey } });
  assert.ok(
    (await server.fetch("/api/results", post(await signBody(key, receiptBody(challenge))))).ok,
  );
  for (
    const path of [
      "/pools",
      `/pools/${pool.poolKey}`,
      "/api/pools",
      `/api/pools/${pool.poolKey}`,
      `/api/pools/${pool.poolKey}/results`,
      "/api/results",
      "/api/feed",
    ]
  ) {
    for (const hostile of HOSTILE) await examine(await server.fetch(path), hostile);
  }
  assert.deepEqual(server.logs, []);
});

serverTest("every parameter, path and field", async (server) => {
  const { envelope } = await mint(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  const poolKey = "5".repeat(64);
  const parameters = [
    ...["issuer", "policy", "context", "session", "replayed", "maxage", "subject", "recent"],
    ...["cursor", "limit", "confirm", "label", "title", "url", "style", "theme", "scale", "store"],
  ];
  const paths = [
    ...["/", "/verify", "/pools", "/evaluator", "/api", "/api/results", "/api/pools", "/api/feed"],
    ...[`/r/${id}`, `/api/results/${id}`, `/api/results/${id}/document`, `/pools/${poolKey}`],
    ...["svg", "png", "json"].map((format) => `/badge/${id}.${format}`),
  ];
  for (const hostile of HOSTILE) {
    const text = encodeURIComponent(hostile.toWellFormed());
    for (const accept of ["text/html", "application/json"]) {
      const headers = { accept };
      for (const path of paths) {
        for (const parameter of parameters) {
          const address = `${path}?${parameter}=${text}`;
          await examine(await server.fetch(address, { headers }), hostile);
        }
        await examine(await server.fetch(`${path}?${text}=1`, { headers }), hostile);
      }
      for (const prefix of ["/", "/r/", "/badge/", "/api/results/", "/api/pools/", "/pools/"]) {
        await examine(await server.fetch(`${prefix}${text}`, { headers }), hostile);
      }
      await examine(await server.fetch(`/problems/${text}`, { headers }), hostile);
    }
    for (const field of ["document", "pool", "disclosure", "action", hostile.toWellFormed()]) {
      for (const path of ["/verify", "/pools"]) {
        const form = new FormData();
        form.set("document", "{}");
        form.set(field, hostile);
        await examine(await server.fetch(path, { method: "POST", body: form }), hostile);
      }
    }
  }
  // A context that is asked for is shown, and a text that can't be read is given back.
  const [hostile] = HOSTILE;
  const shown = await server.fetch(`/r/${id}?context=${encodeURIComponent(hostile!)}`);
  assert.ok((await examine(shown, hostile!)).includes(hostile!));
  const form = new FormData();
  form.set("document", hostile!);
  const back = await server.fetch("/verify", { method: "POST", body: form });
  assert.ok((await examine(back, hostile!)).includes(hostile!));
});

Deno.test("every string of a badge, in every style and format", async () => {
  const badge = badgeOf({
    ...emptyReport("admission", null, null),
    outcome: "verified",
    verdict: "pass",
    counts: {
      challenges: 4,
      answered: 4,
      passed: 3,
      required: 3,
      unreplayed: 0,
      replayedPasses: 3,
      formatOnly: 0,
    },
  });
  for (const { copy, hostile, where } of hostileCopies<Badge>(badge)) {
    // Tone and state are words of ours: one chooses a colour, the other is for programs.
    if (where.startsWith("tone") || where.startsWith("state")) continue;
    for (const style of STYLES) {
      const svg = await renderSvg(copy, style);
      assertXml(svg);
      assert.ok(!svg.includes(hostile));
      const markup = readMarkup(svg);
      assertHarmless(markup);
      const shown = said(hostile);
      const label = saidLabel(hostile);
      assert.ok(
        markup.texts.some((text) => text.includes(shown) || text.includes(label)),
        `${where} is shown`,
      );
    }
    // The parser of the drawing library reads it too.
    await renderPng(await renderSvg(copy));
    const json = JSON.stringify(shieldsOf(copy));
    assert.ok(json.isWellFormed());
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(json, /[\x00-\x1f]/);
  }
});
