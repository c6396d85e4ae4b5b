/**
 * Names of a link's parameters that were meant to be others. A requirement that is misspelt would
 * otherwise be no requirement, and everything would meet it.
 */
import { type ParameterName, PARAMETERS } from "./acceptance.ts";

/** What the name of a parameter is; `meant` is the name that it comes near. */
type ParameterKind =
  | { kind: "requirement"; meant: ParameterName }
  | { kind: "known" }
  | { kind: "near-requirement"; meant: ParameterName }
  | { kind: "near-known"; meant: string }
  | { kind: "unrelated" };

/** The shortest beginning of a requirement's name that is taken for it: `iss`, `sha`. */
const SHORTEST = 3;

/**
 * Tells what a parameter's name is.
 *
 * @param others the names besides requirements that the address takes.
 */
export function parameterKind(name: string, others: readonly string[]): ParameterKind {
  const requirement = PARAMETERS.find((known) => known === name);
  if (requirement !== undefined) return { kind: "requirement", meant: requirement };
  if (others.includes(name)) return { kind: "known" };
  if (name.startsWith("utm_")) return { kind: "unrelated" };
  const plain = plainName(name);
  // Another known name in other letters is that one, even where a requirement's name is near.
  const same = others.find((known) => plainName(known) === plain);
  if (same !== undefined) return { kind: "near-known", meant: same };
  const meant = PARAMETERS.find((known) => comesNear(plain, known));
  if (meant !== undefined) return { kind: "near-requirement", meant };
  const other = others.find((known) => known.length > 3 && isOneEdit(plain, plainName(known)));
  return other === undefined ? { kind: "unrelated" } : { kind: "near-known", meant: other };
}

/** Letters and digits alone, in small letters, without the rest of an `&amp;` and what follows `=`. */
function plainName(name: string): string {
  // A name that was escaped once too often is still a name: `%69ssuer`.
  return unescaped(unescaped(name)).normalize("NFKD").toLowerCase().split("=", 1)[0]!
    .replace(/^[\s&?;]*(?:amp;)*/, "").replace(/[^\p{L}\p{N}]/gu, "");
}

/** Times that a value is unpacked when it is looked through: links are escaped twice by mistake. */
const ESCAPED = 3;

/** A name before `=`, wherever in a text; and one that a separator of parameters stands before. */
const NAMED = /([^?&;,=\s]+)\s*=/g;
const SEPARATED = /[?&;](?:amp;)*\s*([^?&;,=\s]+)\s*=/g;

/**
 * A requirement that slipped into the value of another parameter: `v=2?issuer=…`,
 * `style=flat;replayed=all`, `theme=dark%26issuer%3D…`. It would be none, and everything would meet it.
 *
 * @param freeText the value may be any text: only what a separator stands before is a slip.
 * @returns the name, as it stands there; null: there is none.
 */
export function requirementWithin(value: string, { freeText = false } = {}): string | null {
  let text = value;
  for (let round = 0; round < ESCAPED; round++) {
    const found = requirementNamed(text, freeText ? SEPARATED : NAMED);
    if (found !== null) return found;
    const unpacked = unescaped(text);
    if (unpacked === text) return null;
    text = unpacked;
  }
  return null;
}

function requirementNamed(text: string, pattern: RegExp): string | null {
  for (const [, name = ""] of text.normalize("NFKD").matchAll(pattern)) {
    if (/requirement$/.test(parameterKind(name, []).kind)) return name;
  }
  return null;
}

function unescaped(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

/**
 * The same of a URL as a parameter's value. A URL may have a query of its own, with any names in it;
 * but then it is escaped as a whole, and its query begins with a question mark.
 *
 * @param raw the value as it stands in the address, escaped or not.
 */
export function requirementBehindUrl(raw: string): string | null {
  const [beforeQuery = ""] = unescaped(raw).split("?", 1);
  return requirementNamed(beforeQuery, SEPARATED) ?? requirementNamed(raw, SEPARATED);
}

function comesNear(plain: string, known: string): boolean {
  if (isOneEdit(plain, known)) return true;
  if (plain.length >= SHORTEST && known.startsWith(plain)) return true;
  // The head was lost: `suer`, `ssion`.
  if (plain.length >= known.length - 2 && known.endsWith(plain)) return true;
  // The digits are others: `sha512`.
  if (plain.replace(/\d/g, "") === known.replace(/\d/g, "")) return true;
  // `session-id`, `doc_sha256`; `policies`, `replaying`.
  if (plain.includes(known)) return true;
  return plain.startsWith(known.slice(0, Math.max(4, known.length - 2)));
}

/** Whether two names differ by one character more, less or other, by two that changed places, or not. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  const restA = a.slice(start);
  const restB = b.slice(start);
  if (restA.slice(1) === restB.slice(1)) return true;
  if (restA.slice(1) === restB || restA === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
