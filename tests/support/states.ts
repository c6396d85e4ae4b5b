/**
 * State → words: what badge, page and command line say of each state, in one table. Every word here
 * was written by hand from the design ("Badge wording") and the issue that asked for the words, and
 * three tests hold badge, pages and command line against it.
 */
import type { ReasonCode } from "../../lib/protocol/codes.ts";
import type { Requirement } from "../../lib/trust/acceptance.ts";
import type { Counts, Reason, Report } from "../../lib/verify/report.ts";
import type { State, Tone } from "../../lib/words/statement.ts";
import { FLOOR, ISSUER, report, REVOKED, ROTATED, rows, SAMPLE, STRANGER } from "./badges.ts";

/** A state, and its words. */
export interface StateWords {
  name: string;
  report: Report;
  /** What a reader asked for; the requirements that aren't met, or what is wrong with the question. */
  asked?: { failed?: Requirement[]; problem?: string; issuer?: boolean };
  /** Label and message: `clankdar: 4/4 passed`. */
  badge: string;
  tone: Tone;
  state: State;
  /** Sentences that the accessible title holds, in this order. */
  title: string[];
  pageTitle: string;
  headline: {
    verdict: string;
    replayed: string | null;
    signer: string | null;
    floor: string | null;
  };
  /** Exit status of the command that verifies. */
  exit: 0 | 1 | 2 | 3;
}

const ALL: Partial<Counts> = { passed: 4, replayedPasses: 4 };
const SESSION: Partial<Report> = {
  policy: FLOOR,
  decidedAt: "2026-01-31T12:00:00Z",
  sessionId: "gs_thKukn9ya3WK",
  receipts: rows("pppp"),
};

function reasonOf(code: ReasonCode, inner?: ReasonCode): Reason {
  const message = `what ${code} means`;
  const base = { code, message, path: "" };
  return inner === undefined ? base : { ...base, inner: { code: inner, message, path: "" } };
}

const admission = (changes: Partial<Report> = {}, counts: Partial<Counts> = ALL) =>
  report({ ...SESSION, ...changes }, counts);

/** A run whose manifest is refused, for what stands at this end of its path. */
const ofRun = (end: string): Report =>
  rejected("manifest", {
    kind: "run",
    issuer: null,
    observations: ["unsigned"],
    reason: { ...reasonOf("manifest"), path: `lines[0]${end}` },
  });

const rejected = (code: ReasonCode, changes: Partial<Report> = {}): Report =>
  report({
    outcome: "invalid",
    verdict: null,
    counts: null,
    reason: reasonOf(code),
    suite: null,
    ...changes,
  });

const looking = (looksLike: string): Report =>
  Object.assign(rejected("document-unrecognised", { kind: "unknown", issuer: null }), {
    looksLike,
  });

const PASSED = "Admission: 4 of 4 challenges passed, 3 required: passed.";
const FAILED = "Admission: 1 of 4 challenges passed, 3 required: failed.";
const REPLAYED = "All 4 answers were replayed.";
const SUITE = "Suite clankdar-algal-v1.";
const KNOWN = "Signed by Clankdar staging (key fbed0123456789ab).";
const UNKNOWN = "Signed by an unknown issuer (key 0000111122223333).";
const EVERY = "every answer was replayed";
const BY_KNOWN = "signed by Clankdar staging";
const BY_UNKNOWN = "signed by an unknown issuer, key 00001111…";
const NOTHING = { replayed: null, signer: null, floor: null };

const failedCounts = { passed: 1, replayedPasses: 1 };
const twoUnreplayed = { passed: 3, unreplayed: 2, replayedPasses: 1 };

/** The states, each with its words. */
export const STATES: readonly StateWords[] = [
  {
    name: "a pass that was replayed, by a known issuer",
    report: admission(),
    badge: "clankdar: 4/4 passed",
    tone: "pass",
    state: "verified",
    title: [PASSED, REPLAYED, SUITE, KNOWN],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "the same by an issuer that signs with another key now",
    report: admission({ issuer: ROTATED }),
    badge: "clankdar: 4/4 passed",
    tone: "pass",
    state: "verified",
    title: [PASSED, REPLAYED, SUITE, "Signed by Old issuer (key aaaa0123456789ab)."],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · Old issuer",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: "signed by Old issuer",
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "the same by an unknown issuer, with a floor of its own",
    report: admission({ issuer: STRANGER, policy: { ...FLOOR, minPass: 1 } }, {
      ...ALL,
      required: 1,
    }),
    badge: "clankdar: 4/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: [
      "Admission: 4 of 4 challenges passed, 1 required: passed.",
      REPLAYED,
      SUITE,
      UNKNOWN,
    ],
    pageTitle: "Passed: 4 of 4, 1 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Passed: 4 of 4, 1 required",
      replayed: EVERY,
      signer: BY_UNKNOWN,
      floor: "own floor: 1 of 4 required",
    },
    exit: 0,
  },
  {
    name: "an unknown issuer whose key the link asks for",
    report: admission({ issuer: STRANGER }),
    asked: { issuer: true },
    badge: "clankdar: 4/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: [
      PASSED,
      "Signed by an unknown issuer (key 0000111122223333), the key this link asks for.",
    ],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: `${BY_UNKNOWN}, the key this link asks for`,
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "an unknown issuer that gives itself a known one's name",
    report: admission({ issuer: { ...STRANGER, name: "Clankdar staging" } }),
    badge: "clankdar: 4/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: [PASSED, REPLAYED, SUITE, UNKNOWN],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: BY_UNKNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "an unknown issuer with a known one's key id",
    report: admission({ issuer: { ...STRANGER, keyId: ISSUER.keyId } }),
    badge: "clankdar: 4/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: [PASSED, "Signed by an unknown issuer (key fbed0123456789ab)."],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: "signed by an unknown issuer, key fbed0123…",
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "a pass that names no key",
    report: admission({ issuer: null }),
    badge: "clankdar: 4/4 passed · unknown issuer",
    tone: "unvouched",
    state: "verified",
    title: [PASSED, "No issuer is known to have signed it."],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: "unknown issuer",
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "a revoked issuer",
    report: admission({ issuer: REVOKED, observations: ["issuer-revoked"] }),
    badge: "clankdar: 4/4 passed · issuer revoked",
    tone: "refused",
    state: "verified",
    title: [PASSED, "Signed with a revoked key of Lost issuer (key dddd0123456789ab):"],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · issuer revoked",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: "signed with a revoked key of Lost issuer",
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "the samples' key, with which anybody can sign",
    report: admission({ issuer: SAMPLE, suite: "touchstone-algal-v1" }),
    badge: "touchstone: 4/4 passed · sample key",
    tone: "unvouched",
    state: "verified",
    title: [
      PASSED,
      "Suite touchstone-algal-v1.",
      "Signed with the public sample key Samples (key eeee0123456789ab): anybody can sign with it.",
    ],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · sample key",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: "signed with a public sample key (Samples)",
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "the samples' key on a document of Clankdar's",
    report: admission({ issuer: SAMPLE }),
    badge: "clankdar: 4/4 passed · sample key",
    tone: "unvouched",
    state: "verified",
    title: [PASSED, "anybody can sign with it."],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · sample key",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: "signed with a public sample key (Samples)",
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "a pass of which two answers are unreplayed",
    report: admission({ outcome: "issuer-claimed", receipts: rows("pfuu") }, twoUnreplayed),
    badge: "clankdar: 3/4 passed · 2 unreplayed",
    tone: "claimed",
    state: "issuer-claimed",
    title: [
      "Admission: 3 of 4 challenges passed, 3 required: passed.",
      "2 receipts unreplayed: they rest on the issuer's word.",
      KNOWN,
    ],
    pageTitle: "Passed: 3 of 4, 3 required · 2 unreplayed · Clankdar staging",
    headline: {
      verdict: "Passed: 3 of 4, 3 required",
      replayed: "2 of 4 answers unreplayed",
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "the same by an unknown issuer",
    report: admission(
      { outcome: "issuer-claimed", receipts: rows("pfuu"), issuer: STRANGER },
      twoUnreplayed,
    ),
    badge: "clankdar: 3/4 passed · 2 unreplayed · unknown issuer",
    tone: "claimed",
    state: "issuer-claimed",
    title: ["2 receipts unreplayed: they rest on the issuer's word.", UNKNOWN],
    pageTitle: "Passed: 3 of 4, 3 required · 2 unreplayed · unknown issuer",
    headline: {
      verdict: "Passed: 3 of 4, 3 required",
      replayed: "2 of 4 answers unreplayed",
      signer: BY_UNKNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a pass that replay alone doesn't establish",
    report: admission(
      {
        outcome: "issuer-claimed",
        receipts: rows("pfuu"),
        observations: ["pass-rests-on-issuer"],
      },
      twoUnreplayed,
    ),
    badge: "clankdar: 3/4 passed · 2 unreplayed",
    tone: "claimed",
    state: "issuer-claimed",
    title: ["2 receipts unreplayed", "Replay alone does not establish the pass."],
    pageTitle: "Passed: 3 of 4, 3 required · 2 unreplayed · Clankdar staging",
    headline: {
      verdict: "Passed: 3 of 4, 3 required",
      replayed: "2 of 4 answers unreplayed",
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a failed session of which everything was replayed",
    report: admission({ verdict: "fail", receipts: rows("pfff") }, failedCounts),
    badge: "clankdar: 1/4 passed · failed",
    tone: "fail",
    state: "verified",
    title: [FAILED, REPLAYED, KNOWN],
    pageTitle: "Failed: 1 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Failed: 1 of 4, 3 required",
      replayed: EVERY,
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a failed session by an unknown issuer",
    report: admission({ verdict: "fail", receipts: rows("pfff"), issuer: STRANGER }, failedCounts),
    badge: "clankdar: 1/4 passed · failed · unknown issuer",
    tone: "fail",
    state: "verified",
    title: [FAILED, UNKNOWN],
    pageTitle: "Failed: 1 of 4, 3 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Failed: 1 of 4, 3 required",
      replayed: EVERY,
      signer: BY_UNKNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a failed session, partly unreplayed",
    report: admission(
      { outcome: "issuer-claimed", verdict: "fail", receipts: rows("ffuf") },
      { passed: 1, unreplayed: 2, replayedPasses: 0 },
    ),
    badge: "clankdar: 1/4 passed · failed · 2 unreplayed",
    tone: "claimed",
    state: "issuer-claimed",
    title: [FAILED, "2 receipts unreplayed"],
    pageTitle: "Failed: 1 of 4, 3 required · 2 unreplayed · Clankdar staging",
    headline: {
      verdict: "Failed: 1 of 4, 3 required",
      replayed: "2 of 4 answers unreplayed",
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "nothing was answered",
    report: admission({ verdict: "fail", receipts: rows("----") }, {
      answered: 0,
      passed: 0,
      replayedPasses: 0,
    }),
    badge: "clankdar: 0/4 passed · failed",
    tone: "fail",
    state: "verified",
    title: [
      "Admission: 0 of 4 challenges passed, 3 required: failed.",
      "No challenge was answered.",
    ],
    pageTitle: "Failed: 0 of 4, 3 required · nothing answered · Clankdar staging",
    headline: {
      verdict: "Failed: 0 of 4, 3 required",
      replayed: "nothing was answered, so nothing was replayed",
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a lone receipt",
    report: report(
      { kind: "receipt", receipts: rows("p"), expiresAt: "2026-01-31T12:00:00Z" },
      { challenges: 1, answered: 1, passed: 1, required: 1, replayedPasses: 1 },
    ),
    badge: "clankdar: 1/1 passed",
    tone: "pass",
    state: "verified",
    title: ["Receipt: 1 of 1 challenge passed, 1 required: passed.", "The answer was replayed."],
    pageTitle: "Passed: 1 of 1, 1 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Passed: 1 of 1, 1 required",
      replayed: "the answer was replayed",
      signer: BY_KNOWN,
      floor: null,
    },
    exit: 0,
  },
  {
    name: "the house suite, by a known issuer",
    report: admission({ suite: "touchstone-algal-v1" }),
    badge: "touchstone: 4/4 passed",
    tone: "pass",
    state: "verified",
    title: [PASSED, REPLAYED, "Suite touchstone-algal-v1.", KNOWN],
    pageTitle: "Passed: 4 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Passed: 4 of 4, 3 required",
      replayed: EVERY,
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 0,
  },
  {
    name: "a benchmark run",
    report: report(
      {
        kind: "run",
        verdict: null,
        observations: ["unsigned"],
        issuer: null,
        suite: "clankdar-frontier-v1",
      },
      { challenges: 100, answered: 98, passed: 87, required: 0, replayedPasses: 87 },
    ),
    badge: "clankdar: 87/100 passed · self-reported",
    tone: "reported",
    state: "verified",
    title: [
      "Benchmark run: 87 of 100 challenges passed.",
      "All 98 rows were replayed.",
      "Nobody signed it.",
    ],
    pageTitle: "Replayed · self-reported: 87 of 100 passed",
    headline: {
      verdict: "Replayed · self-reported: 87 of 100 passed",
      replayed: "every row was replayed",
      signer: "self-reported: nobody signed it",
      floor: null,
    },
    exit: 1,
  },
  {
    name: "a benchmark run without a manifest",
    report: report(
      {
        kind: "run",
        outcome: "issuer-claimed",
        verdict: null,
        observations: ["unsigned"],
        issuer: null,
        suite: null,
        reason: reasonOf("no-manifest"),
      },
      {
        challenges: 100,
        answered: 100,
        passed: 87,
        required: 0,
        unreplayed: 100,
        replayedPasses: 0,
      },
    ),
    badge: "receipt: 87/100 passed · 100 unreplayed · self-reported",
    tone: "claimed",
    state: "issuer-claimed",
    title: ["100 rows unreplayed: they rest on the reporter's word.", "Nobody signed it."],
    pageTitle: "Unreplayed · self-reported: 87 of 100 passed · 100 unreplayed",
    headline: {
      verdict: "Unreplayed · self-reported: 87 of 100 passed",
      replayed: "100 of 100 rows unreplayed",
      signer: "self-reported: nobody signed it",
      floor: null,
    },
    exit: 1,
  },
  {
    name: "a sound log, which has no score",
    report: report({ kind: "tlog", verdict: null, counts: null, suite: null }),
    badge: "receipt: verified",
    tone: "neutral",
    state: "verified",
    title: ["This transparency log is verified.", KNOWN],
    pageTitle: "Verified · Clankdar staging",
    headline: { verdict: "Verified", replayed: null, signer: BY_KNOWN, floor: null },
    exit: 1,
  },
  {
    name: "another issuer than the one asked for",
    report: admission(),
    asked: { failed: ["issuer"], issuer: true },
    badge: "clankdar: not accepted · other issuer",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: it is not signed by the issuer asked for.", PASSED, KNOWN],
    pageTitle:
      "Not accepted: other issuer · Passed: 4 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Not accepted: other issuer",
      replayed: EVERY,
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "the key that was asked for is revoked",
    report: admission({ issuer: REVOKED, observations: ["issuer-revoked"] }),
    asked: { failed: ["issuer"], issuer: true },
    badge: "clankdar: not accepted · issuer revoked",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: the key that signed it is revoked.", PASSED],
    pageTitle:
      "Not accepted: issuer revoked · Passed: 4 of 4, 3 required · every answer replayed · issuer revoked",
    headline: {
      verdict: "Not accepted: issuer revoked",
      replayed: EVERY,
      signer: "signed with a revoked key of Lost issuer",
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a failed session that isn't accepted",
    report: admission({ verdict: "fail", receipts: rows("pfff"), issuer: STRANGER }, failedCounts),
    asked: { failed: ["context", "stale"] },
    badge: "clankdar: not accepted · other context · unknown issuer",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: its context is not the one asked for.", FAILED, UNKNOWN],
    pageTitle:
      "Not accepted: other context · Failed: 1 of 4, 3 required · every answer replayed · unknown issuer",
    headline: {
      verdict: "Not accepted: other context",
      replayed: EVERY,
      signer: BY_UNKNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "another document than the one asked for",
    report: admission(),
    asked: { failed: ["sha256"] },
    badge: "clankdar: not accepted · other document",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: it is not the document asked for.", PASSED],
    pageTitle:
      "Not accepted: other document · Passed: 4 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Not accepted: other document",
      replayed: EVERY,
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a link that asks for something that can't be understood",
    report: admission(),
    asked: { problem: "isuer" },
    badge: "clankdar: not accepted · bad link",
    tone: "refused",
    state: "not-accepted",
    title: [
      "Not accepted: the link asks for something that can't be understood (isuer).",
      PASSED,
    ],
    pageTitle:
      "Not accepted: bad link · Passed: 4 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Not accepted: bad link",
      replayed: EVERY,
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "an unknown issuer where another one was asked for, partly unreplayed",
    report: admission(
      { outcome: "issuer-claimed", receipts: rows("pfuu"), issuer: STRANGER },
      twoUnreplayed,
    ),
    asked: { failed: ["issuer"], issuer: true },
    badge: "clankdar: not accepted · other issuer · 2 unreplayed · unknown issuer",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: it is not signed by the issuer asked for.", UNKNOWN],
    pageTitle:
      "Not accepted: other issuer · Passed: 3 of 4, 3 required · 2 unreplayed · unknown issuer",
    headline: {
      verdict: "Not accepted: other issuer",
      replayed: "2 of 4 answers unreplayed",
      signer: BY_UNKNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "unreplayed where everything replayed was asked for",
    report: admission({ outcome: "issuer-claimed", receipts: rows("pfuu") }, twoUnreplayed),
    asked: { failed: ["replayed"] },
    badge: "clankdar: not accepted · 2 unreplayed",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: part of it rests on the issuer's word."],
    pageTitle:
      "Not accepted: unreplayed · Passed: 3 of 4, 3 required · 2 unreplayed · Clankdar staging",
    headline: {
      verdict: "Not accepted: unreplayed",
      replayed: "2 of 4 answers unreplayed",
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "decided too long ago",
    report: admission(),
    asked: { failed: ["stale"] },
    badge: "clankdar: not accepted · stale",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: the time of its decision is not within the time asked for."],
    pageTitle:
      "Not accepted: stale · Passed: 4 of 4, 3 required · every answer replayed · Clankdar staging",
    headline: {
      verdict: "Not accepted: stale",
      replayed: EVERY,
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
  {
    name: "a self-reported run where an issuer was asked for",
    report: report(
      {
        kind: "run",
        verdict: null,
        observations: ["unsigned"],
        issuer: null,
        suite: "clankdar-frontier-v1",
      },
      { challenges: 100, answered: 100, passed: 87, required: 0, replayedPasses: 87 },
    ),
    asked: { failed: ["issuer"], issuer: true },
    badge: "clankdar: not accepted · other issuer · self-reported",
    tone: "refused",
    state: "not-accepted",
    title: ["Not accepted: it is not signed by the issuer asked for.", "Nobody signed it."],
    pageTitle: "Not accepted: other issuer · Replayed · self-reported: 87 of 100 passed",
    headline: {
      verdict: "Not accepted: other issuer",
      replayed: "every row was replayed",
      signer: "self-reported: nobody signed it",
      floor: null,
    },
    exit: 1,
  },
  {
    name: "a receipt inside is wrong",
    report: rejected("receipt-invalid", {
      reason: reasonOf("receipt-invalid", "prompt-mismatch"),
      suite: "clankdar-algal-v1",
      receipts: rows("ppxp"),
    }),
    badge: "receipt: invalid",
    tone: "invalid",
    state: "invalid",
    title: ["This admission is invalid (receipt-invalid: prompt-mismatch)."],
    pageTitle: "Invalid",
    headline: { verdict: "Invalid", ...NOTHING },
    exit: 2,
  },
  {
    name: "a signature that doesn't hold",
    report: rejected("signature-invalid", { issuer: null }),
    badge: "receipt: invalid",
    tone: "invalid",
    state: "invalid",
    title: ["This admission is invalid (signature-invalid)."],
    pageTitle: "Invalid",
    headline: { verdict: "Invalid", ...NOTHING },
    exit: 2,
  },
  {
    name: "a wrong signature beside a suite that isn't known is a forgery",
    report: rejected("signature-invalid", { observations: ["suite-unknown"] }),
    badge: "receipt: invalid",
    tone: "invalid",
    state: "invalid",
    title: ["This admission is invalid (signature-invalid)."],
    pageTitle: "Invalid",
    headline: { verdict: "Invalid", ...NOTHING },
    exit: 2,
  },
  {
    name: "an invalid document of the house suite",
    report: rejected("receipt-invalid", { suite: "touchstone-algal-v1" }),
    badge: "touchstone: invalid",
    tone: "invalid",
    state: "invalid",
    title: ["This admission is invalid (receipt-invalid)."],
    pageTitle: "Invalid",
    headline: { verdict: "Invalid", ...NOTHING },
    exit: 2,
  },
  {
    name: "exposed by the disclosed pool",
    report: rejected("receipt-invalid", { observations: ["exposed"] }),
    badge: "receipt: invalid · pool contradicts",
    tone: "invalid",
    state: "invalid",
    title: ["This admission is invalid (receipt-invalid).", "The disclosed pool contradicts it."],
    pageTitle: "Invalid: the disclosed pool contradicts it",
    headline: { verdict: "Invalid: the disclosed pool contradicts it", ...NOTHING },
    exit: 2,
  },
  {
    name: "an invalid document where something was asked for",
    report: rejected("signature-invalid", { issuer: null }),
    asked: { failed: ["invalid", "issuer"], issuer: true },
    badge: "receipt: invalid",
    tone: "invalid",
    state: "invalid",
    title: ["This admission is invalid (signature-invalid)."],
    pageTitle: "Invalid",
    headline: { verdict: "Invalid", ...NOTHING },
    exit: 2,
  },
  {
    name: "a receipt of a suite that this version doesn't know",
    report: rejected("suite-unknown", { kind: "receipt" }),
    badge: "receipt: unknown suite",
    tone: "neutral",
    state: "unknown-suite",
    title: [
      "This receipt is of a suite that this version of Touchstone doesn't know, " +
      "so nothing in it can be replayed.",
      "That says nothing against it.",
    ],
    pageTitle: "Unknown suite",
    headline: { verdict: "Unknown suite", ...NOTHING },
    exit: 2,
  },
  {
    name: "an admission of a suite that this version doesn't know",
    report: rejected("policy-malformed", { observations: ["suite-unknown"] }),
    badge: "receipt: unknown suite",
    tone: "neutral",
    state: "unknown-suite",
    title: ["This admission is of a suite that this version of Touchstone doesn't know"],
    pageTitle: "Unknown suite",
    headline: { verdict: "Unknown suite", ...NOTHING },
    exit: 2,
  },
  {
    name: "a protocol that this version doesn't know",
    report: rejected("protocol-unknown", { kind: "unknown", issuer: null }),
    badge: "receipt: unknown protocol",
    tone: "neutral",
    state: "unknown-protocol",
    title: ["This document is of a protocol that this version of Touchstone doesn't know"],
    pageTitle: "Unknown protocol",
    headline: { verdict: "Unknown protocol", ...NOTHING },
    exit: 2,
  },
  {
    name: "no receipt at all",
    report: rejected("document-unrecognised", { kind: "unknown", issuer: null }),
    badge: "receipt: not a receipt",
    tone: "foreign",
    state: "not-a-receipt",
    title: [
      "This is not a receipt or anything else that can be checked (document-unrecognised).",
    ],
    pageTitle: "Not a receipt",
    headline: { verdict: "Not a receipt", ...NOTHING },
    exit: 3,
  },
  {
    name: "an evaluation log of another harness",
    report: looking("evaluation log"),
    badge: "receipt: not a receipt",
    tone: "foreign",
    state: "not-a-receipt",
    title: ["(document-unrecognised).", "It looks like an evaluation log."],
    pageTitle: "Not a receipt",
    headline: { verdict: "Not a receipt", ...NOTHING },
    exit: 3,
  },
  {
    name: "a session file, which holds secrets",
    report: looking("session"),
    badge: "receipt: not a receipt",
    tone: "foreign",
    state: "not-a-receipt",
    title: ["It looks like a session.", "A session file holds secrets: don't publish it."],
    pageTitle: "Not a receipt",
    headline: { verdict: "Not a receipt", ...NOTHING },
    exit: 3,
  },
  {
    name: "an object that claims a protocol and is no envelope",
    report: rejected("envelope-malformed", { issuer: null, id: null }),
    badge: "receipt: not a receipt",
    tone: "foreign",
    state: "not-a-receipt",
    title: ["This is not a receipt or anything else that can be checked (envelope-malformed)."],
    pageTitle: "Not a receipt",
    headline: { verdict: "Not a receipt", ...NOTHING },
    exit: 3,
  },
  {
    name: "a benchmark run of an unknown suite",
    report: ofRun(".suiteVersion"),
    badge: "receipt: unknown suite",
    tone: "neutral",
    state: "unknown-suite",
    title: ["This benchmark run is of a suite that this version of Touchstone doesn't know"],
    pageTitle: "Unknown suite",
    headline: { verdict: "Unknown suite", ...NOTHING },
    exit: 2,
  },
  {
    name: "a benchmark run of a newer form",
    report: ofRun(".schemaVersion"),
    badge: "receipt: unknown protocol",
    tone: "neutral",
    state: "unknown-protocol",
    title: ["This document is of a protocol that this version of Touchstone doesn't know"],
    pageTitle: "Unknown protocol",
    headline: { verdict: "Unknown protocol", ...NOTHING },
    exit: 2,
  },
  {
    name: "still being checked",
    report: rejected("budget-exceeded", { outcome: null, issuer: null }),
    badge: "receipt: checking",
    tone: "neutral",
    state: "checking",
    title: ["This admission is still being checked (budget-exceeded)."],
    pageTitle: "Being checked",
    headline: { verdict: "Being checked", ...NOTHING },
    exit: 3,
  },
  {
    name: "an evaluator is missing",
    report: rejected("evaluator-missing", { outcome: null, issuer: null }),
    badge: "receipt: not finished",
    tone: "neutral",
    state: "not-finished",
    title: ["The check of this admission could not be finished (evaluator-missing)."],
    pageTitle: "Not finished",
    headline: { verdict: "Not finished", ...NOTHING },
    exit: 3,
  },
  {
    name: "a URL that could not be fetched",
    report: rejected("fetch-timeout", { kind: "unknown", outcome: null, issuer: null }),
    badge: "receipt: not finished",
    tone: "neutral",
    state: "not-finished",
    title: ["The check of this document could not be finished (fetch-timeout)."],
    pageTitle: "Not fetched",
    headline: { verdict: "Not fetched", ...NOTHING },
    exit: 3,
  },
  {
    name: "a file that could not be read",
    report: rejected("file-unreadable", { kind: "unknown", outcome: null, issuer: null }),
    badge: "receipt: not finished",
    tone: "neutral",
    state: "not-finished",
    title: ["The check of this document could not be finished (file-unreadable)."],
    pageTitle: "Not read",
    headline: { verdict: "Not read", ...NOTHING },
    exit: 3,
  },
  {
    name: "a report that contradicts itself is never shown as replayed",
    report: admission({ outcome: "verified" }, { unreplayed: 1 }),
    badge: "clankdar: 3/4 passed · 1 unreplayed",
    tone: "claimed",
    state: "verified",
    title: ["1 receipt unreplayed: it rests on the issuer's word."],
    pageTitle: "Passed: 3 of 4, 3 required · 1 unreplayed · Clankdar staging",
    headline: {
      verdict: "Passed: 3 of 4, 3 required",
      replayed: "1 of 4 answers unreplayed",
      signer: BY_KNOWN,
      floor: "floor algal-floor-v1",
    },
    exit: 1,
  },
];
