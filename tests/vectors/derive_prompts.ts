/**
 * Derives prompts.json from the recorded example prompts: for each, the answer, the phrases in it
 * and a hash of the text between them. It knows the pins and the prompts only, never a generator.
 *
 * Run: CONFORMANCE_DIR=… deno run --allow-read --allow-write=tests/vectors --allow-env \
 *        tests/vectors/derive_prompts.ts
 */
import { sha256Hex } from "../../lib/encoding/digest.ts";

interface Example {
  tier: number;
  seed: number;
  prompt: string;
  answer: string;
}

type Pins = Record<string, { chars: number; sha256: string }>;

const folder = Deno.env.get("CONFORMANCE_DIR");
if (folder === undefined) throw new Error("set CONFORMANCE_DIR to the folder with the fixtures");

const rows: string[] = [];
for (const name of [...Deno.readDirSync(`${folder}/fixtures/prompts`)].map((e) => e.name).sort()) {
  const [suite, family] = name.split(".") as [string, string];
  const pins = readPins(family);
  for (const { tier, seed, prompt, answer } of readJson<Example[]>(`fixtures/prompts/${name}`)) {
    const { phrases, between } = cut(prompt, pins);
    const hash = sha256Hex(JSON.stringify(between));
    rows.push(JSON.stringify([suite, family, tier, seed, answer, phrases, hash]));
  }
}
Deno.writeTextFileSync(
  new URL("prompts.json", import.meta.url),
  `[\n${rows.join(",\n")}\n]\n`,
);

/** Cuts every stretch that a pin pins out of the prompt, from the left; longer pins first. */
function cut(prompt: string, pins: Pins): { phrases: string[]; between: string[] } {
  const byLength = Object.entries(pins).sort(([, a], [, b]) => b.chars - a.chars);
  const phrases: string[] = [];
  const between: string[] = [""];
  for (let at = 0; at < prompt.length;) {
    const found = byLength.find(([, pin]) =>
      at + pin.chars <= prompt.length &&
      sha256Hex(prompt.slice(at, at + pin.chars)) === pin.sha256
    );
    if (found === undefined) {
      between.push(between.pop()! + prompt[at]);
      at++;
    } else {
      phrases.push(found[0]);
      between.push("");
      at += found[1].chars;
    }
  }
  return { phrases, between };
}

function readPins(family: string): Pins {
  const path = new URL(`../../docs/specification/phrases/${family}.json`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(path));
}

function readJson<T>(path: string): T {
  return JSON.parse(Deno.readTextFileSync(`${folder}/${path}`)) as T;
}
