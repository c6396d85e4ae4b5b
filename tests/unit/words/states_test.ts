/** The words of every state, on the badge and in the command's exit status. */
import assert from "node:assert/strict";
import { cardOf } from "../../../lib/badge/card.ts";
import { badgeOf, badgeText } from "../../../lib/badge/model.ts";
import { PALETTE } from "../../../lib/badge/palette.ts";
import { renderSvg } from "../../../lib/badge/svg.ts";
import { shieldsOf } from "../../../lib/badge/shields.ts";
import { exitStatusOf } from "../../../lib/words/exit.ts";
import { statementOf, type StatementOptions, type Tone } from "../../../lib/words/statement.ts";
import { TRUST } from "../../support/badges.ts";
import { STATES, type StateWords } from "../../support/states.ts";

function optionsOf({ asked }: StateWords): StatementOptions {
  if (asked === undefined) return { trust: TRUST };
  const { failed = [], problem, issuer = false } = asked;
  const accepted = failed.length === 0 && problem === undefined;
  return { trust: TRUST, issuerAsked: issuer, acceptance: { accepted, failed, problem } };
}

for (const state of STATES) {
  Deno.test(`words: ${state.name}`, async () => {
    const options = optionsOf(state);
    const statement = statementOf(state.report, options);
    assert.equal(statement.tone, state.tone);
    assert.equal(statement.state, state.state);
    assert.equal(statement.pageTitle, state.pageTitle);
    const { besides: _, ...headline } = statement.headline;
    assert.deepEqual(headline, state.headline);
    let from = 0;
    for (const sentence of state.title) {
      const at = statement.title.indexOf(sentence, from);
      assert.ok(at >= 0, `${statement.title}\nlacks: ${sentence}`);
      from = at + sentence.length;
    }

    const badge = badgeOf(state.report, options);
    assert.equal(badgeText(badge), state.badge);
    assert.equal(badge.title, statement.title);
    assert.equal(badge.transient, state.report.outcome === null);
    const { card: _card, ...sameWords } = cardOf(state.report, options);
    assert.deepEqual(sameWords, badge);

    const shields = shieldsOf(badge);
    assert.equal(`${shields.label}: ${shields.message}`, state.badge);
    assert.equal(shields.color, PALETTE[state.tone].ground);
    assert.equal(shields.isError, state.tone === "pass" ? undefined : true);
    const svg = await renderSvg(badge);
    assert.equal(/^<svg[^>]* aria-label="([^"]*)"/.exec(svg)?.[1], state.badge);

    const accepted = options.acceptance?.accepted;
    const report = accepted === undefined
      ? state.report
      : { ...state.report, acceptance: { accepted, failed: [...options.acceptance!.failed] } };
    assert.equal(exitStatusOf(report, { allowUnsigned: false }), state.exit);
  });
}

Deno.test("a run that nobody signed gives 0 only where that is allowed", () => {
  const run = STATES.find(({ name }) => name === "a benchmark run")!.report;
  assert.equal(exitStatusOf(run, { allowUnsigned: true }), 0);
});

Deno.test("full green is for a replayed pass by a sound issuer of the registry, and nothing else", () => {
  const green = STATES.filter(({ tone }) => tone === "pass").map(({ name }) => name);
  assert.deepEqual(green, [
    "a pass that was replayed, by a known issuer",
    "the same by an issuer that signs with another key now",
    "a lone receipt",
    "the house suite, by a known issuer",
  ]);
});

Deno.test("at the command line the reader's own word is called that", () => {
  const report =
    STATES.find(({ name }) => name === "an unknown issuer whose key the link asks for")!
      .report;
  const acceptance = { accepted: true, failed: [] };
  const { headline, title } = statementOf(report, {
    trust: TRUST,
    acceptance,
    issuerAsked: true,
    asker: "reader",
  });
  const signer = "igned by an unknown issuer";
  assert.equal(headline.signer, `s${signer}, key 00001111…, the issuer you asked for`);
  assert.match(title, new RegExp(`S${signer} .*, the issuer you asked for\\.$`));
});

Deno.test("shields JSON has the members that shields reads, and colours by hand", () => {
  const colours: Record<Tone, string> = {
    pass: "#15784a",
    unvouched: "#c3d4e6",
    partial: "#1f6f8b",
    claimed: "#f3bd4e",
    fail: "#c03a2b",
    reported: "#4f5fa3",
    refused: "#7d4a2a",
    invalid: "#6a1220",
    foreign: "#6a5a78",
    neutral: "#5c6573",
  };
  for (const [tone, color] of Object.entries(colours) as [Tone, string][]) {
    const badge = { ...badgeOf(STATES[0]!.report, { trust: TRUST }), tone };
    assert.deepEqual(shieldsOf(badge), {
      schemaVersion: 1,
      label: "clankdar",
      message: "4/4 passed",
      color,
      labelColor: "#262b33",
      ...(tone === "pass" ? {} : { isError: true }),
      cacheSeconds: 300,
    });
  }
});

Deno.test("what is seen long ago is said last, and isn't full green", () => {
  const [{ report }] = STATES as [StateWords];
  const badge = badgeOf(report, { trust: TRUST, seen: "seen 3 h ago" });
  assert.equal(badgeText(badge), "clankdar: 4/4 passed · seen 3 h ago");
  assert.equal(badge.tone, "unvouched");
});
