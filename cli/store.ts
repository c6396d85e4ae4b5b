/** `store`: the operator's commands on stored documents, results and pools. */
import { ConfigError, readConfig } from "../service/config.ts";
import { isHex64 } from "../lib/encoding/hex.ts";
import { parseJson } from "../lib/encoding/json.ts";
import { createDatabase } from "../lib/kv/database.ts";
import { createLinkRows, type LinkRows } from "../lib/links/rows.ts";
import { createStore } from "../lib/store/create.ts";
import { FetchError } from "../lib/fetch/error.ts";
import { createReadUrl, type LinkedUrl, type ReadUrl } from "../lib/links/url.ts";
import { createRules } from "../lib/fetch/rules.ts";
import { type Store, StoreError, StoreUnavailable } from "../lib/store/store.ts";
import { inLineChecker } from "../service/checker.ts";
import { sweepAll } from "../service/upkeep.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import { openDatabase } from "./database.ts";
import type { Io } from "./io.ts";
import { callersPath } from "./paths.ts";
import { explain } from "./private_file.ts";
import { printable } from "./printable.ts";
import { readArgs, subcommand, UNUSABLE, UsageError } from "./usage.ts";

/** Exit status when something was asked for that isn't there, or was refused. */
const REFUSED = 1;

/** Characters of one line of an export; a document has 2 MiB at most. */
const MAX_LINE = 8 * 1024 * 1024;

/** Containers around a history's entries: the line, the record, the list. */
const LINE_DEPTH = 8;

interface Context {
  store: Store;
  links: LinkRows;
  io: Io;
  retentionDays: number | null;
  /** As the service has them, so that URLs are read as it reads them. */
  allowHosts: ReadonlySet<string>;
}

interface Command {
  help: string;
  run(args: string[], context: () => Promise<Context>, io: Io): Promise<number>;
}

const EXPORT: Command = {
  help: `Usage: deno task store export [--out FILE | --after CURSOR]

Writes everything as JSON lines: pools, statements, documents with their histories, and what is left
of removed ones. Each line is {"record": …, "after": CURSOR}; behind the last one stands
{"end": true, "lines": NUMBER}.

  --out FILE       write to a file; when it holds an interrupted export, go on behind its last whole
                   line. A complete one is refused: what is new needs a new file
  --after CURSOR   go on behind the line that had this cursor
`,
  async run(args, context, io) {
    const options = { out: { type: "string" }, after: { type: "string" } } as const;
    const { values, positionals } = readArgs(args, options);
    none(positionals);
    if (values.out !== undefined && values.after !== undefined) {
      throw new UsageError("--out finds by itself where to go on: leave --after out");
    }
    const { store } = await context();
    if (values.out === undefined) {
      let lines = 0;
      for await (const line of store.exportLines(values.after)) {
        io.out(`${JSON.stringify(line)}\n`);
        lines++;
      }
      io.out(endLine(lines));
      return 0;
    }
    const path = callersPath(values.out);
    const end = await explain(path, () => endOfExport(path));
    using file = await explain(path, () => Deno.open(path, { write: true, create: true }));
    await file.truncate(end.bytes);
    await file.seek(end.bytes, Deno.SeekMode.Start);
    const encoder = new TextEncoder();
    const write = async (text: string) => {
      let rest = encoder.encode(text);
      while (rest.length > 0) rest = rest.subarray(await file.write(rest));
    };
    let lines = 0;
    for await (const line of store.exportLines(end.after)) {
      await write(`${JSON.stringify(line)}\n`);
      lines++;
    }
    await write(endLine(end.lines + lines));
    await file.sync();
    io.out(`${lines} lines written to ${path}\n`);
    return 0;
  },
};

const IMPORT: Command = {
  help: `Usage: deno task store import FILE [--from LINE]

Takes over the lines of an export; - is standard input. Every hash and signature in it is checked,
every document is verified anew with the pools known here, and taken-over histories are marked as
imported. Importing the same lines again changes nothing. The line that ends an export is skipped.

  --from LINE   begin with this line, counted from 1

Exit status: 1 when a line was refused; the others are taken over all the same.
`,
  async run(args, context, io) {
    const { values, positionals } = readArgs(args, { from: { type: "string" } });
    const [path] = positionals;
    if (path === undefined || positionals.length > 1) throw new UsageError("name one file");
    const from = values.from ?? "1";
    if (!/^[1-9]\d{0,9}$/.test(from)) throw new UsageError("--from takes a line number");
    const { store } = await context();
    const sums = { lines: 0, created: 0, known: 0, refused: 0 };
    let number = 0;
    const refuse = (code: string, message: string) => {
      sums.refused++;
      io.err(`line ${number}: ${code}: ${printable(message)}\n`);
    };
    for await (const line of path === "-" ? linesOf(await io.stdin()) : readLines(path)) {
      number++;
      if (number < Number(from) || line.trim() === "") continue;
      const value = valueOf(line);
      if (isEnd(value)) continue;
      sums.lines++;
      if (line.length > MAX_LINE) {
        refuse("line-too-long", `a line of an export has at most ${MAX_LINE} characters`);
        continue;
      }
      try {
        const taken = await store.importLine(recordOf(value));
        if (!taken.ok) refuse(taken.code, taken.message);
        else if (taken.created) sums.created++;
        else sums.known++;
      } catch (error) {
        if (!(error instanceof StoreError || error instanceof StoreUnavailable)) throw error;
        const code = error instanceof StoreError ? error.code : "storage-unavailable";
        io.err(`line ${number}: ${code}: ${error.message}\nGo on with --from ${number}\n`);
        return REFUSED;
      }
    }
    io.out(`${JSON.stringify(sums)}\n`);
    return sums.refused > 0 ? REFUSED : 0;
  },
};

const STATS: Command = {
  help: `Usage: deno task store stats [--json]

Counts what is stored.
`,
  async run(args, context, io) {
    const { values, positionals } = readArgs(args, { json: { type: "boolean" } });
    none(positionals);
    const { store } = await context();
    const stats = await store.stats();
    if (values.json) {
      io.out(`${JSON.stringify(stats)}\n`);
      return 0;
    }
    const { outcomes, ...numbers } = stats;
    const named = { ...numbers, ...outcomes };
    for (const [name, number] of Object.entries(named)) {
      io.out(`${(NAMES[name] ?? name).padEnd(18)}${number}\n`);
    }
    return 0;
  },
};

const NAMES: Readonly<Record<string, string>> = {
  pendingUpgrades: "pending upgrades",
  documentBytes: "bytes: documents",
  poolBytes: "bytes: pools",
  linkBytes: "bytes: links",
  drawingBytes: "bytes: drawings",
};

const GC: Command = {
  help: `Usage: deno task store gc

Removes pieces of documents that were never completed. With RETENTION_DAYS set, also removes
documents that nobody asked for in so many days, leaving their histories; without it, only those
that badges of URLs brought, after a week.
`,
  async run(args, context, io) {
    none(readArgs(args, {}).positionals);
    const { store, links, retentionDays } = await context();
    const { removed: documents } = await sweepAll(store, links, retentionDays);
    const collected = await store.gc();
    io.out(`${JSON.stringify({ ...collected, documents })}\n`);
    return 0;
  },
};

const DELETE: Command = {
  help: `Usage: deno task store delete ID…

Removes documents for good, leaving their histories. Exit status: 1 when one isn't stored.
`,
  async run(args, context, io) {
    const { positionals } = readArgs(args, {});
    if (positionals.length === 0) throw new UsageError("name at least one id");
    const bad = positionals.find((id) => !isHex64(id));
    if (bad !== undefined) throw new UsageError("an id is 64 lower-case hexadecimal characters");
    const { store } = await context();
    let status = 0;
    for (const id of positionals) {
      const removed = await store.deleteDocument(id);
      io.out(`${id} ${removed ? "removed" : "is not stored"}\n`);
      if (!removed) status = REFUSED;
    }
    return status;
  },
};

const DELETE_POOL: Command = {
  help: `Usage: deno task store delete-pool POOLKEY… | --unused

Removes pools that no stored document names, with the statements about them. They don't come back
with the service or an import; whoever publishes one brings it back. Takes some seconds.

  --unused   all such pools that were published or imported

Exit status: 1 when one stays, because a document names it, or isn't here.
`,
  async run(args, context, io) {
    const { values, positionals } = readArgs(args, { unused: { type: "boolean" } });
    const all = values.unused ?? false;
    if (all === positionals.length > 0) {
      throw new UsageError("name at least one pool key, or --unused");
    }
    if (!positionals.every((key) => isHex64(key))) {
      throw new UsageError("a pool key is 64 lower-case hexadecimal characters");
    }
    const { store } = await context();
    const removals = await store.removePools(
      all ? await store.unusedPools() : positionals,
    );
    const words = {
      removed: "removed",
      named: "stays: a document names it",
      unknown: "is not here",
    };
    for (const [poolKey, removal] of removals) io.out(`${poolKey} ${words[removal]}\n`);
    return [...removals.values()].every((one) => one === "removed") ? 0 : REFUSED;
  },
};

const DELETE_LINK: Command = {
  help: `Usage: deno task store delete-link URL…

Removes what is known of URLs: what they last gave, and their histories. Documents that were stored
from them stay. Exit status: 1 when nothing is known of one.
`,
  async run(args, context, io) {
    const { positionals } = readArgs(args, {});
    if (positionals.length === 0) throw new UsageError("name at least one URL");
    const { links, allowHosts } = await context();
    const readUrl = createReadUrl(createRules({ allowHosts }));
    let status = 0;
    for (const text of positionals) {
      const { hash, shown } = readLink(readUrl, text);
      const removed = await links.remove(hash);
      io.out(`${printable(shown)} ${removed ? "removed" : "is not known"}\n`);
      if (!removed) status = REFUSED;
    }
    return status;
  },
};

function readLink(readUrl: ReadUrl, text: string): LinkedUrl {
  try {
    return readUrl(text, null);
  } catch (error) {
    if (error instanceof FetchError) throw new UsageError(`${error.code}: ${error.message}`);
    throw error;
  }
}

const COMMANDS: Readonly<Record<string, Command>> = {
  export: EXPORT,
  import: IMPORT,
  stats: STATS,
  gc: GC,
  delete: DELETE,
  "delete-pool": DELETE_POOL,
  "delete-link": DELETE_LINK,
};

const HELP = `Usage: deno task store COMMAND …

What an operator does with the database that KV_PATH or KV_URL names; the service may go on running.

  store export        everything as JSON lines
  store import        takes them over, all hashes checked
  store stats         counts
  store gc            removes what is left over
  store delete        removes documents
  store delete-pool   removes pools that no document names
  store delete-link   removes what is known of URLs

Each takes --help.

Exit status: 0 done, 1 refused or not there, 3 arguments, files or a database that can't be used.
`;

/** The command `store`. */
export async function run(
  args: string[],
  io: Io,
  environment: (name: string) => string | undefined = (name) => Deno.env.get(name),
): Promise<number> {
  const named = subcommand(args, COMMANDS, HELP, io);
  if (named === null) return 0;
  const { name, command, rest } = named;
  let kv: Deno.Kv | null = null;
  const context = async () => {
    const config = readConfig(environment);
    const opened = await openDatabase(config.kv);
    if ("problem" in opened) throw new ConfigError(opened.problem);
    kv = opened.kv;
    const verifier = createVerifyContext(config.evaluator, (line) => io.err(`${line}\n`));
    // The pools that come with the service are entered when it starts.
    const store = createStore(kv, inLineChecker(verifier), { quotas: config.quotas });
    const links = createLinkRows(createDatabase(kv), config.quotas);
    const allowHosts = config.fetch?.allowHosts ?? new Set<string>();
    return { store, links, io, retentionDays: config.retentionDays, allowHosts };
  };
  try {
    return await command.run(rest, context, io);
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof StoreError) {
      const code = error instanceof StoreError ? error.code : "storage-unavailable";
      io.err(`store ${name}: ${code}: ${error.message}\n`);
      return UNUSABLE;
    }
    throw error;
  } finally {
    (kv as Deno.Kv | null)?.close();
  }
}

function none(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError("no arguments besides options are taken");
}

/** The line behind a complete export of so many lines. */
function endLine(lines: number): string {
  return `${JSON.stringify({ end: true, lines })}\n`;
}

function isEnd(value: unknown): boolean {
  return typeof value === "object" && value !== null && "end" in value && value.end === true &&
    !("record" in value);
}

/** A line's JSON; null when it is none, or too long. */
function valueOf(line: string): unknown {
  const parsed = line.length > MAX_LINE ? null : parseJson(line, LINE_DEPTH);
  return parsed?.ok ? parsed.value : null;
}

/** What is to be imported of a line's value; anything at all, the store checks it. */
function recordOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "record" in value ? value.record : value;
}

/** Where an export that was cut short ends, and with which cursor it goes on. */
interface ExportEnd {
  bytes: number;
  lines: number;
  after?: string;
}

/** Where an export ends. @throws {UsageError} when it is complete, or no export. */
async function endOfExport(path: string): Promise<ExportEnd> {
  let bytes = 0;
  let lines = 0;
  let after: string | undefined;
  try {
    using file = await Deno.open(path);
    const encoder = new TextEncoder();
    for await (const { text, whole } of split(file.readable)) {
      const value = valueOf(text);
      if (isEnd(value)) {
        const message = "--out only goes on with an interrupted export. Name a new file";
        throw new UsageError(`${path} holds a complete export, and ${message}`);
      }
      const cursor = whole ? cursorOf(value) : undefined;
      if (cursor === undefined) {
        if (whole || text.length > MAX_LINE) {
          throw new UsageError(`${path} holds something else than an export`);
        }
        break;
      }
      after = cursor;
      bytes += encoder.encode(text).length + 1;
      lines++;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return after === undefined ? { bytes, lines } : { bytes, lines, after };
}

function cursorOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return "after" in value && typeof value.after === "string" ? value.after : undefined;
}

function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split("\n");
}

async function* readLines(named: string): AsyncIterable<string> {
  const path = callersPath(named);
  using file = await explain(path, () => Deno.open(path));
  // A folder can be opened, and fails only when it is read.
  if ((await file.stat()).isDirectory) {
    throw new UsageError(`file-unusable: ${path} is a folder, not a file`);
  }
  for await (const { text } of split(file.readable)) yield text;
}

/**
 * Lines of a stream; the last one may lack its end. Of a line longer than `MAX_LINE` not more is
 * held than shows that it is.
 */
async function* split(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncIterable<{ text: string; whole: boolean }> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    if (rest.length > MAX_LINE && !chunk.includes("\n")) continue;
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) yield { text, whole: true };
  }
  if (rest !== "") yield { text: rest, whole: false };
}
