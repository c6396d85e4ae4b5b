/**
 * The checks of a single result row. Source: runs spec 2, numbers 5 to 13.
 */
import { hasCell, suiteOf } from "../../suites/suites.ts";
import { answerFormat, canonicalAnswer } from "../../suites/scoring.ts";
import type { ReasonCode } from "../codes.ts";
import { type Reason, reason } from "../reason.ts";
import { describe } from "../shape.ts";
import { type Manifest, type Row, RUN_LIMITS } from "./format.ts";

/** An object as JSON.parse makes it, of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Suites whose cells a run without a manifest may have rows of. */
const LEGACY_SUITES = ["clankdar-suite-v2", "clankdar-frontier-v1", "clankdar-agent-v1"];

const BOUND = ["runId", "suiteHash", "suiteVersion", "scorerVersion"] as const;
const STRINGS = ["adapter", "family", "prompt", "expected", "response"] as const;

/**
 * Why `row` is no row of the run, or null when it is one: then it is a {@link Row}.
 *
 * @param manifest null for a run without one.
 * @param path where the row stands, for the reason.
 */
export function faultOfRow(row: Members, manifest: Manifest | null, path: string): Reason | null {
  return faultOfBinding(row, manifest, path) ?? faultOfFields(row, manifest, path) ??
    faultOfDetail(row.detail, `${path}.detail`);
}

function faultOfBinding(row: Members, manifest: Manifest | null, path: string): Reason | null {
  if (manifest === null) {
    return row.type === "result"
      ? reason("result-without-manifest", "a row of type result needs a manifest", `${path}.type`)
      : null;
  }
  for (const member of BOUND) {
    if (row[member] !== manifest[member]) {
      const message = `the row's ${member} is not that of the manifest`;
      return reason("result-binding", message, `${path}.${member}`);
    }
  }
  return row.type === "result" && row.schemaVersion === 2
    ? null
    : reason("result-schema", "a row has type result and schemaVersion 2", path);
}

function faultOfFields(row: Members, manifest: Manifest | null, path: string): Reason | null {
  const fault = (code: ReasonCode, message: string, member: string) =>
    reason(code, `${message}, and ${describe(row[member])} was found`, `${path}.${member}`);

  for (const member of STRINGS) {
    if (!isText(row[member], 0, RUN_LIMITS.text)) {
      const message = `${member} is a string of at most ${RUN_LIMITS.text} characters`;
      return fault("result-field", message, member);
    }
  }
  const { adapter, family, tier, seed, prompt, expected, error } = row as unknown as Row;
  if (!isText(adapter, 1, RUN_LIMITS.adapter) || hasControl(adapter)) {
    const message = `an adapter has 1 to ${RUN_LIMITS.adapter} characters, none a control`;
    return fault("adapter-label", message, "adapter");
  }
  if (!isWithin(seed, 0, 0xffffffff)) {
    return fault("instance-id", "a seed is an integer in 0 … 4294967295", "seed");
  }
  if (!isCell(family, tier, manifest)) {
    return fault("instance-id", "there is no such family and tier in the suite", "tier");
  }
  if (typeof row.pass !== "boolean") {
    return fault("verdict", "pass is true or false", "pass");
  }
  if (typeof row.latencyMs !== "number" || !Number.isFinite(row.latencyMs) || row.latencyMs < 0) {
    return fault("verdict", "latencyMs is a number, not negative", "latencyMs");
  }
  if (error !== undefined && (!isText(error, 1, Infinity) || row.pass)) {
    const message = "an error is a non-empty string, and its row no pass";
    return fault("error-field", message, "error");
  }
  if (error === undefined && prompt === "") {
    return fault("ground-truth", "a row without error has a prompt", "prompt");
  }
  if (error === undefined && canonicalAnswer(expected, answerFormat(family)) === null) {
    return fault("ground-truth", "the expected answer is none in the family's format", "expected");
  }
  for (const member of ["truncated", "refused"]) {
    if (!isOptional("boolean", row[member])) {
      return fault("flag", `${member} is true or false`, member);
    }
  }
  return null;
}

function faultOfDetail(detail: unknown, path: string): Reason | null {
  if (detail === undefined) return null;
  const fault = (code: ReasonCode, message: string, value: unknown, at: string) =>
    reason(code, `${message}, and ${describe(value)} was found`, at);
  if (!isObject(detail)) return fault("not-object", "detail is an object", detail, path);
  const { transcript, toolCalls, turns, episodeError } = detail;

  if (transcript !== undefined) {
    const at = `${path}.transcript`;
    if (!Array.isArray(transcript) || transcript.length > RUN_LIMITS.turns) {
      const message = `a transcript is a list of at most ${RUN_LIMITS.turns} entries`;
      return fault("transcript", message, transcript, at);
    }
    for (const [index, entry] of transcript.entries()) {
      if (!isObject(entry)) {
        return fault("not-object", "a transcript entry is an object", entry, `${at}[${index}]`);
      }
      const wrong = wrongInEntry(entry);
      if (wrong !== null) {
        const [member, message] = wrong;
        return fault("transcript", message, entry[member], `${at}[${index}].${member}`);
      }
    }
  }
  for (const [member, count] of Object.entries({ toolCalls, turns })) {
    if (count !== undefined && !isWithin(count, 0, RUN_LIMITS.turns)) {
      const message = `${member} is an integer in 0 … ${RUN_LIMITS.turns}`;
      return fault("episode-field", message, count, `${path}.${member}`);
    }
  }
  if (episodeError === undefined || isText(episodeError, 0, RUN_LIMITS.name)) return null;
  const message = `episodeError is a string of at most ${RUN_LIMITS.name} characters`;
  return fault("episode-field", message, episodeError, `${path}.episodeError`);
}

/** The member of a transcript's entry that breaks the format, and what it should be; null: none. */
function wrongInEntry(entry: Members): [member: string, message: string] | null {
  const { turn, role, text, tool, ok } = entry;
  if (!isWithin(turn, 0, RUN_LIMITS.turns)) {
    return ["turn", `a turn is an integer in 0 … ${RUN_LIMITS.turns}`];
  }
  if (role !== "model" && role !== "tool") return ["role", "a role is model or tool"];
  if (!isText(text, 0, RUN_LIMITS.entry)) {
    return ["text", `an entry's text is a string of at most ${RUN_LIMITS.entry} characters`];
  }
  if (tool !== undefined && !isText(tool, 1, RUN_LIMITS.name)) {
    return ["tool", `a tool's name is a string of 1 to ${RUN_LIMITS.name} characters`];
  }
  return isOptional("boolean", ok) ? null : ["ok", "ok is true or false"];
}

function isCell(family: string, tier: number, manifest: Manifest | null): boolean {
  const versions = manifest === null ? LEGACY_SUITES : [manifest.suiteVersion];
  return versions.some((version) => hasCell(suiteOf(version)!, family, tier));
}

function isText(value: unknown, min: number, max: number): value is string {
  return typeof value === "string" && value.length >= min && value.length <= max;
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

function isOptional(type: "boolean", value: unknown): boolean {
  return value === undefined || typeof value === type;
}

function hasControl(text: string): boolean {
  return Array.from(text).some((char) => char < " " || char === "\u007f");
}
