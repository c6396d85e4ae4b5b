/** Reading the test vectors of spec/rng-and-scoring.md, section 8. */

/** The folder that holds the vectors, or undefined: then the conformance tests are skipped. */
export const conformanceDir = Deno.env.get("CONFORMANCE_DIR");

/** A test that needs the vectors; its name says so when it is skipped for want of them. */
export function conformanceTest(name: string, fn: () => void | Promise<void>): void {
  const ignore = conformanceDir === undefined;
  Deno.test({ name: ignore ? `${name} (skipped: CONFORMANCE_DIR is not set)` : name, ignore, fn });
}

/** One parsed value for each line of a file, by its path within the folder. */
export function readJsonLines<T>(path: string): T[] {
  const text = Deno.readTextFileSync(`${conformanceDir}/${path}`);
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
