/**
 * `samples`: writes the sample documents of the start page anew.
 */
import { mintSamples, SAMPLES } from "../lib/issuer/samples.ts";
import { createVerifier } from "../verifier.ts";
import type { Io } from "./io.ts";
import { readArgs, UsageError } from "./usage.ts";

const HELP = `Usage: deno task samples

Mints the documents in samples/ again. They change only with the house suite's prompts or evaluator.
`;

/** Where a sample's file is. */
export function sampleFile(name: string): URL {
  return new URL(`../samples/${name}.json`, import.meta.url);
}

/** Every sample's file content by name. */
export async function sampleTexts(log: (line: string) => void): Promise<[string, string][]> {
  const samples = await mintSamples(createVerifier("auto", log).references);
  return SAMPLES.map((name) => [name, JSON.stringify(samples[name], null, 2) + "\n"]);
}

/** The command `samples`. */
export async function run(args: string[], io: Io): Promise<number> {
  const { values, positionals } = readArgs(args, {});
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  if (positionals.length > 0) throw new UsageError("no arguments are taken");
  for (const [name, text] of await sampleTexts((line) => io.err(`${line}\n`))) {
    await Deno.mkdir(new URL("./", sampleFile(name)), { recursive: true });
    await Deno.writeTextFile(sampleFile(name), text);
    io.out(`samples/${name}.json\n`);
  }
  return 0;
}
