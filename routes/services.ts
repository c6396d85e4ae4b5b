/** What the routes need, put together once by {@link ./app.ts}. */
import type { Results } from "../lib/store/results.ts";
import type { Verifier } from "../lib/verify/verify.ts";
import type { Samples } from "./samples.ts";

export interface Services {
  /** Stored results, the samples among them. */
  results: Results;
  samples: Samples;
  verifier: Verifier;
  /** See {@link ../config.ts}. */
  publicUrl: string | null;
}
