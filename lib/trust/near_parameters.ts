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
  return name.normalize("NFKD").toLowerCase().split("=", 1)[0]!
    .replace(/^[\s&?;]*(?:amp;)*/, "").replace(/[^\p{L}\p{N}]/gu, "");
}

function comesNear(plain: string, known: string): boolean {
  if (isOneEdit(plain, known)) return true;
  if (plain.length >= SHORTEST && known.startsWith(plain)) return true;
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
