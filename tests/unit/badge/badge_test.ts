import { NO_TRUST } from "../../../lib/words/signer.ts";
import assert from "node:assert/strict";
import { memo } from "../../../lib/async/memo.ts";
import {
  askedLabel,
  badgeOf,
  type BadgeOptions,
  type BadgeSubject,
  badgeText,
  messageText,
  type Requirement,
  type Standing,
  standingBadge,
  type Tone,
} from "../../../lib/badge/model.ts";
import { glossOf, LABEL, PALETTE, THEMES } from "../../../lib/badge/palette.ts";
import { compactPath } from "../../../lib/badge/path.ts";
import { shieldsOf } from "../../../lib/badge/shields.ts";
import type { Report } from "../../../lib/verify/report.ts";
import {
  ISSUER,
  plainLabel,
  report,
  REVOKED,
  ROTATED,
  SAMPLE,
  STRANGER,
  TRUST,
} from "../../support/badges.ts";

const DOSSIER = {
  challenges: 24,
  answered: 24,
  passed: 19,
  required: 18,
  unreplayed: 3,
  replayedPasses: 16,
  formatOnly: 0,
};

/** Five admissions of six passed. */
function dossier(changes: Partial<BadgeSubject>): BadgeSubject {
  const passed = { outcome: "verified", verdict: "pass" } as const;
  return {
    ...report({ kind: "dossier", verdict: null }),
    members: [passed, passed, passed, passed, passed, { outcome: "verified", verdict: "fail" }],
    ...changes,
  };
}

const DOSSIERS: [subject: BadgeSubject, text: string, tone: Tone, title: string][] = [
  [
    dossier({ outcome: "verified", counts: { ...DOSSIER, unreplayed: 0 } }),
    "clankdar: 5/6 admissions passed",
    "partial",
    "Dossier: 5 of 6 admissions passed, with 19 of 24 challenges. All 24 answers were replayed.",
  ],
  [
    dossier({ outcome: "issuer-claimed", counts: DOSSIER }),
    "clankdar: 5/6 admissions passed · 3 unreplayed",
    "claimed",
    "Dossier: 5 of 6 admissions passed, with 19 of 24 challenges. " +
    "3 receipts unreplayed: they rest on the issuer's word.",
  ],
  [
    dossier({ outcome: "issuer-claimed", counts: DOSSIER, issuers: [ISSUER, STRANGER] }),
    "clankdar: 5/6 admissions passed · 3 unreplayed · unknown issuer",
    "claimed",
    "Dossier: 5 of 6 admissions passed, with 19 of 24 challenges. " +
    "3 receipts unreplayed: they rest on the issuer's word.",
  ],
  [
    dossier({
      outcome: "verified",
      verdict: "pass",
      counts: { ...DOSSIER, challenges: 4, answered: 4, passed: 3, unreplayed: 0 },
      members: [{ outcome: "verified", verdict: "pass" }],
    }),
    "clankdar: 1/1 admission passed",
    "pass",
    "Dossier: 1 of 1 admission passed, with 3 of 4 challenges. All 4 answers were replayed.",
  ],
];

Deno.test("a dossier counts admissions, and names an unknown issuer among its signers", () => {
  for (const [subject, text, tone, title] of DOSSIERS) {
    const badge = badgeOf(subject, { trust: TRUST });
    assert.equal(badgeText(badge), text);
    assert.equal(badge.tone, tone);
    assert.ok(badge.title.startsWith(title), badge.title);
  }
});

const STANDING: [Standing, Tone, transient: boolean][] = [
  ["checking", "neutral", true],
  ["not found", "neutral", true],
  ["unreachable", "neutral", true],
  ["not a receipt", "foreign", true],
  ["gone", "neutral", false],
  ["ambiguous", "neutral", false],
  ["conflicting", "invalid", false],
];

Deno.test("a badge without a result says what there is instead", () => {
  for (const [standing, tone, transient] of STANDING) {
    const badge = standingBadge(standing);
    assert.equal(badgeText(badge), `receipt: ${standing}`);
    assert.equal(badge.tone, tone);
    assert.equal(badge.transient, transient);
    assert.match(badge.title, /^[A-Z].*\.$/);
    const named = standingBadge(standing, { label: plainLabel("mine"), notes: ["More of it."] });
    assert.equal(badgeText(named), `mine: ${standing}`);
    assert.ok(named.title.endsWith(" More of it."));
  }
});

const REFUSALS: [Requirement, text: string, sentence: string][] = [
  ["sha256", "not accepted · other document", "it is not the document asked for."],
  ["issuer", "not accepted · other issuer", "it is not signed by the issuer asked for."],
  ["policy", "not accepted · other policy", "its policy is not the one asked for."],
  ["context", "not accepted · other context", "its context is not the one asked for."],
  ["session", "not accepted · other session", "its session is not the one asked for."],
  ["replayed", "not accepted · unreplayed", "part of it rests on the issuer's word."],
  ["stale", "not accepted · stale", "the time of its decision is not within the time asked for."],
];

Deno.test("what isn't accepted says the first requirement that is not met", () => {
  for (const [index, [first, text, sentence]] of REFUSALS.entries()) {
    const failed = REFUSALS.slice(index).map(([requirement]) => requirement);
    const acceptance = { accepted: false, failed };
    const badge = badgeOf(report({}), { trust: TRUST, acceptance });
    assert.equal(messageText(badge), text);
    assert.equal(badge.tone, "refused");
    assert.ok(badge.title.startsWith(`Not accepted: ${sentence} Admission: 3 of 4 challenges`));
    const claimed = badgeOf(report({ outcome: "issuer-claimed" }, { unreplayed: 2 }), {
      trust: TRUST,
      acceptance,
    });
    assert.equal(
      messageText(claimed),
      first === "replayed" ? "not accepted · 2 unreplayed" : `${text} · 2 unreplayed`,
    );
    assert.equal(claimed.tone, "refused");
    assert.match(claimed.title, /2 receipts unreplayed: they rest on the issuer's word\./);
  }
});

Deno.test("acceptance changes nothing where it is met, or where there is no sound result", () => {
  const met = { accepted: true, failed: [] };
  const unmet = { accepted: false, failed: ["invalid", "issuer", "stale"] } as const;
  const sound = report({});
  assert.deepEqual(badgeOf(sound, { acceptance: met }), badgeOf(sound));
  const invalid = report({ outcome: "invalid", verdict: null, counts: null });
  assert.deepEqual(badgeOf(invalid, { acceptance: unmet }), badgeOf(invalid));
  const checking = report({ outcome: null, verdict: null, counts: null });
  assert.deepEqual(badgeOf(checking, { acceptance: unmet }), badgeOf(checking));
});

const SIGNERS: [BadgeSubject, BadgeOptions, sentences: string][] = [
  [report({ issuer: STRANGER }), {}, "Signed by an unknown issuer (key 0000111122223333)."],
  [
    report({ issuer: STRANGER }),
    { acceptance: { accepted: false, failed: ["issuer"] }, issuerAsked: true },
    "Signed by an unknown issuer (key 0000111122223333).",
  ],
  [
    report({ issuer: STRANGER }),
    { acceptance: { accepted: true, failed: [] }, issuerAsked: true, asker: "reader" },
    "Signed by an unknown issuer (key 0000111122223333), the issuer you asked for.",
  ],
  [
    report({ issuer: ISSUER }),
    { acceptance: { accepted: true, failed: [] }, issuerAsked: true },
    "Signed by Clankdar staging (key fbed0123456789ab).",
  ],
  [
    // The name in a stored row may be out of date: the registry has the last word.
    report({ issuer: { ...STRANGER, name: "Clankdar staging" } }),
    {},
    "Signed by an unknown issuer (key 0000111122223333).",
  ],
  [
    { ...report({}), kind: "bundle", issuers: [ISSUER, STRANGER] },
    {},
    "Signed with the keys fbed0123456789ab, 0000111122223333. " +
    "One of them is of an unknown issuer.",
  ],
  [
    { ...report({}), kind: "bundle", issuers: [ISSUER, REVOKED] },
    {},
    "Signed with the keys fbed0123456789ab, dddd0123456789ab. " +
    "Signed with a revoked key of Lost issuer (key dddd0123456789ab): " +
    "somebody else may hold it, so the signature counts for nothing.",
  ],
  [
    { ...report({}), kind: "bundle", issuers: [STRANGER, STRANGER, STRANGER, STRANGER, ISSUER] },
    {},
    "Signed with the keys 0000111122223333, 0000111122223333, 0000111122223333 and 2 more. " +
    "4 of them are of an unknown issuer.",
  ],
];

Deno.test("the title says who signed, and who that is to the service", () => {
  for (const [subject, options, sentences] of SIGNERS) {
    const { title } = badgeOf(subject, { trust: TRUST, ...options });
    assert.ok(title.endsWith(` ${sentences}`), title);
  }
});

Deno.test("several signers: every one that isn't vouched for is named on the badge", () => {
  const message = (issuers: BadgeSubject["issuers"]) =>
    messageText(badgeOf({ ...report({}), kind: "bundle", issuers: issuers! }, { trust: TRUST }));
  assert.equal(message([ISSUER, ROTATED]), "3/4 passed");
  assert.equal(message([ISSUER, STRANGER]), "3/4 passed · unknown issuer");
  assert.equal(message([STRANGER, REVOKED]), "3/4 passed · unknown issuer · issuer revoked");
  assert.equal(message([ISSUER, SAMPLE]), "3/4 passed · sample key");
  assert.equal(message([]), "3/4 passed · unknown issuer");
});

Deno.test("the label clankdar stands only where the suite is established as Clankdar's", () => {
  const label = (changes: Partial<Report>) => badgeOf(report(changes), { trust: TRUST }).label;
  assert.equal(label({}), "clankdar");
  assert.equal(label({ outcome: "issuer-claimed" }), "clankdar");
  assert.equal(label({ suite: "touchstone-algal-v1" }), "touchstone");
  for (const suite of [null, "clankdar-suite-v3", "Clankdar", "toString"]) {
    assert.equal(label({ suite }), "receipt", `${suite}`);
  }
  assert.equal(label({ outcome: "invalid", verdict: null }), "receipt");
  assert.equal(label({ outcome: null, verdict: null }), "receipt");
});

Deno.test("a label of the embedder replaces the suite's name, within 40 characters", async () => {
  const labelled = async (label: string) =>
    badgeOf(report({}), { label: await askedLabel(label, NO_TRUST) }).label;
  assert.equal(await labelled("my model"), "my model");
  assert.equal(await labelled("a".repeat(41)), `${"a".repeat(39)}…`);
  assert.equal(await labelled("😀".repeat(40)), "😀".repeat(40));
  assert.equal(await labelled("a\u0000b\u202e"), "ab");
  for (const blank of ["", "  ", "\t\u00a0", "\u200b"]) {
    assert.equal(await labelled(blank), "clankdar");
  }
});

Deno.test("badge shields JSON", () => {
  assert.deepEqual(shieldsOf(badgeOf(report({}), { trust: TRUST })), {
    schemaVersion: 1,
    label: "clankdar",
    message: "3/4 passed",
    color: PALETTE.pass.ground,
    labelColor: LABEL.ground,
    cacheSeconds: 300,
  });
  const claimed = badgeOf(report({ outcome: "issuer-claimed" }, { unreplayed: 2 }), {
    trust: TRUST,
  });
  assert.deepEqual(shieldsOf(claimed), {
    schemaVersion: 1,
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed",
    color: PALETTE.claimed.ground,
    labelColor: LABEL.ground,
    isError: true,
    cacheSeconds: 300,
  });
  assert.equal(shieldsOf(badgeOf(report({ outcome: "invalid" }))).isError, true);
  assert.equal(shieldsOf(standingBadge("checking")).isError, true);
  assert.equal(shieldsOf(standingBadge("gone"), 3600).cacheSeconds, 3600);
});

/** WCAG 2.1, relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  assert.match(colour, /^#[0-9a-f]{6}$/);
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

Deno.test("text stands out from its ground, in every style, tone and theme", () => {
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
  const texts: [where: string, text: string, ground: string][] = [];
  for (const [name, { text, ground }] of [["label", LABEL], ...Object.entries(PALETTE)] as const) {
    texts.push([name, text, ground]);
    for (const end of glossOf(ground)) texts.push([`${name}, plastic`, text, end]);
  }
  for (const [name, { text, muted, ground }] of Object.entries(THEMES)) {
    texts.push([`${name} card`, text, ground], [`${name} card, muted`, muted, ground]);
  }
  for (const [where, text, ground] of texts) {
    assert.ok(contrast(text, ground) >= 4.5, `${where}: ${contrast(text, ground)}`);
  }
});

Deno.test("marks stand out, and tones differ without their hue", () => {
  for (const [tone, { mark }] of Object.entries(PALETTE)) {
    assert.ok(contrast(LABEL.ground, mark) >= 4.5, `${tone}: mark`);
    // WCAG 2.1, 1.4.11: graphics.
    for (const end of glossOf(LABEL.ground)) assert.ok(contrast(end, mark) >= 3, tone);
  }
  for (const { ground, marks } of Object.values(THEMES)) {
    for (const mark of Object.values(marks)) assert.ok(contrast(ground, mark) >= 3, mark);
  }
  for (const tone of ["claimed", "unvouched"] as const) {
    assert.ok(contrast(PALETTE.pass.ground, PALETTE[tone].ground) >= 3, tone);
  }
  const grounds = Object.values(PALETTE).map(({ ground }) => ground);
  assert.equal(new Set(grounds).size, grounds.length);
});

Deno.test("no colour is one of the placeholders of the drawing", () => {
  for (const colour of JSON.stringify([LABEL, PALETTE, THEMES]).match(/#[0-9a-f]{6}/g)!) {
    assert.doesNotMatch(colour, /^#000[123]/);
  }
});

Deno.test("badge paths: compaction", () => {
  const cases: [string, string][] = [
    ["M10.2 20.4L10.2 20.4L15.2 20.4L15.2 30.4L10.2 30.4L10.2 20.4Z", "m10 20h5v10h-5z"],
    ["M0 0L3 4L6 8", "m0 0l3 4 3 4"],
    ["M5,5 h10 v-10 a3,3 0 0 1 -3,3 a0,0 0 0 1 0,0", "m5 5h10v-10a3 3 0 0 1-3 3"],
    ["M0 0Q10 0 10 10Q10 20 0 20Z", "m0 0q10 0 10 10t-10 10z"],
    // The second contour starts from where the first was closed; one of a single point goes.
    ["M1 1L9 1L9 9ZM4 4L4 4ZM3 3L5 3L5 5Z", "m1 1h8v8zm2 2h2v2z"],
    ["M0 0C1 1 2 2 3 3", "M0 0C1 1 2 2 3 3"],
    ["L1 1", "L1 1"],
    ["", ""],
  ];
  for (const [given, wanted] of cases) assert.equal(compactPath(given), wanted);
});

Deno.test("badge memo: bounded, shared, forgets failures", async () => {
  const made: string[] = [];
  const remember = memo<string>(2);
  const get = (key: string) =>
    remember(key, () => {
      made.push(key);
      return Promise.resolve(key);
    });
  await Promise.all([get("a"), get("a"), get("b")]);
  await get("a");
  await get("c");
  await get("a");
  await get("b");
  assert.deepEqual(made, ["a", "b", "c", "b"]);

  let calls = 0;
  const failing = () => remember("x", () => Promise.reject(new Error(`${++calls}`)));
  await assert.rejects(failing());
  await assert.rejects(failing());
  assert.equal(calls, 2);
});

Deno.test("badge message is joined with a middle dot", () => {
  assert.equal(messageText({ message: ["1/4 passed", "failed"] }), "1/4 passed · failed");
});
