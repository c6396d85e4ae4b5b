/**
 * Which evaluator decides. A suite pins an evaluator by hash; ALGAL's official module decides
 * whenever it is installed, with our own as a cross-check, and our own decides alone otherwise.
 */
import { once } from "../async/once.ts";
import { CodedError } from "../base/coded_error.ts";
import {
  type EvalResponse,
  type Evaluator,
  EvaluatorError,
  type EvaluatorErrorCode,
  type Json,
  loadEvaluator,
} from "./module.ts";

/** Both answers of a disagreement, for the operator's log. */
export interface Disagreement {
  program: Json;
  env: { [name: string]: Json };
  fuel: number | undefined;
  official: EvalResponse;
  own: EvalResponse;
}

/** Where modules come from, and what they must hash to (SHA-256, lower-case hex). */
export interface EvaluatorSource {
  own: () => Promise<Uint8Array>;
  /** Null when the official module is not installed. */
  official: () => Promise<Uint8Array | null>;
  /** `official`: never let our own module decide in place of an absent official one. */
  mode: "auto" | "official";
  ownPin: string;
  officialPin: string;
  /** Called before the evaluation fails with `evaluator-disagreement`. */
  onDisagreement?: (details: Disagreement) => void;
}

/** Which evaluator a report names: the suite's pin, the module that decides, and if it is ALGAL's. */
export interface EvaluatorUse {
  pinned: string;
  used: string;
  official: boolean;
}

/** Runs reference programs. Every method rejects with {@link EvaluatorUnavailable} only. */
export interface References {
  /**
   * Runs `program` for a suite that pins `pinned`. The house suite (`pinned` is our own hash) always
   * runs our own module. For the official pin, the official module decides when present and ours
   * must give the same value, error and fuel.
   */
  evaluate(
    pinned: string,
    program: Json,
    env: { [name: string]: Json },
    fuel?: number,
  ): Promise<EvalResponse>;
  /** Which evaluator `evaluate` would use. */
  use(pinned: string): Promise<EvaluatorUse>;
}

/** Stable codes of {@link EvaluatorUnavailable}. */
type EvaluatorUnavailableCode =
  | "evaluator-missing"
  | "evaluator-disagreement"
  | "evaluator-unknown"
  | "evaluator-unreadable"
  | EvaluatorErrorCode;

/**
 * No trustworthy reference answer can be had: the module is missing, corrupt, failing, unknown or
 * contradicted. It says something about an evaluator, never about a document: such a check ends
 * with outcome null.
 */
export class EvaluatorUnavailable extends CodedError<EvaluatorUnavailableCode> {}

/** Makes the two-evaluator policy. Nothing is read or compiled before the first use. */
export function createReferences(source: EvaluatorSource): References {
  const own = once(async () => await loadEvaluator(await source.own(), source.ownPin));
  const official = once(async () => {
    const bytes = await source.official();
    return bytes === null ? null : await loadEvaluator(bytes, source.officialPin);
  });

  /** The deciding evaluator, and the one that has to agree with it. */
  async function select(pinned: string): Promise<{ decides: Evaluator; checks: Evaluator | null }> {
    if (pinned === source.ownPin) return { decides: await own(), checks: null };
    if (pinned !== source.officialPin) {
      throw new EvaluatorUnavailable("evaluator-unknown", `no evaluator is known for ${pinned}`);
    }
    const decides = await official();
    if (decides !== null) return { decides, checks: await own() };
    if (source.mode === "official") {
      throw new EvaluatorUnavailable(
        "evaluator-missing",
        `the official evaluator ${pinned} is required but not installed`,
      );
    }
    return { decides: await own(), checks: null };
  }

  return {
    evaluate: (pinned, program, env, fuel) =>
      unavailable(async () => {
        const { decides, checks } = await select(pinned);
        const response = decides.evaluate(program, env, fuel);
        if (checks !== null) {
          const second = checks.evaluate(program, env, fuel);
          if (!sameResponse(response, second)) {
            source.onDisagreement?.({ program, env, fuel, official: response, own: second });
            throw new EvaluatorUnavailable(
              "evaluator-disagreement",
              "the official evaluator and our own give different responses",
            );
          }
        }
        return response;
      }),
    use: (pinned) =>
      unavailable(async () => {
        const { decides } = await select(pinned);
        // The house suite is never official, even if a test pins both roles to one module.
        const isOfficial = pinned !== source.ownPin && decides.sha256 === source.officialPin;
        return { pinned, used: decides.sha256, official: isOfficial };
      }),
  };
}

/** Canonical responses parse to the same member order, so equal responses have equal JSON text. */
function sameResponse(a: EvalResponse, b: EvalResponse): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function unavailable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof EvaluatorUnavailable) throw error;
    if (error instanceof EvaluatorError) {
      throw new EvaluatorUnavailable(error.code, error.message, { cause: error });
    }
    throw new EvaluatorUnavailable("evaluator-unreadable", "the evaluator could not be read", {
      cause: error,
    });
  }
}
