/** What the page about the evaluator shows, computed for the page. */
import {
  EvaluatorUnavailable,
  type EvaluatorUse,
  type References,
} from "../../lib/evaluator/reference.ts";
import { workedExample } from "../../lib/evaluator/example.ts";
import { OFFICIAL } from "../../wasm/pins.ts";

/** What was computed, or the code that says why no evaluator was usable. */
export type OrCode<T> = { ok: true; value: T } | { ok: false; code: string };

/** What the page about the evaluator shows. */
export interface EvaluatorView {
  /** Which evaluator decides for Clankdar's suites. */
  use: OrCode<EvaluatorUse>;
  example: OrCode<Awaited<ReturnType<typeof workedExample>>>;
}

/** Finds out which evaluator decides, and runs the worked example. */
export async function evaluatorView(references: References): Promise<EvaluatorView> {
  return {
    use: await orCode(() => references.use(OFFICIAL.sha256)),
    example: await orCode(() => workedExample(references)),
  };
}

async function orCode<T>(compute: () => Promise<T>): Promise<OrCode<T>> {
  try {
    return { ok: true, value: await compute() };
  } catch (error) {
    if (!(error instanceof EvaluatorUnavailable)) throw error;
    return { ok: false, code: error.code };
  }
}
