/**
 * `samples`: writes the sample documents of the start page anew, and their badges for the README.
 */
import { badgeOf } from "../lib/badge/model.ts";
import { renderSvg } from "../lib/badge/svg.ts";
import { mintSamples, SAMPLES } from "../lib/issuer/samples.ts";
import { verifyDocument } from "../lib/verify/verify.ts";
import { trust } from "../service/trust.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import type { Io } from "./io.ts";
import { readArgs, UsageError } from "./usage.ts";

const HELP = `Usage: deno task samples

Mints the documents in samples/ again and draws their badges. They change only with the house suite's
prompts or evaluator, or with the look of a badge.
`;

/** Where a file of the samples is. */
export function sampleFile(file: string): URL {
  return new URL(`../samples/${file}`, import.meta.url);
}

/** The content of every file in samples/, by its name. */
export async function sampleFiles(log: (line: string) => void): Promise<[string, string][]> {
  const verifier = createVerifyContext("auto", log);
  const samples = await mintSamples(verifier.references);
  const files: [string, string][] = [];
  for (const name of SAMPLES) {
    const badge = badgeOf(await verifyDocument(samples[name], verifier), { trust: trust() });
    files.push([`${name}.json`, JSON.stringify(samples[name], null, 2) + "\n"]);
    files.push([`${name}.svg`, await renderSvg(badge)]);
  }
  return files;
}

/** The command `samples`. */
export async function run(args: string[], io: Io): Promise<number> {
  const { values, positionals } = readArgs(args, {});
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  if (positionals.length > 0) throw new UsageError("no arguments are taken");
  await Deno.mkdir(sampleFile("."), { recursive: true });
  for (const [file, text] of await sampleFiles((line) => io.err(`${line}\n`))) {
    await Deno.writeTextFile(sampleFile(file), text);
    io.out(`samples/${file}\n`);
  }
  return 0;
}
