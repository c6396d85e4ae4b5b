/** Components of pages: what the pages' own tests would only show by chance. */
import assert from "node:assert/strict";
import type { ReceiptReport } from "../../../lib/verify/report.ts";
import { Challenges, ReasonCodes } from "../../../routes/pages/views/parts/challenges.tsx";
import { Figures } from "../../../routes/pages/views/parts/figures.tsx";
import { DocumentForm, UrlForm } from "../../../routes/pages/views/parts/forms.tsx";
import { State } from "../../../routes/pages/views/parts/marks.tsx";
import { NextPage } from "../../../routes/pages/views/parts/results_table.tsx";
import { Heading, Part, Section } from "../../../routes/pages/views/parts/section.tsx";
import { Table } from "../../../routes/pages/views/parts/table.tsx";
import { isAfter, Time } from "../../../routes/pages/views/parts/time.tsx";
import { emptyReport } from "../../../lib/verify/report.ts";
import { readMarkup } from "../../support/markup.ts";

const SITE = { url: "https://stone.example.org/at", path: "/at" };

/** What a component gives as HTML, which has to be balanced. */
function htmlOf(component: unknown): string {
  const html = `${component}`;
  readMarkup(html);
  return html;
}

Deno.test("every cell of a table carries its column's name and its role", () => {
  const html = htmlOf(Table({ columns: ["A", "B & C"], rows: [[1, "<x>"], [null, "y"]] }));
  assert.equal(
    html,
    '<table role="table" class="stack"><thead role="rowgroup"><tr role="row">' +
      '<th role="columnheader" scope="col">A</th><th role="columnheader" scope="col">B &amp; C</th>' +
      '</tr></thead><tbody role="rowgroup"><tr role="row"><td role="cell" data-label="A">1</td>' +
      '<td role="cell" data-label="B &amp; C">&lt;x&gt;</td></tr><tr role="row">' +
      '<td role="cell" data-label="A"></td><td role="cell" data-label="B &amp; C">y</td></tr>' +
      "</tbody></table>",
  );
});

Deno.test("reasons inside of reasons are told from the outside in", () => {
  const inner = {
    code: "prompt-mismatch" as const,
    message: "m",
    path: "receipts[2].challenge.prompt",
  };
  const reason = { code: "receipt-invalid" as const, message: "m", path: "receipts[2]", inner };
  const text = htmlOf(ReasonCodes({ reason })).replace(/<[^>]*>/g, "");
  assert.equal(
    text,
    "receipt-invalid at receipts[2], because prompt-mismatch at receipts[2].challenge.prompt",
  );
  const alone = htmlOf(
    ReasonCodes({ reason: { code: "signature-invalid", message: "m", path: "" } }),
  );
  assert.equal(alone, '<span class="codes"><code>signature-invalid</code></span>');
});

function receipt(changes: Partial<ReceiptReport>): ReceiptReport {
  return {
    challengeId: "c",
    cell: "sat:t1",
    seed: 1,
    response: "r",
    expected: "e",
    pass: true,
    formatOnly: false,
    outcome: "verified",
    reason: null,
    checks: [],
    ...changes,
  };
}

Deno.test("a long response is cut and its length told; a missing one is a dash", () => {
  const report = {
    ...emptyReport("admission", null, null),
    receipts: [receipt({ response: "x".repeat(601), expected: null, seed: null })],
  };
  const html = htmlOf(Challenges({ report, trusted: false, level: 2 }));
  assert.ok(html.includes(`<bdi class="quoted">${"x".repeat(600)}</bdi>`));
  assert.ok(html.includes("… 601 characters in all"));
  assert.equal(html.split('<span class="none" aria-label="none">–</span>').length, 3);
  // The column of reasons is there only where some receipt has one.
  assert.ok(!html.includes("Reason"));
  const reason = { code: "receipt-invalid" as const, message: "because", path: "" };
  const reasoned = { ...report, receipts: [receipt({ reason }), receipt({})] };
  const cells = htmlOf(Challenges({ report: reasoned, trusted: true, level: 2 }));
  assert.equal(cells.split('data-label="Reason"').length, 3);
  assert.match(cells, /class="stack trusted"/);
  assert.equal(
    Challenges({ report: emptyReport("run", null, null), trusted: true, level: 2 }),
    null,
  );
});

Deno.test("headings have the level that they are given, and sections an id", () => {
  assert.equal(
    htmlOf(Heading({ level: 3, class: "c", children: "a<b" })),
    '<h3 class="c">a&lt;b</h3>',
  );
  assert.equal(
    htmlOf(Part({ level: 2, title: "t", children: "x" })),
    "<section><h2>t</h2>x</section>",
  );
  assert.equal(
    htmlOf(Section({ id: "i", title: "t", children: "x" })),
    '<section aria-labelledby="i"><h2 id="i">t</h2>x</section>',
  );
});

Deno.test("figures of zero are shown", () => {
  assert.equal(
    htmlOf(Figures({ figures: [{ name: "unreplayed", value: 0 }], trusted: true })),
    '<dl class="figures trusted"><div class=""><dt>unreplayed</dt><dd>0</dd></div></dl>',
  );
});

Deno.test("a form asks for what its page asks for, in its address or in hidden fields", () => {
  const query = "?issuer=a%26b&maxage=1d";
  const form = htmlOf(DocumentForm({ site: SITE, query, document: "\n<&>" }));
  assert.ok(form.includes('action="/at/verify?issuer=a%26b&amp;maxage=1d"'));
  assert.ok(form.includes(">\n&lt;&amp;&gt;</textarea>"));
  const byUrl = htmlOf(UrlForm({ site: SITE, query }));
  assert.ok(byUrl.includes('<input type="hidden" name="issuer" value="a&amp;b"/>'));
  assert.ok(byUrl.includes('<input type="hidden" name="maxage" value="1d"/>'));
  // A boolean attribute stands, and one that is written out as false too.
  assert.match(byUrl, /<input id="url"[^>]* required="" spellcheck="false"/);
});

Deno.test("the outcome stands below the verdict, and only there", () => {
  const smalls = (html: string) =>
    [...html.matchAll(/<span class="small">([^<]*)<\/span>/g)].map(([, text]) => text);
  const both = htmlOf(State({ outcome: "issuer-claimed", pass: true, notes: ["a note"] }));
  assert.match(both, /state-claimed[^]*pass<\/span>/);
  assert.deepEqual(smalls(both), ["issuer-claimed", "a note"]);
  const alone = htmlOf(State({ outcome: "verified", pass: null }));
  assert.match(alone, /state-replayed[^]*verified<\/span>/);
  assert.deepEqual(smalls(alone), []);
});

Deno.test("a list leads on only where there is more, with the cursor escaped", () => {
  assert.equal(NextPage({ href: "/pools", cursor: null }), null);
  assert.equal(
    htmlOf(NextPage({ href: "/pools", cursor: "a&b" })),
    '<p class="next"><a href="/pools?cursor=a%26b" rel="next">Older ones</a></p>',
  );
});

Deno.test("a text that is no timestamp is shown as it is, and is after nothing", () => {
  const at = "2026-11-30T18:50:08.123Z";
  assert.equal(htmlOf(Time({ at })), `<time datetime="${at}">2026-11-30 18:50:08 UTC</time>`);
  assert.equal(htmlOf(Time({ at: "soon<" })), "<bdi>soon&lt;</bdi>");
  assert.equal(isAfter("9", "2026-11-30T18:50:08Z"), false);
  assert.equal(isAfter("2026-11-30T18:50:09Z", "2026-11-30T18:50:08Z"), true);
});
