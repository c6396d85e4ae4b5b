/**
 * `verify`: a readable report a document, or the report JSON.
 */
import { LIMITS } from "../lib/protocol/limits.ts";
import { parsePool, type Pool } from "../lib/protocol/pool.ts";
import { reason } from "../lib/protocol/reason.ts";
import {
  PARAMETERS,
  readRequirements,
  type Requirements,
  withAcceptance,
} from "../lib/trust/acceptance.ts";
import { FetchError } from "../lib/fetch/error.ts";
import { redactUrl } from "../lib/fetch/redact.ts";
import { MAX_POOLS, readInput, unreadReport, verifyInput } from "../lib/verify/input.ts";
import { emptyReport, type Report } from "../lib/verify/report.ts";
import type { VerifyContext } from "../lib/verify/context.ts";
import { exitStatusOf } from "../lib/words/exit.ts";
import { readEvaluatorMode } from "../service/config.ts";
import { registry, trust } from "../service/trust.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import type { Fetched } from "./fetched.ts";
import { type Io, readUpTo } from "./io.ts";
import { callersPath } from "./paths.ts";
import { showReport, showTotals } from "./show_report.ts";
import { readArgs, UsageError } from "./usage.ts";

const HELP = `Usage: deno task verify FILE|URL… [--pool FILE]… [REQUIREMENT]… [--json]

Verifies receipts, admissions and benchmark runs: whether each is whole, whether its puzzles come out
of their seeds again, and whether the answers are right. It shows nothing of who or what solved them.

FILE is a receipt, an admission, a list of them, {"documents": […], "pools": […]}, JSON lines, a
benchmark run, an answer of a service that holds such documents, or gzip of any of these; - is standard
input. A file is looked for in the folder from which you call, and every report names the file.
URL begins with https:// and leads to such a file, of at most 4 MiB; pages of files on GitHub, GitLab
and Hugging Face will do.

  --pool FILE    a disclosed pool to replay held-out puzzles with (repeatable)
  --allow-host HOST:PORT  a host that may be asked by http, on any port and at an address that isn't
                 public: a server of your own (repeatable)
  --allow-unsigned  let a benchmark run, which nobody signs, give exit status 0
  --json         the reports as a JSON array, one a document; "source" names the file or URL

Requirements; a document that doesn't meet one is not accepted, and its outcome stays what it is:
  --issuer KEY      who must have signed: a whole public key (43 characters), or the name or key id
                    of an issuer in issuers.json (repeatable: one of them). A revoked key never counts
  --policy POLICY   a name in policies.json, or the SHA-256 of a policy's canonical JSON
  --context TEXT    the context that it must have
  --session ID      the session that it must belong to
  --replayed all    every answer was replayed, and there is one at least
  --maxage 30d      decided at most so long ago (s, m, h, d, w), and not in the future; of a receipt
                    that stands alone, the time of its answer counts
  --sha256 ID       the id that it must have: 64 lower-case hex digits

Exit status (with several documents, the highest):
  0  verified, every answer replayed, passed, and accepted
  1  whole, but not that: a part is unreplayed, it failed, its issuer's key is revoked, it is not
     accepted, or it is a benchmark run without --allow-unsigned
  2  invalid, or of a suite or a protocol that this version doesn't know
  3  not a receipt, nothing to verify, a file that can't be read, or a check that wasn't finished
`;

/** Bounds on what is read: a command may take more than a request. */
const INPUT_LIMITS = { bytes: 64 * 1024 * 1024, documents: 100_000 };

/** The largest run of the costliest cell stays far below this; see `Budget`. */
const STEPS = 1e12;

/** Width of the progress bar, in characters. */
const BAR = 40;

/** The command `verify`. */
export async function run(args: string[], io: Io): Promise<number> {
  const { values, positionals } = readArgs(args, {
    pool: { type: "string", multiple: true },
    issuer: { type: "string", multiple: true },
    policy: { type: "string", multiple: true },
    context: { type: "string", multiple: true },
    session: { type: "string", multiple: true },
    replayed: { type: "string", multiple: true },
    maxage: { type: "string", multiple: true },
    sha256: { type: "string", multiple: true },
    "allow-host": { type: "string", multiple: true },
    "allow-unsigned": { type: "boolean" },
    json: { type: "boolean" },
  });
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  if (positionals.length === 0) throw new UsageError("name a file or URL, or - for standard input");
  const requirements = requirementsOf(values);
  const pools: Pool[] = [];
  for (const file of values.pool ?? []) pools.push(await readPoolFile(file, io));
  if (pools.length > MAX_POOLS) throw new UsageError(`at most ${MAX_POOLS} pools can be used`);

  const fetchFile = await fetcher(positionals, values["allow-host"] ?? []);
  const log = (line: string) => io.err(`${line}\n`);
  const verifier = { ...createVerifyContext(readEvaluatorMode(Deno.env.get), log), steps: STEPS };
  const reports: SourcedReport[] = [];
  let status = 0;
  for (const named of positionals) {
    const file = isUrl(named) || named === "-" ? named : callersPath(named);
    const bar = io.terminal ? progress(io) : undefined;
    const read = (limit: number) => isUrl(file) ? fetchFile(file) : readFile(file, io, limit);
    const found = await verifySource(read, pools, verifier, bar);
    const now = Date.now();
    for (const report of found.map((one) => withAcceptance(one, requirements, now))) {
      const sourced = { source: nameOf(file), ...report };
      status = Math.max(
        status,
        exitStatusOf(report, { allowUnsigned: values["allow-unsigned"] ?? false }),
      );
      reports.push(sourced);
      if (values.json) continue;
      const asked = requirements && { requirements, now };
      io.out(showReport(sourced, { colour: io.terminal, asked, trust: trust(), now }));
    }
  }
  if (values.json) io.out(JSON.stringify(reports, null, 2) + "\n");
  else if (reports.length > 1) io.out(showTotals(reports));
  return status;
}

/** A report and the file or URL that its document came from. */
export type SourcedReport = Report & { source: string };

/** The requirements among the options. @throws {UsageError} naming the option at fault. */
function requirementsOf(
  values: { readonly [name in typeof PARAMETERS[number]]?: string[] | undefined },
): Requirements | null {
  const given = Object.fromEntries(PARAMETERS.map((name) => [name, values[name] ?? []]));
  const read = readRequirements(given, registry());
  if (read.ok) return read.requirements;
  const { code, parameter, message } = read.error;
  throw new UsageError(`--${parameter}: ${code}: ${message}`);
}

/** What a file or a URL gave. */
type Source = Pick<Fetched, "bytes"> & Partial<Fetched>;

/** The reports on a source; one that can't be read as a whole gives a report that says why. */
async function verifySource(
  read: (limit: number) => Promise<Uint8Array | Source>,
  pools: readonly Pool[],
  verifier: VerifyContext,
  onProgress?: (done: number, total: number) => void,
): Promise<Report[]> {
  let source: Source;
  try {
    const given = await read(INPUT_LIMITS.bytes);
    source = given instanceof Uint8Array ? { bytes: given } : given;
  } catch (error) {
    if (error instanceof FetchError) {
      const why = reason(error.code, error.message);
      // A page was reached, and is none; of anything else that failed nothing is known.
      if (error.code !== "fetch-not-json") return [emptyReport("unknown", null, why)];
      return [unreadReport({ reason: why, looksLike: "a web page" })];
    }
    if (!(error instanceof UsageError)) throw error;
    return [emptyReport("unknown", null, reason("file-unreadable", error.message))];
  }
  const input = await readInput(source.bytes, INPUT_LIMITS);
  if (!input.ok) {
    const report = unreadReport(input);
    // A pool that is wrong says nothing of the document.
    return [input.pool ? { ...report, outcome: null } : report];
  }
  const wanted = { ...input.input, pools: [...pools, ...input.input.pools] };
  const reports = await verifyInput(wanted, verifier, { onProgress });
  for (const report of reports) report.observations.push(...source.observe?.(report.id) ?? []);
  return reports;
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** A URL as it may be shown: its query may hold a secret. */
function nameOf(file: string): string {
  return isUrl(file) ? redactUrl(file) : file;
}

/** Fetches the URLs among the arguments, by rules that are loaded only if there is one. */
async function fetcher(
  sources: readonly string[],
  allow: readonly string[],
): Promise<(url: string) => Promise<Fetched>> {
  if (!sources.some(isUrl)) return () => Promise.reject(new Error("there was no URL"));
  const { fetchDocument, rulesFor } = await import("./fetched.ts");
  const rules = rulesFor(allow);
  return (url) => fetchDocument(url, rules);
}

/** Draws a bar that each call moves on; it is gone when the run is through. */
function progress(io: Io): (done: number, total: number) => void {
  let shown = -1;
  return (done, total) => {
    const share = Math.floor(done * BAR / total);
    if (share !== shown) {
      io.err(`\r${"█".repeat(share)}${"░".repeat(BAR - share)} ${done}/${total} rows`);
    }
    shown = share;
    if (done === total) io.err("\r\x1b[K");
  };
}

/** A file's bytes, or what comes in; no more is read than it takes to see that it is too much. */
async function readFile(file: string, io: Io, limit: number): Promise<Uint8Array> {
  if (file === "-") return await io.stdin(limit);
  try {
    return await readUpTo((await Deno.open(file)).readable, limit);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UsageError(`${file}: no such file`);
    if (error instanceof Error) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

async function readPoolFile(named: string, io: Io): Promise<Pool> {
  const file = named === "-" ? named : callersPath(named);
  const bytes = await readFile(file, io, LIMITS.poolBytes);
  if (bytes.length > LIMITS.poolBytes) {
    throw new UsageError(`${file}: pool-too-large: a pool has at most ${LIMITS.poolBytes} bytes`);
  }
  const read = parsePool(bytes);
  if (read.ok) return read.pool;
  const { code, message, path } = read.reason;
  throw new UsageError(`${file}: ${code}: ${message}${path && ` (${path})`}`);
}
