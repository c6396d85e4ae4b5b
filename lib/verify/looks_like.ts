/**
 * What a thing that is no document looks like, so that whoever linked the wrong file is told which one
 * it is, and what to give instead. Nothing of its content is repeated.
 */
import { PROTOCOLS } from "../protocol/envelope.ts";
import { POOL_PROTOCOL } from "../protocol/pool.ts";

/** What it looks like, with an article (`a pool`), and the sentence about it. */
interface Look {
  looksLike?: string;
  message: string;
}

type Members = Readonly<Record<string, unknown>>;

interface Shape {
  looksLike: string;
  /** The rest of the sentence: what to do. */
  advice: string;
  is(members: Members): boolean;
}

const GIVE = "give the receipt or the admission itself";

const has = (...names: string[]) => (members: Members) =>
  names.every((name) => Object.hasOwn(members, name));

/** A member is this text. */
const says = (name: string, text: string) => (members: Members) => members[name] === text;

/** Shapes from the most to the least telling; the first that fits is said. */
const SHAPES: readonly Shape[] = [
  {
    looksLike: "a session with secrets in it",
    advice: "don't publish it, since it holds hidden seeds or answers",
    is: isWithSecrets,
  },
  {
    looksLike: "a pool",
    advice: "supply it as a pool, beside the documents, once the issuer discloses it",
    is: isPoolLike,
  },
  {
    looksLike: "a policy",
    advice: `nobody passed or failed it yet: ${GIVE}`,
    is: (members) =>
      has("cells", "minPass")(members) ||
      isObject(members.policy) && has("cells", "minPass")(members.policy) &&
        !has("challenges", "receipts")(members),
  },
  {
    looksLike: "a challenge",
    advice: `it is a question without an answer: ${GIVE}`,
    is: (members) =>
      says("kind", "challenge")(members) || has("challengeId", "seedCommit")(members),
  },
  {
    looksLike: "a log's head",
    advice:
      "it says how long a log is, and nothing about a result: give the whole log, or the receipt",
    is: (members) => says("kind", "head")(members) || has("count", "head", "verifier")(members),
  },
  {
    looksLike: "a consistency proof of a log",
    advice: "it says nothing about a result: give the receipt",
    is: has("oldCount", "newCount", "suffix"),
  },
  {
    looksLike: "a session proof of a log",
    advice: "it says nothing about a result: give the receipt",
    is: has("sessionIndex", "decisionIndex", "head"),
  },
  {
    looksLike: "an archive's manifest",
    advice: "give the admissions that it lists",
    is: (members) =>
      says("protocol", "clankdar-admission-archive-v1")(members) ||
      has("tracks", "producerClaim")(members) || has("artifacts", "suiteHash")(members),
  },
  {
    looksLike: "a payload without its signature",
    advice: "give the whole document: {protocol, payload, signature}",
    is: isUnsignedBody,
  },
  {
    looksLike: "a document that lacks a member",
    advice: "a signed document has the texts protocol, payload and signature",
    is: (members) => has("payload", "signature")(members) || isEnvelopeProtocol(members.protocol),
  },
  {
    looksLike: "the output of a verifier",
    advice: "it is somebody's word on a receipt: give the receipt that was verified",
    is: (members) =>
      has("outcome", "verdict", "checks")(members) || has("results", "summary")(members) ||
      has("ok", "reason")(members) || has("ok", "verdict")(members) ||
      has("sha256", "verified")(members) || has("verification")(members) ||
      has("valid", "reason")(members) || has("ok", "replayable")(members),
  },
  {
    looksLike: "a benchmark run's line",
    advice: "give the whole run, with its manifest and its summary",
    is: (members) =>
      ["run", "result", "summary"].includes(`${members.type}`) &&
      has("schemaVersion")(members),
  },
  {
    looksLike: "an evaluation log of another harness",
    advice: "this service checks signed receipts and Clankdar's own runs",
    is: (members) =>
      has("results", "versions")(members) || has("results", "config", "n-shot")(members) ||
      has("eval", "samples")(members) || has("eval", "plan")(members) ||
      has("doc_id", "resps")(members) || has("doc", "filtered_resps")(members) ||
      has("run_spec", "scenario_state")(members) || has("adapter_spec", "scenario_spec")(members) ||
      has("run_id", "event_id", "type")(members) || has("spec", "completion_fns")(members) ||
      has("lm_eval_version")(members) || has("request_states")(members) ||
      isObject(members.spec) && has("completion_fns")(members.spec) || has("final_report")(members),
  },
  {
    looksLike: "a key",
    advice: "if it has a private part, don't publish it",
    is: (members) => has("kty", "crv")(members),
  },
  {
    looksLike: "an error message",
    advice: GIVE,
    is: (members) => has("error")(members) || has("type", "title", "status")(members),
  },
];

/** What a value looks like that is no document and holds none. */
export function lookOf(value: unknown): Look {
  if (Array.isArray(value)) {
    return value.length === 0
      ? { looksLike: "an empty list", message: "this list is empty: there is no document in it" }
      : { looksLike: "a list", message: `this is a list that holds no document: ${GIVE}` };
  }
  if (!isObject(value)) return lookOfScalar(value);
  const shape = SHAPES.find(({ is }) => is(value));
  if (shape !== undefined) {
    const { looksLike, advice } = shape;
    const unsigned = isEnvelopeProtocol(value.protocol) && !Object.hasOwn(value, "signature")
      ? ", unsigned"
      : "";
    return { looksLike, message: `this is ${looksLike}${unsigned}, not a receipt: ${advice}` };
  }
  if (Object.keys(value).length === 0) {
    return { looksLike: "an empty object", message: `this object is empty: ${GIVE}` };
  }
  return { message: `this object is no receipt, admission or wrapper of one: ${GIVE}` };
}

function lookOfScalar(value: unknown): Look {
  if (typeof value === "string") {
    const looksLike = lookOfText(value) ?? "a text";
    return { looksLike, message: `this is ${looksLike}, not a receipt: ${GIVE}` };
  }
  const looksLike = value === null ? "a null" : `a ${typeof value}`;
  return { looksLike, message: `this is ${looksLike}, and a receipt is a JSON object: ${GIVE}` };
}

const TEXTS: readonly [RegExp, string][] = [
  [/^(?:[^\0]\0|\0[^\0])/, "a text in UTF-16"],
  // deno-lint-ignore no-control-regex
  [/^\s*\x1e/, "a JSON text sequence"],
  [/^\s*H4sI[A-Za-z0-9+/_-]/, "a gzip file written as base64"],
  [/^\s*(?:<!doctype\s+html|<html|<head|<body)/i, "a web page"],
  [/^\s*<\?xml|^\s*<svg/i, "an XML document"],
  [/^\s*https?:\/\/\S+\s*$/i, "a URL"],
  [/^\s*-----BEGIN [A-Z ]+-----/, "a key or a certificate"],
  [/^%PDF-/, "a PDF"],
  [/^\s*(?:diff --git|---\s\S|@@ )/, "a patch"],
  [/^\s*version https:\/\/git-lfs/, "a pointer of Git LFS, not the file itself"],
  [/^\s*#(?:!|\s)/, "a script or a page of notes"],
];

/** What a text looks like that is no JSON; null where that can't be told. */
export function lookOfText(text: string): string | null {
  return TEXTS.find(([pattern]) => pattern.test(text.slice(0, 2000)))?.[1] ?? null;
}

const SIGNATURES: readonly [bytes: number[], string][] = [
  [[0x50, 0x4b, 0x03, 0x04], "a zip archive"],
  [[0x89, 0x50, 0x4e, 0x47], "a PNG picture"],
  [[0xff, 0xd8, 0xff], "a JPEG picture"],
  [[0xfd, 0x37, 0x7a, 0x58], "an xz archive"],
  [[0x28, 0xb5, 0x2f, 0xfd], "a zstd archive"],
  [[0x42, 0x5a, 0x68], "a bzip2 archive"],
  [[0xff, 0xfe], "a text in UTF-16"],
  [[0xfe, 0xff], "a text in UTF-16"],
];

/** What bytes look like that are no UTF-8; null where that can't be told. */
export function lookOfBytes(bytes: Uint8Array): string | null {
  return SIGNATURES.find(([head]) => head.every((byte, at) => bytes[at] === byte))?.[1] ?? null;
}

/** Whether an object is an issuer's session, or its ledger's line on one: it holds hidden seeds. */
export function isWithSecrets(members: Members): boolean {
  return isSession(members) || isObject(members.session) &&
      (members.type === "session" || isSession(members.session));
}

function isSession(members: Members): boolean {
  return Array.isArray(members.items) && has("policy")(members) ||
    Array.isArray(members.seeds) && has("sessionId")(members) ||
    has("sessionId", "secret")(members) ||
    Array.isArray(members.challenges) &&
      members.challenges.some((challenge) =>
        isObject(challenge) && Object.hasOwn(challenge, "seed") &&
        !Object.hasOwn(members, "verdict")
      );
}

/** Whether an object is a pool, or meant as one. */
export function isPoolLike(members: Members): boolean {
  return members.protocol === POOL_PROTOCOL || has("poolKey", "cells")(members);
}

/** Whether an object is the body of a document: what its payload holds, without the signature. */
export function isUnsignedBody({ kind, ...members }: Members): boolean {
  switch (kind) {
    case "receipt":
      return isObject(members.challenge) && isObject(members.verdict);
    case "admission":
      return Array.isArray(members.challenges) && Array.isArray(members.receipts) &&
        isObject(members.verdict);
    case "badge":
      return Array.isArray(members.admissions) && typeof members.subjectKey === "string";
    default:
      return false;
  }
}

function isEnvelopeProtocol(protocol: unknown): boolean {
  return typeof protocol === "string" && Object.hasOwn(PROTOCOLS, protocol);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
