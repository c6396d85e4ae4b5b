/** A worker that checks documents; see {@link ./checker.ts}. */
import { type Job, work } from "../lib/verify/jobs.ts";
import { serveJobs } from "../lib/workers/serve.ts";
import { createVerifier } from "./verify_context.ts";

/** What the worker is told at its start. */
export interface Settings {
  evaluator: "auto" | "official";
}

serveJobs((settings, log) => {
  const verifier = createVerifier((settings as Settings).evaluator, log);
  return (job, client) => work(job as Job, verifier, client);
});
