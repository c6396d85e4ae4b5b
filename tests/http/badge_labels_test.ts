/** Labels over HTTP: anybody writes them, and no format shows one that passes for somebody. */
import assert from "node:assert/strict";
import { shieldsSchema } from "../../routes/schemas/index.ts";
import { decodePng } from "../support/badges.ts";
import { mint, post, serverTest, type TestServer } from "../support/server.ts";

async function keep(server: TestServer): Promise<string> {
  const { envelope } = await mint(server);
  const answer = await server.fetch("/api/results", post(envelope));
  return (await answer.json()).id;
}

interface Seen {
  label: string;
  name: string;
  title: string;
  width: number;
}

/** What the three formats show of a badge with this label. */
async function look(server: TestServer, path: string, label: string): Promise<Seen> {
  const query = `label=${encodeURIComponent(label)}`;
  const [svg, png, json] = await Promise.all(["svg", "png", "json"].map(async (format) => {
    const address = path.includes("?")
      ? path.replace("?", `.${format}?`) + "&"
      : `${path}.${format}?`;
    const answer = await server.fetch(address + query);
    return new Uint8Array(await answer.arrayBuffer());
  }));
  const text = new TextDecoder().decode(svg);
  const plain = (part: string) =>
    part.replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">");
  const width = Number(/ width="(\d+)"/.exec(text)![1]);
  assert.equal(decodePng(png!).width, width, "a PNG is as large as the SVG");
  return {
    label: shieldsSchema.parse(JSON.parse(new TextDecoder().decode(json))).label,
    name: plain(/ aria-label="([^"]*)"/.exec(text)![1]!).replace(/: (?!.*: ).*/, ""),
    title: plain(/<title>([^<]*)/.exec(text)![1]!),
    width,
  };
}

serverTest("a result of the house suite is nobody else's, whatever its label", async (server) => {
  const path = `/badge/${await keep(server)}`;
  const usual = await look(server, path, "");
  assert.equal(usual.label, "touchstone");
  const forged = [
    ...[
      "clankdar",
      "CIankdar",
      "сlаnkdаr",
      "ｃｌａｎｋｄａｒ",
      "cl\u200bankdar",
      "Clankdar staging",
    ],
    ...["Clankdar archive 2026-09", "verified by OpenAI", "clankdar | 100/100 passed · verified"],
    ...["100%", "openai.com", "p a s s"],
  ];
  for (const label of forged) {
    const seen = await look(server, path, label);
    assert.deepEqual(
      [seen.label, seen.name, seen.width],
      ["touchstone", "touchstone", usual.width],
      label,
    );
    assert.match(seen.title, / Suite touchstone-algal-v1\. /);
    assert.match(seen.title, / The label asked for is not shown: it reads like .*\.$/, label);
  }
  for (const label of ["my-agent", "touchstone demo", "node.js"]) {
    const seen = await look(server, path, label);
    assert.deepEqual([seen.label, seen.name], [label, label]);
    assert.match(seen.title, / Suite touchstone-algal-v1\. /);
    assert.doesNotMatch(seen.title, /label/);
  }
});

serverTest("where there is no result a label stands for nobody either", async (server) => {
  for (const path of [`/badge/${"0".repeat(64)}`, "/badge/session/gs_none", "/badge?url=x"]) {
    const seen = await look(server, path, "Clankdar staging");
    assert.deepEqual([seen.label, seen.name], ["receipt", "receipt"], path);
    assert.match(seen.title, /The label asked for is not shown: it reads like the name clankdar/);
  }
});

serverTest("labels are kept as they are in every text, whatever can be drawn", async (server) => {
  const path = `/badge/${await keep(server)}`;
  const family = "👩\u200d👩\u200d👧";
  for (const label of ["✔\ufe0f ok", "परीक्षण", "ภาษาไทย", "שָׁלוֹם", "مُحَمَّد", "漢字", family]) {
    const seen = await look(server, path, label);
    assert.deepEqual([seen.label, seen.name], [label, label]);
  }
  for (
    const [given, shown] of [
      ["foo\n", "foo"],
      [" a\t\u3000b ", "a b"],
      ["a\0\u001b\u202eb", "ab"],
      [family.repeat(41), `${family.repeat(39)}…`],
    ] as const
  ) {
    const seen = await look(server, path, given);
    assert.deepEqual([seen.label, seen.name], [shown, shown]);
  }
});
