/** A worker that checks documents; see {@link ./checker.ts}. */
import { serveJobs } from "../lib/workers/serve.ts";
import { createVerifyContext, jobHandler } from "./verify_context.ts";

/** What the worker is told at its start. */
export interface Settings {
  evaluator: "auto" | "official";
}

serveJobs((settings, log) =>
  jobHandler(createVerifyContext((settings as Settings).evaluator, log))
);
