/** The words of every state on its page: title, description, headline, lines and tone. */
import assert from "node:assert/strict";
import type { Requirements } from "../../../lib/trust/acceptance.ts";
import { renderBadge } from "../../../lib/badge/render.ts";
import { drawnBadge } from "../../../routes/pages/checked_documents.ts";
import type { PageAsked } from "../../../routes/pages/page_asked.ts";
import { renderPage } from "../../../routes/pages/views/layout.tsx";
import { checkedPage } from "../../../routes/pages/views/checked.tsx";
import { statementsOf } from "../../../routes/pages/statements.ts";
import { statementOf } from "../../../lib/words/statement.ts";
import { STRANGER, TRUST } from "../../support/badges.ts";
import { assertHarmless, readMarkup } from "../../support/markup.ts";
import { STATES, type StateWords } from "../../support/states.ts";

const SITE = { url: "https://stone.example.org", path: "" };

const NOTHING: Requirements = {
  issuers: null,
  policy: null,
  context: null,
  sessionId: null,
  sha256: null,
  replayed: false,
  maxAge: null,
};

/** Whoever is asked for and never signs. */
const NOBODY = { publicKey: "Z".repeat(43), name: null, status: null };

/** A question that the state's report fails exactly where the table says so. */
function askedOf({ asked, report }: StateWords): PageAsked | null {
  if (asked === undefined) return null;
  const { failed = [], problem = null, issuer = false } = asked;
  const signer = { ...NOBODY, publicKey: report.issuer?.publicKey ?? STRANGER.publicKey };
  return {
    problem,
    requirements: problem !== null ? null : {
      ...NOTHING,
      issuers: issuer ? [failed.includes("issuer") ? NOBODY : signer] : null,
      sha256: failed.includes("sha256") ? "f".repeat(64) : null,
      context: failed.includes("context") ? "another context" : null,
      sessionId: failed.includes("session") ? "gs_AAAAAAAAAAAA" : null,
      policy: failed.includes("policy") ? { hash: "f".repeat(64), name: null } : null,
      replayed: failed.includes("replayed"),
      maxAge: failed.includes("stale") ? { ms: 1000, text: "1s" } : null,
    },
    now: Date.UTC(2026, 5, 1),
  };
}

async function pageOf(state: StateWords): Promise<string> {
  const { report } = state;
  const asked = askedOf(state);
  const statements = statementsOf(report, asked, TRUST);
  const badge = await drawnBadge(report, statements.said, {
    renderBadge,
    onFault: (error) => assert.fail(`${error}`),
  });
  const page = checkedPage(SITE, {
    documents: [{ report, pools: [], statements, badge }],
    storable: null,
    checked: { at: "2026-06-01T00:00:00.000Z", revision: 999 },
    asked,
    trust: TRUST,
  });
  return await renderPage(SITE, page);
}

/** The texts between the tags of each element that a pattern finds. */
function textsOf(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, inner]) =>
    inner!.replace(/<[^>]*>/g, "").replaceAll("&#39;", "'").trim()
  );
}

for (const state of STATES) {
  Deno.test(`page: ${state.name}`, async () => {
    const html = await pageOf(state);
    assertHarmless(readMarkup(html));
    const { verdict, replayed, signer, floor } = state.headline;
    // The badge's drawing has a title of its own.
    const [title] = textsOf(html, /<title>([^<]*)<\/title>/g);
    assert.equal(title, `${state.pageTitle} · Touchstone`);
    assert.deepEqual(textsOf(html, /<h1[^>]*>([^]*?)<\/h1>/g), [verdict]);
    const lines = textsOf(html, /<li class="(?:replayed|signer|floor)">([^]*?)<\/li>/g);
    const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
    assert.deepEqual(
      lines,
      [replayed, signer, floor].filter((line) => line !== null).map(capital),
    );
    assert.match(html, new RegExp(`class="verdict tone-${state.tone}[" ]`));
    // The description is the badge's title: sentences in their order.
    const [, description = ""] = /<meta name="description" content="([^"]*)"\/>/.exec(html) ?? [];
    for (const sentence of state.title) {
      assert.ok(description.replaceAll("&#39;", "'").includes(sentence), sentence);
    }
    // The verdict stands before what was replayed, that before who signed.
    const order = ["<h1", 'class="replayed"', 'class="signer"', 'class="floor"']
      .map((part) => html.indexOf(part)).filter((at) => at >= 0);
    assert.deepEqual(order, order.toSorted((a, b) => a - b));
    const isForgery = state.tone === "invalid";
    assert.equal(html.includes("not what an honest issuer signed"), isForgery && !isExposed(state));
    assert.match(html, /by revision 999 of the verifier/);
  });
}

function isExposed({ report }: StateWords): boolean {
  return report.observations.includes("exposed");
}

Deno.test("a pass is green on a page only where somebody sound and known signed it", async () => {
  for (const state of STATES) {
    const isGreen = / trusted"/.test(await pageOf(state));
    const signers = statementOf(state.report, { trust: TRUST }).signers;
    const sound = signers.length > 0 &&
      signers.every((signer) =>
        signer.standing === "known" && (signer.status === "active" || signer.status === "rotated")
      );
    assert.equal(isGreen, sound, state.name);
  }
});
