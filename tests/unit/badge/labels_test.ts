import assert from "node:assert/strict";
import { cardOf } from "../../../lib/badge/card.ts";
import { askedLabel, badgeOf, standingBadge } from "../../../lib/badge/model.ts";
import { shieldsOf } from "../../../lib/badge/shields.ts";
import { renderSvg } from "../../../lib/badge/svg.ts";
import { type IssuerStatus } from "../../../lib/trust/registry.ts";
import type { Trust } from "../../../lib/words/signer.ts";
import { ISSUER, report } from "../../support/badges.ts";

const OTHER = { publicKey: "B".repeat(43), keyId: "0000111122223333" };

function trusting(status: IssuerStatus): Trust {
  const issuers = [
    { ...ISSUER, name: "Clankdar staging", status },
    { ...OTHER, name: "Ωmega Labs", status: "active" as const },
  ];
  return {
    issuers: new Map(issuers.map((issuer) => [issuer.publicKey, issuer])),
    policies: new Map(),
  };
}

const TRUST = trusting("active");

const clankdar = report({ issuer: ISSUER });
const unknown = report({ issuer: { publicKey: "C".repeat(43), keyId: "4444555566667777" } });
const house = report({ issuer: ISSUER, suite: "touchstone-algal-v1" });
const forged = report({
  issuer: ISSUER,
  outcome: "invalid",
  verdict: null,
  reason: { code: "signature-invalid", message: "m", path: "" },
});

/** What a badge is of, the label asked for, the label that it gets: null, the one asked for. */
const TABLE: [what: string, subject: typeof house, asked: string, shown: string | null][] = [
  ["a Clankdar suite", clankdar, "my-agent", null],
  ["a Clankdar suite", clankdar, "Clankdar", null],
  ["a Clankdar suite", clankdar, "touchstone", "clankdar"],
  ["a Clankdar suite by its issuer", clankdar, "Clankdar staging", null],
  ["a Clankdar suite by its issuer", clankdar, "Ωmega Labs", "clankdar"],
  ["a Clankdar suite by its issuer", clankdar, "Ωmеga Lаbs", "clankdar"],
  ["a Clankdar suite by anybody", unknown, "Clankdar staging", "clankdar"],
  ["a Clankdar suite by anybody", unknown, "my clankdar", null],
  ["the house suite", house, "touchstone", null],
  ["the house suite", house, "clankdar", "touchstone"],
  ["the house suite", house, "сlаnkdаr", "touchstone"],
  ["the house suite", house, "ｃｌａｎｋｄａｒ", "touchstone"],
  ["the house suite", house, "verified by OpenAI", "touchstone"],
  ["the house suite", house, "clankdar | 100/100 passed · verified", "touchstone"],
  ["the house suite", house, "100%", "touchstone"],
  ["the house suite", house, "openai.com", "touchstone"],
  ["the house suite by an issuer", house, "Clankdar staging", null],
  ["what is invalid", forged, "Clankdar staging", "receipt"],
  ["what is invalid", forged, "clankdar", "receipt"],
  ["what is invalid", forged, "my-agent", null],
];

Deno.test("a label stands where it belongs, on every kind of badge and in every format", async () => {
  for (const [what, subject, text, shown] of TABLE) {
    const label = await askedLabel(text, TRUST);
    const where = `${text} on ${what}`;
    const badge = badgeOf(subject, { trust: TRUST, label });
    const card = cardOf(subject, { trust: TRUST, label });
    assert.equal(badge.label, shown ?? text, where);
    assert.equal(card.label, badge.label, where);
    assert.equal(card.title, badge.title, where);
    assert.equal(shieldsOf(badge).label, badge.label, where);
    const without = badgeOf(subject, { trust: TRUST });
    if (shown === null) assert.equal(badge.title, without.title, where);
    else {
      assert.equal(badge.label, without.label, where);
      assert.ok(
        badge.title.startsWith(`${without.title} The label asked for is not shown: `),
        where,
      );
    }
    const svg = await renderSvg(badge);
    assert.ok(svg.includes(`aria-label="${badge.label}: `), where);
    assert.ok(svg.includes(`<title>${badge.title.replaceAll("'", "&#39;")}</title>`), where);
  }
});

Deno.test("a name goes with a key that is in its issuer's hands, and with that key alone", async () => {
  const label = await askedLabel("Clankdar staging", TRUST);
  for (
    const [status, shown] of [
      ["active", true],
      ["rotated", true],
      ["revoked", false],
      ["public", false],
    ] as const
  ) {
    const badge = badgeOf(clankdar, { trust: trusting(status), label });
    assert.equal(badge.label, shown ? "Clankdar staging" : "clankdar", status);
  }
  const both = { ...clankdar, kind: "bundle" as const, issuers: [ISSUER, OTHER] };
  assert.equal(badgeOf(both, { trust: TRUST, label }).label, "clankdar");
});

Deno.test("where there is no result no name stands", async () => {
  for (const standing of ["checking", "not found", "unreachable", "gone"] as const) {
    for (const text of ["clankdar", "Clankdar staging", "touchstone", "verified", "4/4 passed"]) {
      const badge = standingBadge(standing, { label: await askedLabel(text, TRUST) });
      assert.equal(badge.label, "receipt", text);
      assert.match(badge.title, /\. The label asked for is not shown: it reads like .*\.$/);
    }
    const badge = standingBadge(standing, { label: await askedLabel("my-agent", TRUST) });
    assert.equal(badge.label, "my-agent");
    assert.doesNotMatch(badge.title, /label/);
  }
});

Deno.test("whatever the label is, the title names the suite where it is established", async () => {
  for (const text of ["my-agent", "clankdar", "touchstone", "verified"]) {
    const label = await askedLabel(text, TRUST);
    assert.match(badgeOf(clankdar, { label }).title, / Suite clankdar-algal-v1\. /);
    assert.match(badgeOf(house, { label }).title, / Suite touchstone-algal-v1\. /);
    assert.doesNotMatch(badgeOf(forged, { label }).title, /[Ss]uite/);
  }
});
