/**
 * Shapes of signed documents: limits measured as the specification measures them, and what is wrong
 * with a shape in words of our own, without a stranger's text in them. Source: protocols spec 13, 16.
 */
import { z } from "zod";
import type { ReasonCode } from "./codes.ts";
import { pathOf, type Reason, reason } from "./reason.ts";

/**
 * A string of `least` to `most` UTF-16 code units. The schema library's own `max` counts code points,
 * of which an emoji has one and the specification counts two.
 */
export function text(most: number, least = 0) {
  const range = least === 0 ? `at most ${most}` : `${least} to ${most}`;
  return z.string().refine(
    ({ length }) => length >= least && length <= most,
    `${range} UTF-16 units are allowed here`,
  );
}

/** A string of a form; `form` says in words which. */
export function formed(pattern: RegExp, form: string) {
  return z.string().refine((value) => pattern.test(value), `${form} is expected here`);
}

/** A failed shape as a reason: the first offending member, what it should be, and what it is. */
export function shapeReason(
  error: z.ZodError,
  code: ReasonCode,
  path: string,
  value: unknown,
): Reason {
  const fault = shapeFault(error, path, value);
  return reason(code, fault.message, fault.path);
}

/** What is wrong with the shape of `value`, which stands at `path`, and where. */
export function shapeFault(
  error: z.ZodError,
  path: string,
  value: unknown,
): { message: string; path: string } {
  const issue = error.issues[0]!;
  const at = membersOf(issue).reduce<string>((base, member) => pathOf(base, member), path);
  return { message: sentenceOf(issue, value), path: at };
}

/** What a value's shape should be at the place of an issue, and what stands there, in our own words. */
export function sentenceOf(issue: Issue, value: unknown): string {
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => JSON.stringify(key.slice(0, 80))).join(", ");
    return `no member ${names} is known here`;
  }
  return `${expectation(issue)}, and ${found(value, membersOf(issue))} was found`;
}

function membersOf({ path }: Issue): (string | number)[] {
  return path.map((member) => typeof member === "symbol" ? String(member) : member);
}

/**
 * A failed shape of a signed body, `payload-malformed`; where another kind of document stands under
 * the protocol of `kind`, the message says so.
 */
export function bodyReason(
  error: z.ZodError,
  body: unknown,
  kind: "receipt" | "admission",
  path: string,
): Reason {
  const said = typeof body === "object" && body !== null ? (body as { kind?: unknown }).kind : null;
  if (typeof said === "string" && said !== kind && KINDS.has(said)) {
    const message = `this is ${KINDS.get(said)} under the protocol of ${KINDS.get(kind)}`;
    return reason("payload-malformed", message, pathOf(path, "kind"));
  }
  return shapeReason(error, "payload-malformed", path, body);
}

/** What the member `kind` of a signed body may say. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["receipt", "a receipt"],
  ["admission", "an admission"],
  ["badge", "a dossier"],
  ["challenge", "a challenge"],
]);

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

type Issue = z.ZodError["issues"][number];

/** What should stand there, as the first half of a sentence. */
function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `${TYPES[issue.expected] ?? "another type"} is expected here`;
    case "invalid_value":
      return `${issue.values.map((one) => JSON.stringify(one)).join(" or ")} is expected here`;
    case "too_small":
      return `at least ${issue.minimum}${ofWhat(issue.origin)} expected here`;
    case "too_big":
      return `at most ${issue.maximum}${ofWhat(issue.origin)} allowed here`;
    case "custom":
    case "invalid_format":
      // These are written by hand beside each pattern.
      return issue.message;
    default:
      return "another value is expected here";
  }
}

function ofWhat(origin: string): string {
  return origin === "array" ? " entries are" : " is";
}

/** What stands there; texts are not repeated, since nobody has signed them yet. */
function found(value: unknown, members: readonly (string | number)[]): string {
  let at = value;
  for (const member of members) {
    const holder = at as Record<string | number, unknown>;
    at = typeof at === "object" && at !== null && Object.hasOwn(at, member)
      ? holder[member]
      : undefined;
  }
  return describe(at);
}

/** A JSON value in a few words, without its text. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  switch (typeof value) {
    case "string":
      return `a string of ${value.length} UTF-16 units`;
    case "number":
      return `the number ${value}`;
    case "boolean":
      return `${value}`;
    default:
      return "an object";
  }
}
