/**
 * Reading test vectors. Numbers and hashes are in `tests/vectors/` and always tested. Documents and
 * prompt texts that others wrote are outside of the repository, in the folder that CONFORMANCE_DIR names.
 */

/** The folder with the documents of others; undefined: the tests that need it are skipped. */
export const conformanceDir = Deno.env.get("CONFORMANCE_DIR");

/** A test that needs the documents of others; its name says so when it is skipped. */
export function conformanceTest(name: string, fn: () => void | Promise<void>): void {
  const ignore = conformanceDir === undefined;
  Deno.test({ name: ignore ? `${name} (skipped: CONFORMANCE_DIR is not set)` : name, ignore, fn });
}

/** One parsed value for each line of a file in `tests/vectors/`. */
export function readVectors<T>(name: string): T[] {
  return parseLines(Deno.readTextFileSync(new URL(`../vectors/${name}`, import.meta.url)));
}

/** One parsed value for each line of a file, by its path within {@link conformanceDir}. */
export function readJsonLines<T>(path: string): T[] {
  return parseLines(Deno.readTextFileSync(`${conformanceDir}/${path}`));
}

function parseLines<T>(text: string): T[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

/** A string, or how to build a long one. */
export type Described = string | { repeat: [string, number] } | { concat: Described[] };

/** Builds the string that a vector describes. */
export function expand(described: Described): string {
  if (typeof described === "string") return described;
  if ("repeat" in described) return described.repeat[0].repeat(described.repeat[1]);
  return described.concat.map(expand).join("");
}
