/** Badges of every kind, and pictures to compare. */
import { Buffer } from "node:buffer";
import { PNG } from "./npm/pngjs.ts";
import { bundleOf } from "../../lib/badge/bundle.ts";
import { cardOf, type CardSubject } from "../../lib/badge/card.ts";
import {
  type AskedLabel,
  type Badge,
  type BadgeOptions,
  type Requirement,
  standingBadge,
} from "../../lib/badge/model.ts";
import type { KnownIssuer } from "../../lib/trust/registry.ts";
import { policyHash } from "../../lib/trust/registry.ts";
import type { ReasonCode } from "../../lib/protocol/codes.ts";
import type { Trust } from "../../lib/words/signer.ts";
import type { Counts, Reason, ReceiptReport, Report } from "../../lib/verify/report.ts";

/** A `Counts` of four answered challenges, three of them passed, all replayed. */
export const FOUR: Counts = {
  challenges: 4,
  answered: 4,
  passed: 3,
  required: 3,
  unreplayed: 0,
  replayedPasses: 3,
  formatOnly: 0,
};

/** Keys as issuers have them. The registry of {@link TRUST} knows all but the last. */
export const ISSUER = { publicKey: "A".repeat(43), keyId: "fbed0123456789ab" };
export const ROTATED = { publicKey: "C".repeat(43), keyId: "aaaa0123456789ab" };
export const REVOKED = { publicKey: "D".repeat(43), keyId: "dddd0123456789ab" };
export const SAMPLE = { publicKey: "E".repeat(43), keyId: "eeee0123456789ab" };
export const STRANGER = { publicKey: "B".repeat(43), keyId: "0000111122223333" };

/** The floor that {@link TRUST} knows by the name of algal-floor-v1. */
export const FLOOR = {
  suite: "algal",
  cells: ["algal:t1", "algal:t2", "algal:t3"],
  challenges: 4,
  minPass: 3,
  ttlSeconds: 180,
};

const known = (
  { publicKey, keyId }: typeof ISSUER,
  name: string,
  status: KnownIssuer["status"],
): [string, KnownIssuer] => [publicKey, { publicKey, keyId, name, status }];

/** What an operator knows in these tests. */
export const TRUST: Trust = {
  issuers: new Map([
    known(ISSUER, "Clankdar staging", "active"),
    known(ROTATED, "Old issuer", "rotated"),
    known(REVOKED, "Lost issuer", "revoked"),
    known(SAMPLE, "Samples", "public"),
  ]),
  policies: new Map([[policyHash(FLOOR), "algal-floor-v1"]]),
};

/** A label that somebody asks for, and that reads like nothing in particular. */
export function plainLabel(text: string): AskedLabel {
  return { text, names: [], claims: [] };
}

/** A report of a sound admission, with changes. */
export function report(changes: Partial<Report> = {}, counts: Partial<Counts> = {}): Report {
  return {
    id: "0".repeat(64),
    kind: "admission",
    outcome: "verified",
    verdict: "pass",
    counts: { ...FOUR, ...counts },
    reason: null,
    observations: [],
    issuer: ISSUER,
    suite: "clankdar-algal-v1",
    pools: [],
    evaluator: null,
    checks: [],
    receipts: [],
    ...changes,
  };
}

/** The row of a challenge: `p` passed, `f` failed, `u` an unreplayed pass, `-` unanswered. */
export function row(
  how: "p" | "f" | "u" | "-" | "x",
  cell = "algal:t1",
  challengeId = "gc_1",
): ReceiptReport {
  const outcomes = {
    p: "verified",
    f: "verified",
    u: "issuer-claimed",
    "-": "unanswered",
    x: "invalid",
  } as const;
  return {
    challengeId,
    cell,
    seed: how === "-" ? null : 7,
    response: how === "-" ? null : "ANSWER: 1",
    expected: how === "-" ? null : "1",
    pass: how === "-" ? null : how !== "f",
    formatOnly: false,
    outcome: outcomes[how],
    reason: null,
    checks: [],
  };
}

const CELLS = ["algal:t1", "algal:t2", "h:algal:t2", "h:algal:t3"];

/** Rows of a session of four. */
export function rows(hows: string, prefix = "gc"): ReceiptReport[] {
  return [...hows].map((how, index) =>
    row(how as "p", CELLS[index % CELLS.length], `${prefix}_${index}`)
  );
}

const ADMISSION: Partial<Report> = {
  issuer: ISSUER,
  policy: { ...FLOOR, cells: CELLS },
  decidedAt: "2026-01-31T12:00:00Z",
  sessionId: "gs_1",
};

const verified = report({ ...ADMISSION, receipts: rows("ppfp") });
const claimed = report(
  { ...ADMISSION, outcome: "issuer-claimed", receipts: rows("pfuu") },
  { unreplayed: 2, replayedPasses: 1 },
);
const failed = report(
  { ...ADMISSION, verdict: "fail", receipts: rows("pf-f") },
  { passed: 1, replayedPasses: 1, answered: 3 },
);
const receipt = report(
  {
    kind: "receipt",
    issuer: ISSUER,
    expiresAt: "2026-01-31T12:00:00Z",
    receipts: rows("p"),
  },
  { challenges: 1, answered: 1, passed: 1, required: 1, replayedPasses: 1 },
);
const sixteen = report(
  {
    ...ADMISSION,
    outcome: "issuer-claimed",
    policy: { ...ADMISSION.policy!, challenges: 16, minPass: 12 },
    receipts: rows("ppfpuupp-ppfuupp"),
  },
  { challenges: 16, answered: 15, passed: 13, required: 12, unreplayed: 4, replayedPasses: 9 },
);

const run: CardSubject = {
  ...report(
    {
      kind: "run",
      verdict: null,
      observations: ["unsigned"],
      suite: "clankdar-frontier-v1",
      issuer: null,
    },
    { challenges: 100, answered: 98, passed: 87, required: 0, replayedPasses: 87 },
  ),
  run: {
    adapter: "example:solver-1",
    cells: [10, 10, 10, 10, 9, 9, 9, 8, 7, 5].map((passed) => ({ passed, rows: 10 })),
  },
};

const dossier: CardSubject = {
  ...report(
    { kind: "dossier", outcome: "issuer-claimed" },
    { challenges: 24, answered: 24, passed: 19, unreplayed: 3, replayedPasses: 16 },
  ),
  members: [
    ...Array(4).fill({ outcome: "verified", verdict: "pass" }),
    { outcome: "issuer-claimed", verdict: "pass" },
    { outcome: "verified", verdict: "fail" },
  ],
};

/** The message of an invalid report, with where it failed. */
export function reason(code: ReasonCode, inner?: ReasonCode): Reason {
  return {
    code,
    message: "for people",
    path: "",
    ...(inner === undefined ? {} : { inner: { code: inner, message: "for people", path: "x" } }),
  };
}

const invalid = {
  outcome: "invalid",
  verdict: null,
  reason: reason("receipt-invalid", "prompt-mismatch"),
} as const;

const refused = (requirement: Requirement, subject: CardSubject = claimed): Badge => {
  const options: BadgeOptions = {
    trust: TRUST,
    acceptance: { accepted: false, failed: [requirement] },
    issuerAsked: requirement === "issuer",
  };
  return cardOf(subject, options);
};

/** One badge of each kind, by the name of its picture. */
export const BADGES: Readonly<Record<string, Badge>> = {
  "admission": cardOf({ ...verified, policy: FLOOR }, { trust: TRUST }),
  "admission-unknown-issuer": cardOf({ ...verified, issuer: STRANGER }, { trust: TRUST }),
  "admission-revoked-issuer": cardOf({ ...verified, issuer: REVOKED }, { trust: TRUST }),
  "admission-sample-key": cardOf(
    { ...verified, issuer: SAMPLE, suite: "touchstone-algal-v1" },
    { trust: TRUST },
  ),
  "admission-unreplayed-unknown-issuer": cardOf({ ...claimed, issuer: STRANGER }, { trust: TRUST }),
  "admission-failed-unknown-issuer": cardOf({ ...failed, issuer: STRANGER }, { trust: TRUST }),
  "admission-seen": cardOf(verified, { trust: TRUST, seen: "seen 3 h ago" }),
  "admission-unreplayed": cardOf(claimed, { trust: TRUST }),
  "admission-failed": cardOf(failed, { trust: TRUST }),
  "admission-failed-unreplayed": cardOf({
    ...claimed,
    verdict: "fail",
    counts: { ...FOUR, passed: 1, replayedPasses: 0, unreplayed: 2 },
    receipts: [
      ...rows("ff"),
      row("u", "h:algal:t2"),
      { ...row("u", "h:algal:t3"), pass: false },
    ],
  }, { trust: TRUST }),
  "admission-house": cardOf({ ...verified, suite: "touchstone-algal-v1" }, { trust: TRUST }),
  "admission-sixteen": cardOf(sixteen, { trust: TRUST }),
  "admission-label": cardOf(verified, {
    trust: TRUST,
    label: plainLabel("Ωmega 漢 <my-model>"),
  }),
  "receipt": cardOf(receipt, { trust: TRUST }),
  "dossier": cardOf({
    ...dossier,
    outcome: "verified",
    counts: { ...dossier.counts!, unreplayed: 0, replayedPasses: 19 },
    members: dossier.members!.map((member) => ({ ...member, outcome: "verified" })),
  }, { trust: TRUST }),
  "dossier-unreplayed": cardOf(dossier, { trust: TRUST }),
  "bundle": cardOf(
    bundleOf([
      { ...verified, id: "1".repeat(64) },
      { ...claimed, id: "2".repeat(64), sessionId: "gs_2", receipts: rows("pfuu", "gd") },
      { ...failed, id: "3".repeat(64), sessionId: "gs_3", receipts: rows("pf-f", "ge") },
    ]),
    { trust: TRUST },
  ),
  "run": cardOf(run, { trust: TRUST }),
  "run-unreplayed": cardOf({
    ...run,
    outcome: "issuer-claimed",
    reason: reason("no-manifest"),
    counts: { ...run.counts!, unreplayed: 100, replayedPasses: 0 },
  }, { trust: TRUST }),
  "log": cardOf(report({ kind: "tlog", verdict: null, counts: null, suite: null }), {
    trust: TRUST,
  }),
  "invalid": cardOf(report({ ...invalid, ...ADMISSION, receipts: rows("ppxp") }), { trust: TRUST }),
  "unknown-suite": cardOf(
    report({ ...invalid, counts: null, reason: reason("suite-unknown"), suite: null }),
    { trust: TRUST },
  ),
  "not-a-receipt": cardOf(
    report({
      ...invalid,
      kind: "unknown",
      counts: null,
      issuer: null,
      suite: null,
      reason: reason("document-unrecognised"),
    }),
    { trust: TRUST },
  ),
  "invalid-exposed": cardOf(
    report({ ...invalid, issuer: ISSUER, counts: null, observations: ["exposed"] }),
    { trust: TRUST },
  ),
  "not-finished": cardOf(
    report({ outcome: null, verdict: null, counts: null, reason: reason("evaluator-missing") }),
    { trust: TRUST },
  ),
  "checking": standingBadge("checking"),
  "not-found": standingBadge("not found"),
  "unreachable": standingBadge("unreachable"),
  "gone": standingBadge("gone"),
  "ambiguous": standingBadge("ambiguous"),
  "conflicting": standingBadge("conflicting"),
  "refused-issuer": refused("issuer"),
  "refused-policy": refused("policy"),
  "refused-context": refused("context"),
  "refused-session": refused("session"),
  "refused-replayed": refused("replayed"),
  "refused-stale": refused("stale", verified),
};

/** RGBA pixels, four bytes each, row by row. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Reads a PNG of any kind. */
export function decodePng(png: Uint8Array): Pixels {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  return { width, height, data };
}

/** Writes a PNG: flat colours pack best without filters. */
export function encodePng({ width, height, data }: Pixels): Uint8Array {
  const png = new PNG({ width, height });
  png.data.set(data);
  return PNG.sync.write(png, { filterType: 0, deflateLevel: 9, deflateStrategy: 0 });
}

/** Colour of one pixel, `#rrggbb`. */
export function pixel({ width, data }: Pixels, x: number, y: number): string {
  const at = (y * width + x) * 4;
  return `#${[...data.subarray(at, at + 3)].map((c) => c.toString(16).padStart(2, "0")).join("")}`;
}
