/**
 * What Touchstone says in each state, by hand: kind × outcome × verdict × issuer × requirement ×
 * what passes. Badge, page and command line are tested against this one table. Source: design.md,
 * "Badge wording"; protocols spec 15 no. 29, 19, 20.
 */
import type { Standing } from "../../lib/badge/model.ts";
import type { Report } from "../../lib/verify/report.ts";
import type { State as Word, StatementOptions, Tone } from "../../lib/words/statement.ts";
import type { AskedAcceptance } from "../../lib/words/subject.ts";
import {
  FLOOR,
  FOUR,
  ISSUER,
  reason,
  report,
  REVOKED,
  ROTATED,
  rows,
  SAMPLE,
  STRANGER,
} from "./badges.ts";

/** What is shown: the report of one document, those of several together, or that there is none. */
export type Shown =
  | { report: Report }
  | { reports: Report[] }
  | { standing: Standing };

/** The lines of a headline, as in `Headline` of lib/words/statement.ts. */
export interface Lines {
  verdict: string;
  besides?: string;
  replayed?: string;
  signer?: string;
  floor?: string;
}

export interface StateRow {
  name: string;
  shown: Shown;
  /** What is asked for, and what else is known. */
  options?: Omit<StatementOptions, "trust" | "notes">;
  label: string;
  /** The badge's message, and that of the shields JSON. */
  message: string;
  tone: Tone;
  state: Word;
  /** The accessible title of the badge, and the description of the page. */
  title: string;
  /** `<title>` of the page, without the service's name; null: there is no page of a result. */
  page: string | null;
  headline: Lines | null;
  /** The exit status of `verify`; null: a command can't come into this state. */
  exit: 0 | 1 | 2 | 3 | null;
  /** The exit status with `--allow-unsigned`, where it is another one. */
  unsignedExit?: 0 | 1 | 2 | 3;
}

/** The colour of each tone in the shields JSON. */
export const COLOURS: Readonly<Record<Tone, string>> = {
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

const admission = (changes: Partial<Report> = {}, counts: Partial<typeof FOUR> = {}) =>
  report({ policy: FLOOR, sessionId: "gs_1", receipts: rows("ppfp"), ...changes }, counts);

const claimed = (changes: Partial<Report> = {}) =>
  admission(
    { outcome: "issuer-claimed", receipts: rows("pfuu"), ...changes },
    { unreplayed: 2, replayedPasses: 1 },
  );

const failed = (changes: Partial<Report> = {}) =>
  admission(
    { verdict: "fail", receipts: rows("pfff"), ...changes },
    { passed: 1, replayedPasses: 1 },
  );

const run = (changes: Partial<Report> = {}, counts: Partial<typeof FOUR> = {}) =>
  report(
    { kind: "run", verdict: null, observations: ["unsigned"], issuer: null, ...changes },
    { challenges: 20, answered: 20, passed: 8, required: 0, replayedPasses: 8, ...counts },
  );

const rejected = (code: string, changes: Partial<Report> = {}, inner?: string) =>
  report({
    outcome: "invalid",
    verdict: null,
    counts: null,
    suite: null,
    reason: reason(code, inner),
    ...changes,
  });

const foreign = (code: string) => rejected(code, { id: null, kind: "unknown", issuer: null });

const unfinished = (code: string, changes: Partial<Report> = {}) =>
  rejected(code, { outcome: null, issuer: null, ...changes });

const refused = (...names: AskedAcceptance["failed"]): AskedAcceptance => ({
  accepted: false,
  failed: names,
});

const MET: AskedAcceptance = { accepted: true, failed: [] };

/** A report says itself whether it is accepted; the command line goes by that. */
const withAcceptance = (given: Report, { accepted, failed }: AskedAcceptance): Report => ({
  ...given,
  acceptance: { accepted, failed: [...failed] },
});

const PASSED = "Admission: 3 of 4 challenges passed, 3 required: passed.";
const FAILED = "Admission: 1 of 4 challenges passed, 3 required: failed.";
const ALL = "All 4 answers were replayed.";
const TWO = "2 receipts unreplayed: they rest on the issuer's word.";
const SUITE = "Suite clankdar-algal-v1.";
const STAGING = "Signed by Clankdar staging (key fbed0123456789ab).";
const UNKNOWN = "Signed by an unknown issuer (key 0000111122223333).";
const BY_STAGING = "signed by Clankdar staging";
const BY_UNKNOWN = "signed by an unknown issuer, key 00001111…";
const EVERY = "every answer was replayed";
const NAMED_FLOOR = "floor algal-floor-v1";

/** The lines of a passed and of a failed admission that was replayed, under the published floor. */
const passedBy = (signer: string): Lines => ({
  verdict: "Passed: 3 of 4, 3 required",
  replayed: EVERY,
  signer,
  floor: NAMED_FLOOR,
});
const claimedBy = (signer: string): Lines => ({
  ...passedBy(signer),
  replayed: "2 of 4 answers unreplayed",
});
const failedBy = (signer: string): Lines => ({
  ...passedBy(signer),
  verdict: "Failed: 1 of 4, 3 required",
});

/** The states of an admission by who signed it. */
const SIGNED: StateRow[] = [
  {
    name: "verified pass, active issuer",
    shown: { report: admission() },
    label: "clankdar",
    message: "3/4 passed",
    tone: "pass",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} ${STAGING}`,
    page: "Passed: 3 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: passedBy(BY_STAGING),
    exit: 0,
  },
  {
    name: "verified pass, rotated issuer",
    shown: { report: admission({ issuer: ROTATED }) },
    label: "clankdar",
    message: "3/4 passed",
    tone: "pass",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} Signed by Old issuer (key aaaa0123456789ab).`,
    page: "Passed: 3 of 4, 3 required · every answer replayed · Old issuer",
    headline: passedBy("signed by Old issuer"),
    exit: 0,
  },
  {
    name: "verified pass, unknown issuer",
    shown: { report: admission({ issuer: STRANGER }) },
    label: "clankdar",
    message: "3/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} ${UNKNOWN}`,
    page: "Passed: 3 of 4, 3 required · every answer replayed · unknown issuer",
    headline: passedBy(BY_UNKNOWN),
    exit: 0,
  },
  {
    name: "verified pass, unknown issuer that gives itself a known one's name",
    shown: { report: admission({ issuer: { ...STRANGER, name: "Clankdar staging" } }) },
    label: "clankdar",
    message: "3/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} ${UNKNOWN}`,
    page: "Passed: 3 of 4, 3 required · every answer replayed · unknown issuer",
    headline: passedBy(BY_UNKNOWN),
    exit: 0,
  },
  {
    name: "verified pass, unknown issuer with a known one's key id",
    shown: { report: admission({ issuer: { ...STRANGER, keyId: ISSUER.keyId } }) },
    label: "clankdar",
    message: "3/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} Signed by an unknown issuer (key fbed0123456789ab).`,
    page: "Passed: 3 of 4, 3 required · every answer replayed · unknown issuer",
    headline: passedBy("signed by an unknown issuer, key fbed0123…"),
    exit: 0,
  },
  {
    name: "verified pass, revoked issuer",
    shown: { report: admission({ issuer: REVOKED }) },
    label: "clankdar",
    message: "3/4 passed · issuer revoked",
    tone: "refused",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} Signed with a revoked key of Lost issuer (key ` +
      "dddd0123456789ab): somebody else may hold it, so the signature counts for nothing.",
    page: "Passed: 3 of 4, 3 required · every answer replayed · issuer revoked",
    headline: passedBy("signed with a revoked key of Lost issuer"),
    exit: 0,
  },
  {
    name: "verified pass, sample key",
    shown: { report: admission({ issuer: SAMPLE, suite: "touchstone-algal-v1" }) },
    label: "touchstone",
    message: "3/4 passed · sample key",
    tone: "unvouched",
    state: "verified",
    title: `${PASSED} ${ALL} Suite touchstone-algal-v1. Signed with the public sample key ` +
      "Samples (key eeee0123456789ab): anybody can sign with it.",
    page: "Passed: 3 of 4, 3 required · every answer replayed · sample key",
    headline: passedBy("signed with a public key that anybody can sign with (Samples)"),
    exit: 0,
  },
  {
    name: "verified pass that names no key",
    shown: { report: admission({ issuer: null }) },
    label: "clankdar",
    message: "3/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: `${PASSED} ${ALL} No issuer is known to have signed it. ${SUITE}`,
    page: "Passed: 3 of 4, 3 required · every answer replayed · unknown issuer",
    headline: passedBy("unknown issuer"),
    exit: 0,
  },
];

/** The states of an admission by what was replayed, and whether it passed. */
const REPLAYED: StateRow[] = [
  {
    name: "claimed pass, active issuer",
    shown: { report: claimed() },
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed",
    tone: "claimed",
    state: "issuer-claimed",
    title: `${PASSED} ${TWO} ${SUITE} ${STAGING}`,
    page: "Passed: 3 of 4, 3 required · 2 unreplayed · Clankdar staging",
    headline: claimedBy(BY_STAGING),
    exit: 1,
  },
  {
    name: "claimed pass that rests on its issuer",
    shown: { report: claimed({ observations: ["pass-rests-on-issuer"] }) },
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed",
    tone: "claimed",
    state: "issuer-claimed",
    title: `${PASSED} ${TWO} Replay alone does not establish the pass. ${SUITE} ${STAGING}`,
    page: "Passed: 3 of 4, 3 required · 2 unreplayed · Clankdar staging",
    headline: claimedBy(BY_STAGING),
    exit: 1,
  },
  {
    name: "claimed pass, unknown issuer",
    shown: { report: claimed({ issuer: STRANGER }) },
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed · unknown issuer",
    tone: "claimed",
    state: "issuer-claimed",
    title: `${PASSED} ${TWO} ${SUITE} ${UNKNOWN}`,
    page: "Passed: 3 of 4, 3 required · 2 unreplayed · unknown issuer",
    headline: claimedBy(BY_UNKNOWN),
    exit: 1,
  },
  {
    name: "claimed pass, revoked issuer",
    shown: { report: claimed({ issuer: REVOKED }) },
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed · issuer revoked",
    tone: "claimed",
    state: "issuer-claimed",
    title: `${PASSED} ${TWO} ${SUITE} Signed with a revoked key of Lost issuer (key ` +
      "dddd0123456789ab): somebody else may hold it, so the signature counts for nothing.",
    page: "Passed: 3 of 4, 3 required · 2 unreplayed · issuer revoked",
    headline: claimedBy("signed with a revoked key of Lost issuer"),
    exit: 1,
  },
  {
    name: "a report that contradicts itself is never shown as replayed",
    shown: { report: admission({}, { unreplayed: 1 }) },
    label: "clankdar",
    message: "3/4 passed · 1 unreplayed",
    tone: "claimed",
    state: "verified",
    title: `${PASSED} 1 receipt unreplayed: it rests on the issuer's word. ${SUITE} ${STAGING}`,
    page: "Passed: 3 of 4, 3 required · 1 unreplayed · Clankdar staging",
    headline: { ...passedBy(BY_STAGING), replayed: "1 of 4 answers unreplayed" },
    exit: null,
  },
  {
    name: "verified failure, active issuer",
    shown: { report: failed() },
    label: "clankdar",
    message: "1/4 passed · failed",
    tone: "fail",
    state: "verified",
    title: `${FAILED} ${ALL} ${SUITE} ${STAGING}`,
    page: "Failed: 1 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: failedBy(BY_STAGING),
    exit: 1,
  },
  {
    name: "verified failure, unknown issuer",
    shown: { report: failed({ issuer: STRANGER }) },
    label: "clankdar",
    message: "1/4 passed · failed · unknown issuer",
    tone: "fail",
    state: "verified",
    title: `${FAILED} ${ALL} ${SUITE} ${UNKNOWN}`,
    page: "Failed: 1 of 4, 3 required · every answer replayed · unknown issuer",
    headline: failedBy(BY_UNKNOWN),
    exit: 1,
  },
  {
    name: "claimed failure, unknown issuer",
    shown: {
      report: admission(
        { outcome: "issuer-claimed", verdict: "fail", issuer: STRANGER, receipts: rows("ffuu") },
        { passed: 1, unreplayed: 2, replayedPasses: 0 },
      ),
    },
    label: "clankdar",
    message: "1/4 passed · failed · 2 unreplayed · unknown issuer",
    tone: "claimed",
    state: "issuer-claimed",
    title: `${FAILED} ${TWO} ${SUITE} ${UNKNOWN}`,
    page: "Failed: 1 of 4, 3 required · 2 unreplayed · unknown issuer",
    headline: { ...failedBy(BY_UNKNOWN), replayed: "2 of 4 answers unreplayed" },
    exit: 1,
  },
  {
    name: "nothing answered",
    shown: {
      report: admission(
        { verdict: "fail", receipts: rows("----") },
        { answered: 0, passed: 0, replayedPasses: 0 },
      ),
    },
    label: "clankdar",
    message: "0/4 passed · failed",
    tone: "fail",
    state: "verified",
    title: "Admission: 0 of 4 challenges passed, 3 required: failed. No challenge was answered. " +
      `${SUITE} ${STAGING}`,
    page: "Failed: 0 of 4, 3 required · nothing answered · Clankdar staging",
    headline: {
      verdict: "Failed: 0 of 4, 3 required",
      replayed: "nothing was answered, so nothing was replayed",
      signer: BY_STAGING,
      floor: NAMED_FLOOR,
    },
    exit: 1,
  },
  {
    name: "a floor of the issuer's own, so low that anything passes",
    shown: {
      report: admission(
        {
          issuer: STRANGER,
          policy: { ...FLOOR, challenges: 16, minPass: 1 },
          receipts: rows("pfffffffffffffff"),
        },
        { challenges: 16, answered: 16, passed: 1, required: 1, replayedPasses: 1 },
      ),
    },
    label: "clankdar",
    message: "1/16 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: "Admission: 1 of 16 challenges passed, 1 required: passed. All 16 answers were " +
      `replayed. ${SUITE} ${UNKNOWN}`,
    page: "Passed: 1 of 16, 1 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Passed: 1 of 16, 1 required",
      replayed: EVERY,
      signer: BY_UNKNOWN,
      floor: "own floor: 1 of 16 required",
    },
    exit: 0,
  },
  {
    name: "seen some hours ago, and not since",
    shown: { report: claimed({ issuer: STRANGER }) },
    options: { seen: "seen 3 h ago" },
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed · unknown issuer · seen 3 h ago",
    tone: "claimed",
    state: "issuer-claimed",
    title: `${PASSED} ${TWO} ${SUITE} ${UNKNOWN} The host did not answer since: seen 3 h ago.`,
    page: "Passed: 3 of 4, 3 required · 2 unreplayed · unknown issuer",
    headline: claimedBy(BY_UNKNOWN),
    exit: null,
  },
];

/** The states of other kinds of documents. */
const KINDS: StateRow[] = [
  {
    name: "a lone receipt",
    shown: {
      report: report(
        { kind: "receipt", receipts: rows("p") },
        { challenges: 1, answered: 1, passed: 1, required: 1, replayedPasses: 1 },
      ),
    },
    label: "clankdar",
    message: "1/1 passed",
    tone: "pass",
    state: "verified",
    title: "Receipt: 1 of 1 challenge passed, 1 required: passed. The answer was replayed. " +
      `${SUITE} ${STAGING}`,
    page: "Passed: 1 of 1, 1 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Passed: 1 of 1, 1 required",
      replayed: "the answer was replayed",
      signer: BY_STAGING,
    },
    exit: 0,
  },
  {
    name: "a run, replayed",
    shown: { report: run() },
    label: "clankdar",
    message: "8/20 passed · self-reported",
    tone: "reported",
    state: "verified",
    title:
      "Benchmark run: 8 of 20 challenges passed. All 20 rows were replayed. Nobody signed it. " +
      SUITE,
    page: "Replayed · self-reported: 8 of 20 passed",
    headline: {
      verdict: "Replayed · self-reported: 8 of 20 passed",
      replayed: "every row was replayed",
      signer: "self-reported: nobody signed it",
    },
    exit: 1,
    unsignedExit: 0,
  },
  {
    name: "a run without a manifest: nothing replayed, and its suite is its own word",
    shown: {
      report: run(
        { outcome: "issuer-claimed", reason: reason("no-manifest") },
        { unreplayed: 20, replayedPasses: 0 },
      ),
    },
    label: "receipt",
    message: "8/20 passed · 20 unreplayed · self-reported",
    tone: "claimed",
    state: "issuer-claimed",
    title: "Benchmark run: 8 of 20 challenges passed. " +
      "20 rows unreplayed: they rest on the reporter's word. Nobody signed it.",
    page: "Unreplayed · self-reported: 8 of 20 passed · 20 unreplayed",
    headline: {
      verdict: "Unreplayed · self-reported: 8 of 20 passed",
      replayed: "20 of 20 rows unreplayed",
      signer: "self-reported: nobody signed it",
    },
    exit: 1,
  },
  {
    name: "a transparency log holds no results",
    shown: { report: report({ kind: "tlog", verdict: null, counts: null, suite: null }) },
    label: "receipt",
    message: "verified",
    tone: "neutral",
    state: "verified",
    title: `This transparency log is verified. ${STAGING}`,
    page: "Verified · Clankdar staging",
    headline: { verdict: "Verified", signer: BY_STAGING },
    exit: 1,
  },
  {
    name: "two admissions, one of them of an unknown issuer",
    shown: {
      reports: [
        admission({ id: "1".repeat(64) }),
        admission({
          id: "2".repeat(64),
          issuer: STRANGER,
          sessionId: "gs_2",
          receipts: rows("ppfp", "gd"),
        }),
      ],
    },
    label: "clankdar",
    message: "6/8 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: "2 documents together: 6 of 8 challenges passed. All 8 answers were replayed. " +
      `${SUITE} Signed with the keys fbed0123456789ab, 0000111122223333. ` +
      "One of them is of an unknown issuer.",
    page: "Passed: 2 of 2 documents · every answer replayed · unknown issuer",
    headline: {
      verdict: "Passed: 2 of 2 documents",
      replayed: EVERY,
      signer: "signed with 2 keys, 1 of a known issuer",
    },
    exit: null,
  },
  {
    name: "two admissions, one of them failed",
    shown: {
      reports: [
        admission({ id: "1".repeat(64) }),
        failed({ id: "2".repeat(64), sessionId: "gs_2", receipts: rows("pfff", "gd") }),
      ],
    },
    label: "clankdar",
    message: "4/8 passed · 1 of 2 failed",
    tone: "partial",
    state: "verified",
    title: "2 documents together: 4 of 8 challenges passed, 1 of the documents failed. " +
      `All 8 answers were replayed. ${SUITE} ${STAGING}`,
    page: "Partly passed: 1 of 2 documents, 1 failed · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Partly passed: 1 of 2 documents, 1 failed",
      replayed: EVERY,
      signer: BY_STAGING,
    },
    exit: null,
  },
];

/** What came to no sound result. None of them names a signer. */
const REJECTED: StateRow[] = [
  {
    name: "invalid, signed by a known issuer: it is named nowhere",
    shown: { report: rejected("receipt-invalid", {}, "prompt-mismatch") },
    label: "receipt",
    message: "invalid",
    tone: "invalid",
    state: "invalid",
    title: "This admission is invalid (receipt-invalid: prompt-mismatch).",
    page: "Invalid",
    headline: { verdict: "Invalid" },
    exit: 2,
  },
  {
    name: "invalid, of Clankdar's suite by its own word",
    shown: { report: rejected("signature-invalid", { suite: "clankdar-algal-v1" }) },
    label: "receipt",
    message: "invalid",
    tone: "invalid",
    state: "invalid",
    title: "This admission is invalid (signature-invalid).",
    page: "Invalid",
    headline: { verdict: "Invalid" },
    exit: 2,
  },
  {
    name: "a wrong signature beside a suite that isn't known is a forgery",
    shown: { report: rejected("signature-invalid", { observations: ["suite-unknown"] }) },
    label: "receipt",
    message: "invalid",
    tone: "invalid",
    state: "invalid",
    title: "This admission is invalid (signature-invalid).",
    page: "Invalid",
    headline: { verdict: "Invalid" },
    exit: 2,
  },
  {
    name: "exposed by a disclosed pool, with a receipt unreplayed",
    shown: {
      report: rejected("prompt-mismatch", {
        observations: ["exposed"],
        counts: { ...FOUR, unreplayed: 1 },
      }),
    },
    label: "receipt",
    message: "invalid · pool contradicts · 1 unreplayed",
    tone: "invalid",
    state: "invalid",
    title: "This admission is invalid (prompt-mismatch). The disclosed pool contradicts it. " +
      "1 receipt unreplayed: it rests on the issuer's word.",
    page: "Invalid: the disclosed pool contradicts it",
    headline: { verdict: "Invalid: the disclosed pool contradicts it" },
    exit: 2,
  },
  {
    name: "two admissions of one session, by one key",
    shown: { reports: [admission({ id: "1".repeat(64) }), failed({ id: "2".repeat(64) })] },
    label: "receipt",
    message: "conflicting",
    tone: "invalid",
    state: "conflicting",
    title: "One key signed different admissions of one session: the issuer contradicts itself, " +
      "and none of them counts.",
    page: "Conflicting",
    headline: { verdict: "Conflicting" },
    exit: null,
  },
  {
    name: "a receipt of a suite that isn't known yet",
    shown: { report: rejected("suite-unknown", { kind: "receipt" }) },
    label: "receipt",
    message: "unknown suite",
    tone: "neutral",
    state: "unknown-suite",
    title: "This receipt is of a suite that this version of Touchstone doesn't know, so nothing " +
      "in it can be replayed. That says nothing against it.",
    page: "Unknown suite",
    headline: { verdict: "Unknown suite" },
    exit: 2,
  },
  {
    name: "an admission whose policy names a suite that isn't known yet",
    shown: { report: rejected("policy-malformed", { observations: ["suite-unknown"] }) },
    label: "receipt",
    message: "unknown suite",
    tone: "neutral",
    state: "unknown-suite",
    title: "This admission is of a suite that this version of Touchstone doesn't know, so " +
      "nothing in it can be replayed. That says nothing against it.",
    page: "Unknown suite",
    headline: { verdict: "Unknown suite" },
    exit: 2,
  },
  {
    name: "a newer protocol",
    shown: { report: foreign("protocol-unknown") },
    label: "receipt",
    message: "unknown protocol",
    tone: "neutral",
    state: "unknown-protocol",
    title: "This document is of a protocol that this version of Touchstone doesn't know, so it " +
      "can't be checked. That says nothing against it.",
    page: "Unknown protocol",
    headline: { verdict: "Unknown protocol" },
    exit: 2,
  },
  {
    name: "another tool's JSON",
    shown: { report: foreign("document-unrecognised") },
    label: "receipt",
    message: "not a receipt",
    tone: "foreign",
    state: "not-a-receipt",
    title: "This is not a receipt or anything else that can be checked (document-unrecognised).",
    page: "Not a receipt",
    headline: { verdict: "Not a receipt" },
    exit: 3,
  },
  {
    name: "something that claims a protocol, and is no envelope",
    shown: { report: rejected("envelope-malformed", { id: null, issuer: null }) },
    label: "receipt",
    message: "not a receipt",
    tone: "foreign",
    state: "not-a-receipt",
    title: "This is not a receipt or anything else that can be checked (envelope-malformed).",
    page: "Not a receipt",
    headline: { verdict: "Not a receipt" },
    exit: 3,
  },
  {
    name: "no document at all",
    shown: { reports: [] },
    label: "receipt",
    message: "not a receipt",
    tone: "foreign",
    state: "not-a-receipt",
    title: "This is not a receipt or anything else that can be checked (documents-empty).",
    page: "Not a receipt",
    headline: { verdict: "Not a receipt" },
    exit: null,
  },
  {
    name: "a budget that ran out: time mends it",
    shown: { report: unfinished("budget-exceeded") },
    label: "receipt",
    message: "checking",
    tone: "neutral",
    state: "checking",
    title: "This admission is still being checked (budget-exceeded).",
    page: "Being checked",
    headline: { verdict: "Being checked" },
    exit: 3,
  },
  {
    name: "an evaluator that is missing: time doesn't mend it",
    shown: { report: unfinished("evaluator-missing") },
    label: "receipt",
    message: "not finished",
    tone: "neutral",
    state: "not-finished",
    title: "The check of this admission could not be finished (evaluator-missing).",
    page: "Not finished",
    headline: { verdict: "Not finished" },
    exit: 3,
  },
  {
    name: "a file that can't be read",
    shown: { report: unfinished("file-unreadable", { id: null, kind: "unknown" }) },
    label: "receipt",
    message: "not finished",
    tone: "neutral",
    state: "not-finished",
    title: "The check of this document could not be finished (file-unreadable).",
    page: "Not read",
    headline: { verdict: "Not read" },
    exit: 3,
  },
  {
    name: "a fetch that failed",
    shown: { report: unfinished("fetch-timeout", { id: null, kind: "unknown" }) },
    label: "receipt",
    message: "not finished",
    tone: "neutral",
    state: "not-finished",
    title: "The check of this document could not be finished (fetch-timeout).",
    page: "Not fetched",
    headline: { verdict: "Not fetched" },
    exit: 3,
  },
];

/** What a link or a reader asks for. */
const ASKED: StateRow[] = [
  {
    name: "accepted: by the key of an unknown issuer that the link names",
    shown: { report: withAcceptance(admission({ issuer: STRANGER }), MET) },
    options: { acceptance: MET, issuerAsked: true },
    label: "clankdar",
    message: "3/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} Signed by an unknown issuer (key 0000111122223333), ` +
      "the key this link asks for.",
    page: "Passed: 3 of 4, 3 required · every answer replayed · unknown issuer",
    headline: passedBy(`${BY_UNKNOWN}, the key this link asks for`),
    exit: 0,
  },
  {
    name: "accepted: by the key of an unknown issuer that the reader names",
    shown: { report: withAcceptance(admission({ issuer: STRANGER }), MET) },
    options: { acceptance: MET, issuerAsked: true, asker: "reader" },
    label: "clankdar",
    message: "3/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: `${PASSED} ${ALL} ${SUITE} Signed by an unknown issuer (key 0000111122223333), ` +
      "the issuer you asked for.",
    page: "Passed: 3 of 4, 3 required · every answer replayed · unknown issuer",
    headline: passedBy(`${BY_UNKNOWN}, the issuer you asked for`),
    exit: 0,
  },
  {
    name: "not accepted: another issuer, known",
    shown: { report: withAcceptance(admission(), refused("issuer")) },
    options: { acceptance: refused("issuer"), issuerAsked: true },
    label: "clankdar",
    message: "not accepted · other issuer",
    tone: "refused",
    state: "not-accepted",
    title: `Not accepted: it is not signed by the issuer asked for. ${PASSED} ${ALL} ${SUITE} ` +
      STAGING,
    page: "Not accepted: other issuer · Passed: 3 of 4, 3 required · every answer replayed · " +
      "Clankdar staging",
    headline: {
      ...passedBy(BY_STAGING),
      verdict: "Not accepted: other issuer",
      besides: "Passed: 3 of 4, 3 required",
    },
    exit: 1,
  },
  {
    name: "not accepted: another issuer, unknown, with receipts unreplayed",
    shown: { report: withAcceptance(claimed({ issuer: STRANGER }), refused("issuer")) },
    options: { acceptance: refused("issuer", "replayed"), issuerAsked: true },
    label: "clankdar",
    message: "not accepted · other issuer · 2 unreplayed · unknown issuer",
    tone: "refused",
    state: "not-accepted",
    title: `Not accepted: it is not signed by the issuer asked for. ${PASSED} ${TWO} ${SUITE} ` +
      UNKNOWN,
    page: "Not accepted: other issuer · Passed: 3 of 4, 3 required · 2 unreplayed · unknown issuer",
    headline: {
      ...claimedBy(BY_UNKNOWN),
      verdict: "Not accepted: other issuer",
      besides: "Passed: 3 of 4, 3 required",
    },
    exit: 1,
  },
  {
    name: "not accepted: the key that was asked for is revoked",
    shown: { report: withAcceptance(admission({ issuer: REVOKED }), refused("issuer")) },
    options: { acceptance: refused("issuer"), issuerAsked: true },
    label: "clankdar",
    message: "not accepted · issuer revoked",
    tone: "refused",
    state: "not-accepted",
    title: `Not accepted: the key that signed it is revoked. ${PASSED} ${ALL} ${SUITE} Signed ` +
      "with a revoked key of Lost issuer (key dddd0123456789ab): somebody else may hold it, " +
      "so the signature counts for nothing.",
    page: "Not accepted: issuer revoked · Passed: 3 of 4, 3 required · every answer replayed · " +
      "issuer revoked",
    headline: {
      ...passedBy("signed with a revoked key of Lost issuer"),
      verdict: "Not accepted: issuer revoked",
      besides: "Passed: 3 of 4, 3 required",
    },
    exit: 1,
  },
  {
    name: "not accepted: unreplayed; the count says it",
    shown: { report: withAcceptance(claimed(), refused("replayed")) },
    options: { acceptance: refused("replayed") },
    label: "clankdar",
    message: "not accepted · 2 unreplayed",
    tone: "refused",
    state: "not-accepted",
    title: `Not accepted: part of it rests on the issuer's word. ${PASSED} ${TWO} ${SUITE} ` +
      STAGING,
    page: "Not accepted: unreplayed · Passed: 3 of 4, 3 required · 2 unreplayed · Clankdar staging",
    headline: {
      ...claimedBy(BY_STAGING),
      verdict: "Not accepted: unreplayed",
      besides: "Passed: 3 of 4, 3 required",
    },
    exit: 1,
  },
  {
    name: "not accepted, and failed: the verdict of the result stays in sight",
    shown: { report: withAcceptance(failed({ issuer: STRANGER }), refused("sha256")) },
    options: { acceptance: refused("sha256") },
    label: "clankdar",
    message: "not accepted · other document · unknown issuer",
    tone: "refused",
    state: "not-accepted",
    title: `Not accepted: it is not the document asked for. ${FAILED} ${ALL} ${SUITE} ${UNKNOWN}`,
    page: "Not accepted: other document · Failed: 1 of 4, 3 required · every answer replayed · " +
      "unknown issuer",
    headline: {
      ...failedBy(BY_UNKNOWN),
      verdict: "Not accepted: other document",
      besides: "Failed: 1 of 4, 3 required",
    },
    exit: 1,
  },
  {
    name: "not accepted: a link that can't be understood",
    shown: { report: admission() },
    options: { acceptance: { accepted: false, failed: [], problem: "issuers" } },
    label: "clankdar",
    message: "not accepted · bad link",
    tone: "refused",
    state: "not-accepted",
    title: "Not accepted: the link asks for something that can't be understood (issuers). " +
      `${PASSED} ${ALL} ${SUITE} ${STAGING}`,
    page: "Not accepted: bad link · Passed: 3 of 4, 3 required · every answer replayed · " +
      "Clankdar staging",
    headline: {
      ...passedBy(BY_STAGING),
      verdict: "Not accepted: bad link",
      besides: "Passed: 3 of 4, 3 required",
    },
    exit: null,
  },
  {
    name: "not accepted: a run, of which nobody signed anything",
    shown: { report: withAcceptance(run(), refused("issuer")) },
    options: { acceptance: refused("issuer"), issuerAsked: true },
    label: "clankdar",
    message: "not accepted · other issuer · self-reported",
    tone: "refused",
    state: "not-accepted",
    title: "Not accepted: it is not signed by the issuer asked for. Benchmark run: 8 of 20 " +
      `challenges passed. All 20 rows were replayed. Nobody signed it. ${SUITE}`,
    page: "Not accepted: other issuer · Replayed · self-reported: 8 of 20 passed",
    headline: {
      verdict: "Not accepted: other issuer",
      besides: "Replayed · self-reported: 8 of 20 passed",
      replayed: "every row was replayed",
      signer: "self-reported: nobody signed it",
    },
    exit: 1,
  },
  {
    name: "invalid, whatever is asked for",
    shown: { report: withAcceptance(rejected("signature-invalid"), refused("invalid", "issuer")) },
    options: { acceptance: refused("invalid", "issuer"), issuerAsked: true },
    label: "receipt",
    message: "invalid",
    tone: "invalid",
    state: "invalid",
    title: "This admission is invalid (signature-invalid).",
    page: "Invalid",
    headline: { verdict: "Invalid" },
    exit: 2,
  },
];

/** A badge where there is no result to show. */
const standing = (
  word: Standing,
  tone: Tone,
  state: Word,
  title: string,
): StateRow => ({
  name: `no result: ${word}`,
  shown: { standing: word },
  label: "receipt",
  message: word,
  tone,
  state,
  title,
  page: null,
  headline: null,
  exit: null,
});

const NO_RESULT: StateRow[] = [
  standing("checking", "neutral", "checking", "This result is still being checked."),
  standing("not found", "neutral", "not-found", "There is no such result here."),
  standing(
    "unreachable",
    "neutral",
    "unreachable",
    "The address of this result could not be reached, and no earlier result is known.",
  ),
  standing(
    "not a receipt",
    "foreign",
    "not-a-receipt",
    "What was found there is not a receipt or anything else that can be checked.",
  ),
  standing(
    "gone",
    "neutral",
    "gone",
    "This result was here once. Its document has been removed.",
  ),
  standing(
    "ambiguous",
    "neutral",
    "ambiguous",
    "More than one issuer has a session of this id, so an issuer has to be named.",
  ),
  standing(
    "conflicting",
    "invalid",
    "conflicting",
    "Different admissions of this session are signed with one key: " +
      "the issuer contradicts itself, and none of them counts.",
  ),
];

/** All states. */
export const STATES: readonly StateRow[] = [
  ...SIGNED,
  ...REPLAYED,
  ...KINDS,
  ...REJECTED,
  ...ASKED,
  ...NO_RESULT,
];
