/**
 * `demo`: the whole story of a held-out result, from the issuer's key to the badge, against a server.
 */
import { badgeOf, badgeText } from "../lib/badge/model.ts";
import { createDisclosure } from "../lib/issuer/disclosure.ts";
import { mintAdmission } from "../lib/issuer/mint.ts";
import { toPoolFile } from "../lib/issuer/pool.ts";
import type { Report } from "../lib/verify/report.ts";
import { createApp } from "../routes/app.ts";
import { createServices } from "../service/services.ts";
import {
  poolDryRunSchema,
  poolPublishedSchema,
  resultSchema,
  verificationSchema,
} from "../routes/schemas/index.ts";
import type { VerifyContext } from "../lib/verify/context.ts";
import { inLineChecker } from "../service/checker.ts";
import { trust } from "../service/trust.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import type { Io } from "./io.ts";
import { callersPath } from "./paths.ts";
import { explain } from "./private_file.ts";
import { getJson, getText, postJson, ServerError, serverUrl } from "./remote.ts";
import { showReport } from "./show_report.ts";
import { readArgs, UNUSABLE, UsageError } from "./usage.ts";

const HELP = `Usage: deno task demo [--server URL] [--out DIR]

Plays a held-out result through: an issuer mints an admission under a secret pool, a server verifies
it as far as it can, the pool is published, and the stored result and its badge change by themselves.

  --server URL   a running Touchstone, which keeps the result and the pool for good; by default one is
                 started for the demo alone, with nothing kept
  --out DIR      where the badges, the admission and the pool go, default data/demo

Exit status: 0 if everything came out as told, 1 if not, 3 if the server or DIR can't be used.
`;

const DEFAULT_FOLDER = "data/demo";
const CELLS = ["algal:t1", "algal:t2", "h:algal:t2", "h:algal:t3"];

/** What a step expects and didn't find. */
class UnexpectedResult extends Error {
  override readonly name = "UnexpectedResult";
}

/** The command `demo`. */
export async function run(args: string[], io: Io): Promise<number> {
  const options = { server: { type: "string" }, out: { type: "string" } } as const;
  const { values, positionals } = readArgs(args, options);
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  if (positionals.length > 0) throw new UsageError("no arguments besides options are taken");
  const folder = values.out === undefined ? DEFAULT_FOLDER : callersPath(values.out);
  const verifier = createVerifyContext("auto", (line) => io.err(`${line}\n`));
  await explain(folder, () => Deno.mkdir(folder, { recursive: true }));
  try {
    if (values.server !== undefined) {
      await play(serverUrl(values.server), folder, io, verifier.references);
      return 0;
    }
    await using server = await startServer(verifier, io);
    await play(server.url, folder, io, verifier.references);
    return 0;
  } catch (error) {
    if (error instanceof UnexpectedResult) {
      io.err(`demo: this is not what was to be shown: ${error.message}\n`);
      return 1;
    }
    if (error instanceof ServerError) {
      io.err(`demo: server-unusable: ${error.message}\n`);
      return UNUSABLE;
    }
    throw error;
  }
}

type References = ReturnType<typeof createVerifyContext>["references"];

async function play(server: string, folder: string, io: Io, references: References): Promise<void> {
  const write = async (name: string, text: string) => {
    const path = `${folder}/demo-${name}`;
    await explain(path, () => Deno.writeTextFile(path, text));
    io.out(`   → ${path}\n`);
  };
  const show = (report: Report) => {
    const options = { colour: io.terminal, asked: null, trust: trust(), now: Date.now() };
    io.out("\n" + showReport({ ...report, source: "the server's answer" }, options));
  };

  io.out(
    "1. An issuer makes a key and a secret pool, holds a session of four challenges, two of\n",
  );
  io.out("   them held out, and signs the admission. Three answers are right.\n");
  const { envelope, pool, key } = await mintAdmission({
    cells: CELLS,
    answers: ["right", "wrong", "right", "right"],
    minPass: 3,
    context: "demo",
    references,
  });
  io.out(`   poolKey ${pool!.poolKey}\n`);
  await write("admission.json", JSON.stringify(envelope, null, 2) + "\n");

  io.out(`\n2. The result is shared: POST ${server}/api/results\n`);
  const stored = await postJson(`${server}/api/results`, envelope, resultSchema);
  show(stored.report);
  expect(stored.report, "issuer-claimed", 2);
  io.out(`   Its badge: GET ${server}/badge/${stored.id}.svg\n`);
  await write("before.svg", await getText(`${server}/badge/${stored.id}.svg`));
  io.out(`   ${badgeText(badgeOf(stored.report, { trust: trust() }))}\n`);

  io.out("\n3. Somebody has the pool already, and verifies with it: it is kept nowhere.\n");
  io.out(`   POST ${server}/api/verify {"documents": […], "pools": […]}\n`);
  const poolFile = toPoolFile(pool!);
  await write("pool.json", JSON.stringify(poolFile, null, 2) + "\n");
  const bundle = { documents: [envelope], pools: [poolFile] };
  const verified = await postJson(`${server}/api/verify`, bundle, verificationSchema);
  const [report] = verified.results;
  if (report === undefined) throw new ServerError("the answer holds no report");
  show(report);
  expect(report, "verified", 0);

  io.out(
    "\n4. The issuer publishes the pool, with a statement signed by its key. First a dry run:\n",
  );
  io.out(`   POST ${server}/api/pools\n`);
  const disclosure = await createDisclosure(key, poolFile.poolKey);
  const request = { pool: poolFile, disclosure };
  const plan = await postJson(`${server}/api/pools`, request, poolDryRunSchema);
  io.out(`   would be upgraded: ${plan.upgraded}, exposed: ${plan.exposed}\n`);
  if (plan.upgraded !== 1 || plan.exposed !== 0) {
    throw new UnexpectedResult("one upgraded result was expected of the dry run");
  }
  io.out(`   POST ${server}/api/pools?confirm=publish\n`);
  await postJson(`${server}/api/pools?confirm=publish`, request, poolPublishedSchema);

  io.out("\n5. The stored result is upgraded, and what it was before stays on record:\n");
  io.out(`   GET ${server}/api/results/${stored.id}\n`);
  const after = await getJson(`${server}/api/results/${stored.id}`, resultSchema);
  show(after.report);
  expect(after.report, "verified", 0);
  for (const { at, from, to } of after.history) io.out(`   ${at} ${from} → ${to}\n`);
  io.out(`   Its badge, at the same address as before: GET ${server}/badge/${stored.id}.svg\n`);
  const badge = await getText(`${server}/badge/${stored.id}.svg`);
  await write("after.svg", badge);
  if (badge.includes("unreplayed")) throw new UnexpectedResult("the badge did not follow");
  io.out(`   ${badgeText(badgeOf(after.report, { trust: trust() }))}\n`);

  io.out("\nThe same by hand:\n");
  io.out(`   deno task verify ${folder}/demo-admission.json\n`);
  io.out(`   deno task verify ${folder}/demo-admission.json --pool ${folder}/demo-pool.json\n`);
}

function expect(report: Report, outcome: Report["outcome"], unreplayed: number): void {
  const counts = report.counts;
  if (
    report.outcome === outcome && report.verdict === "pass" && counts?.passed === 3 &&
    counts.unreplayed === unreplayed
  ) return;
  throw new UnexpectedResult(
    `${outcome}, 3/4 passed and ${unreplayed} unreplayed were expected, the report says ` +
      `${report.outcome}, ${counts?.passed} passed and ${counts?.unreplayed} unreplayed`,
  );
}

async function startServer(verifier: VerifyContext, io: Io) {
  const { references } = verifier;
  const kv = await Deno.openKv(":memory:");
  const log = (line: string) => io.err(`${line}\n`);
  const app = createApp(
    createServices({ kv, checker: inLineChecker(verifier), references, publicUrl: null, log }),
  );
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, (request) => app.fetch(request));
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      await app.close();
      await server.shutdown();
      kv.close();
    },
  };
}
