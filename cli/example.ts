/**
 * `example`: the language's worked example, computed by the evaluator that is installed.
 */
import { EvaluatorUnavailable, type References } from "../lib/evaluator/reference.ts";
import { workedExample } from "../lib/evaluator/example.ts";
import { readEvaluatorMode } from "../service/config.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import { OFFICIAL, OWN } from "../wasm/pins.ts";
import type { Io } from "./io.ts";
import { readArgs, UNUSABLE, UsageError } from "./usage.ts";

const HELP = `Usage: deno task example [--pinned own|official] [--json]

Evaluates a small ALGAL program and prints program, inputs, answer, fuel and evaluator.

  --pinned own        as a suite of Touchstone would run it (default)
  --pinned official   as a Clankdar suite would run it
  --json              the same as JSON

Exit status: 0 evaluated, 3 the evaluator can't be used.
`;

const PINS = new Map([["own", OWN.sha256], ["official", OFFICIAL.sha256]]);

/** What a test replaces. */
export interface ExampleOptions {
  references?: References;
}

/** The command `example`. */
export async function run(args: string[], io: Io, options: ExampleOptions = {}): Promise<number> {
  const { values, positionals } = readArgs(args, {
    pinned: { type: "string" },
    json: { type: "boolean" },
  });
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  if (positionals.length > 0) throw new UsageError("there is nothing to name");
  const pinned = PINS.get(values.pinned ?? "own");
  if (pinned === undefined) throw new UsageError("--pinned takes own or official");
  const references = options.references ??
    createVerifyContext(readEvaluatorMode(Deno.env.get), (line) => io.err(line + "\n")).references;

  try {
    const example = await workedExample(references, pinned);
    if (values.json) {
      io.out(JSON.stringify(example, null, 2) + "\n");
      return 0;
    }
    const { program, env, response, evaluator } = example;
    const answer = response.ok
      ? JSON.stringify(response.value)
      : `error ${JSON.stringify(response.err)}`;
    io.out(`program    ${JSON.stringify(program)}
inputs     ${JSON.stringify(env)}
answer     ${answer}
fuel       ${response.fuel}
evaluator  ${evaluator.used} (${evaluator.official ? "ALGAL's official" : "Touchstone's own"})
`);
    return 0;
  } catch (error) {
    if (!(error instanceof EvaluatorUnavailable)) throw error;
    io.err(`the evaluator can't be used (${error.code}): ${error.message}\n`);
    return UNUSABLE;
  }
}
