/** `pool publish`: disclosing a pool to a running Touchstone. */
import { createDisclosure } from "../lib/issuer/disclosure.ts";
import { IssuerError, refusal } from "../lib/issuer/error.ts";
import { readKeyPair } from "../lib/issuer/keys.ts";
import { toPoolFile } from "../lib/issuer/pool.ts";
import { parseJson } from "../lib/encoding/json.ts";
import { readPool } from "../lib/protocol/pool.ts";
import { poolDryRunSchema, poolPublishedSchema, upgradeSchema } from "../routes/schemas/pool.ts";
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";
import { readTextFile } from "./private_file.ts";
import { followEvents, postJson, ServerError, serverUrl } from "./remote.ts";
import { readArgs, UNUSABLE, UsageError } from "./usage.ts";

const DEFAULT_SERVER = "http://127.0.0.1:8000";

const HELP = `Usage: deno task pool publish FILE [--server URL] [--confirm] [--key FILE]

Says what publishing the pool would do to the results that a server keeps: a dry run, which keeps
nothing. With --confirm it publishes the pool, for good and for everyone, and waits until all results
under it are checked again.

  --server URL   a running Touchstone, default ${DEFAULT_SERVER}
  --confirm      publish
  --key FILE     the issuer's private key: adds a statement, signed here, that the issuer itself
                 disclosed the pool; the key stays here

Exit status: 0 done, 3 if the file, the key or the server can't be used.
`;

/** The command `pool`. */
export async function run(args: string[], io: Io): Promise<number> {
  const options = {
    server: { type: "string" },
    key: { type: "string" },
    confirm: { type: "boolean" },
  } as const;
  const { values, positionals } = readArgs(args, options);
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  const [name, path] = positionals;
  if (name !== "publish") throw new UsageError("the command is publish");
  if (path === undefined || positionals.length > 2) throw new UsageError("name one pool file");
  try {
    const body = await requestOf(path, values.key);
    await publish(serverUrl(values.server ?? DEFAULT_SERVER), body, values.confirm ?? false, io);
    return 0;
  } catch (error) {
    if (error instanceof IssuerError) {
      io.err(`pool publish: ${error.code}: ${error.message}\n`);
      return UNUSABLE;
    }
    if (error instanceof ServerError) {
      io.err(`pool publish: server-unusable: ${printable(error.message)}\n`);
      return UNUSABLE;
    }
    throw error;
  }
}

async function requestOf(path: string, keyFile: string | undefined): Promise<unknown> {
  const read = readPool(await readJson(path));
  if (!read.ok) throw refusal(read.reason);
  const pool = toPoolFile(read.pool);
  if (keyFile === undefined) return { pool };
  const key = readKeyPair(await readJson(keyFile));
  return { pool, disclosure: await createDisclosure(key, pool.poolKey) };
}

async function publish(server: string, body: unknown, confirm: boolean, io: Io): Promise<void> {
  if (!confirm) {
    const plan = await postJson(`${server}/api/pools`, body, poolDryRunSchema);
    io.out(`pool      ${plan.poolKey}\n`);
    if (plan.known) {
      io.out("public    already: publishing it again changes nothing\n");
      return;
    }
    const least = plan.complete ? "" : " at least";
    io.out(`upgraded ${least} ${plan.upgraded}\nexposed  ${least} ${plan.exposed}\n`);
    io.out(`unchanged${least} ${plan.unchanged}\n`);
    io.out(`\nNothing was kept. ${printable(plan.notice)}\nTo publish: the same with --confirm\n`);
    return;
  }
  const done = await postJson(`${server}/api/pools?confirm=publish`, body, poolPublishedSchema);
  io.out(`pool      ${done.pool.poolKey}\n`);
  io.out(
    `public    ${done.created ? "from now on" : "already"}: ${printable(done.pool.urls.page)}\n`,
  );
  await followEvents(`${server}/api/pools/${done.pool.poolKey}/upgrade`, (name, data) => {
    const tally = upgradeSchema.safeParse(data);
    if (name !== "tally" || !tally.success) return;
    const { upgraded, exposed, unchanged } = tally.data;
    io.out(`upgraded  ${upgraded}\nexposed   ${exposed}\nunchanged ${unchanged}\n`);
  });
}

async function readJson(path: string): Promise<unknown> {
  const parsed = parseJson(await readTextFile(path));
  if (!parsed.ok) throw new UsageError(`file-not-json: ${path}: this is no JSON`);
  return parsed.value;
}
