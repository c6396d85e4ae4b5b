/**
 * `instances` and `instance`: what a checker regenerates, for anyone to inspect.
 */
import { z } from "zod";
import { decodeUtf8, parseJson } from "../lib/encoding/json.ts";
import { EvaluatorUnavailable, type References } from "../lib/evaluator/reference.ts";
import { BudgetExceeded, createBudget } from "../lib/suites/budget.ts";
import { regenerate } from "../lib/suites/generate.ts";
import { GenerationError } from "../lib/suites/instance.ts";
import { HOUSE_PHRASES } from "../lib/suites/house.ts";
import type { Part, PhrasePins } from "../lib/suites/prompt.ts";
import { mixSeed } from "../lib/suites/rng.ts";
import { answerFormat, canonicalAnswer } from "../lib/suites/scoring.ts";
import { readEvaluatorMode } from "../service/config.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import type { Io } from "./io.ts";
import { readArgs, UNUSABLE, UsageError } from "./usage.ts";

const INSTANCES_HELP = `Usage: deno task instances < REQUESTS

Reads JSON lines {"suite", "family", "tier", "seed", "label"?} from standard input and writes, for
each, {"parts": [{"text"} | {"phrase"} …], "answer", "expected"}: what a checker regenerates. A
label makes it the held-out instance. What can't be regenerated gives {"error": CODE}.
`;

const INSTANCE_HELP = `Usage: deno task instance SUITE FAMILY TIER SEED [--label LABEL]

Prints one puzzle as a checker regenerates it. Phrases that Touchstone pins instead of carrying are
shown by name, length and hash.

Example: deno task instance clankdar-algal-v1 algal 1 1
`;

const requestSchema = z.object({
  suite: z.string(),
  family: z.string(),
  tier: z.int(),
  seed: z.number(),
  label: z.string().optional(),
});

type Request = z.infer<typeof requestSchema>;
type Answer =
  | { parts: Part[]; answer: string; expected: string | null; pins: PhrasePins }
  | { error: string };

/** What one request may cost; see `Budget`. */
const REQUEST_STEPS = 100_000_000;

/** Regenerates one instance, or says with a stable code why not. */
export async function instanceOf(request: Request, references: References): Promise<Answer> {
  const { suite, family, tier, seed, label } = request;
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffff_ffff) {
    return { error: "seed-out-of-range" };
  }
  try {
    const mixed = label === undefined ? seed : mixSeed(label, seed);
    const budget = createBudget(REQUEST_STEPS);
    const instance = await regenerate(suite, family, tier, mixed, references, budget);
    return { ...instance, expected: canonicalAnswer(instance.answer, answerFormat(family)) };
  } catch (error) {
    if (
      error instanceof GenerationError || error instanceof EvaluatorUnavailable ||
      error instanceof BudgetExceeded
    ) {
      return { error: error.code };
    }
    throw error;
  }
}

/** The command `instances`. */
export async function run(args: string[], io: Io): Promise<number> {
  if (readArgs(args, {}).values.help) {
    io.out(INSTANCES_HELP);
    return 0;
  }
  const { references } = createVerifyContext(readEvaluatorMode(Deno.env.get), io.err);
  const text = decodeUtf8(await io.stdin());
  if (text === null) throw new UsageError("the requests are not UTF-8");
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const { pins: _, ...answer } = { pins: null, ...await answerLine(line, references) };
    io.out(JSON.stringify(answer) + "\n");
  }
  return 0;
}

async function answerLine(line: string, references: References): Promise<Answer> {
  const parsed = parseJson(line);
  if (!parsed.ok) return { error: "request-not-json" };
  const request = requestSchema.safeParse(parsed.value);
  if (!request.success) return { error: "request-malformed" };
  return await instanceOf(request.data, references);
}

/** The command `instance`. */
export async function runOne(args: string[], io: Io): Promise<number> {
  const { values, positionals } = readArgs(args, { label: { type: "string" } });
  if (values.help) {
    io.out(INSTANCE_HELP);
    return 0;
  }
  const [suite, family, tier, seed] = positionals;
  if (positionals.length !== 4 || !/^[0-9]+$/.test(tier!) || !/^[0-9]+$/.test(seed!)) {
    throw new UsageError("SUITE FAMILY TIER SEED are needed, the last two as whole numbers");
  }
  const request = {
    suite: suite!,
    family: family!,
    tier: Number(tier),
    seed: Number(seed),
    label: values.label,
  };
  const { references } = createVerifyContext(readEvaluatorMode(Deno.env.get), io.err);
  const instance = await instanceOf(request, references);
  if ("error" in instance) {
    io.err(`${instance.error}: ${suite} ${family}:t${tier} seed ${seed} can't be regenerated\n`);
    return UNUSABLE;
  }
  io.out(`${suite} · ${family}:t${tier} · seed ${seed}${values.label ? " · held out" : ""}\n\n`);
  io.out(instance.parts.map((part) => showPart(part, instance.pins)).join("") + "\n\n");
  io.out(`answer:   ${instance.answer}\nexpected: ${instance.expected}\n`);
  return 0;
}

function showPart(part: Part, pins: PhrasePins): string {
  if ("text" in part) return part.text;
  const text = HOUSE_PHRASES[part.phrase];
  if (text !== undefined) return text;
  const { chars, sha256 } = pins[part.phrase]!;
  return `⟦phrase ${part.phrase}: ${chars} characters, SHA-256 ${sha256}⟧`;
}
