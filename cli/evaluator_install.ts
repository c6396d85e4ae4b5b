/**
 * `evaluator:install`: fetches or copies ALGAL's official module, and puts it where the service
 * looks for it once its hash is right.
 */
import { dirname } from "node:path";
import { sha256Hex } from "../lib/encoding/digest.ts";
import { OFFICIAL_MODULE_PATH } from "../service/verify_context.ts";
import { officialModule } from "../wasm/load.ts";
import { OFFICIAL } from "../wasm/pins.ts";
import { type Io, readUpTo } from "./io.ts";
import { callersPath } from "./paths.ts";
import { readArgs, UNUSABLE, UsageError } from "./usage.ts";

const HELP = `Usage: deno task evaluator:install [URL|FILE]

Installs ALGAL's official evaluator module, which then decides reference answers instead of
Touchstone's own (that one keeps cross-checking it). A running service has to be restarted.

  URL    an http or https address (default: ALGAL's public repository at the pinned revision)
  FILE   a copy on this machine, looked for in the folder from which you call

Nothing is written unless the module has the pinned SHA-256
${OFFICIAL.sha256}

Exit status:
  0  installed, or already there
  2  the module has another hash
  3  it could not be had, or the arguments are not usable
`;

/** Exit status for a module that is not the pinned one. */
const WRONG_HASH = 2;
const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** What a test replaces. */
export interface InstallOptions {
  /** SHA-256 the module must have, lower-case hex. */
  pin?: string;
  defaultUrl?: string;
  /** Path of the installed module. */
  target?: string;
  /** For the whole transfer, in milliseconds. */
  timeoutMs?: number;
}

/** The module could not be had. The message says why. */
class SourceError extends Error {}

/** The command `evaluator:install`. */
export async function run(args: string[], io: Io, options: InstallOptions = {}): Promise<number> {
  const { values, positionals } = readArgs(args, {});
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  if (positionals.length > 1) throw new UsageError("name one URL or one file");
  const {
    pin = OFFICIAL.sha256,
    defaultUrl = OFFICIAL.url,
    target = OFFICIAL_MODULE_PATH,
    timeoutMs = TIMEOUT_MS,
  } = options;

  try {
    if (await isInstalled(target, pin)) {
      io.out(`already installed: ${target} has SHA-256 ${pin}\n`);
      return 0;
    }
    const source = positionals[0] ?? defaultUrl;
    const bytes = await read(source, timeoutMs);
    const hash = sha256Hex(bytes);
    if (hash !== pin) {
      io.err(
        `refused, nothing was written: ${source}\n` +
          `  has SHA-256 ${hash}\n  expected    ${pin}\n`,
      );
      return WRONG_HASH;
    }
    await writeAtomically(target, bytes);
    io.out(`installed: ${target}, ${bytes.length} bytes, SHA-256 ${hash}\n`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    io.err(`not installed: ${error instanceof Error ? error.message : String(error)}\n`);
    return UNUSABLE;
  }
}

async function isInstalled(target: string, pin: string): Promise<boolean> {
  const present = await officialModule(target);
  return present !== null && sha256Hex(present) === pin;
}

function read(source: string, timeoutMs: number): Promise<Uint8Array> {
  if (/^https?:\/\//i.test(source)) return download(source, timeoutMs);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    throw new UsageError("only http and https addresses can be fetched");
  }
  return readFile(callersPath(source));
}

async function download(address: string, timeoutMs: number): Promise<Uint8Array> {
  if (!URL.canParse(address)) throw new UsageError(`${address} is not a URL`);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, { signal, headers: { accept: "application/wasm, */*" } });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new SourceError(`${address} answered with status ${response.status}`);
    }
    return await collect(response.body, address);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    if (signal.aborted) throw new SourceError(`${address} took longer than ${timeoutMs} ms`);
    throw new SourceError(`${address} could not be fetched: ${messageOf(error)}`);
  }
}

async function readFile(path: string): Promise<Uint8Array> {
  try {
    const file = await Deno.open(path, { read: true });
    return await collect(file.readable, path);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`${path} could not be read: ${messageOf(error)}`);
  }
}

async function collect(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  source: string,
): Promise<Uint8Array> {
  const bytes = await readUpTo(stream, MAX_BYTES);
  if (bytes.length <= MAX_BYTES) return bytes;
  throw new SourceError(`${source} is larger than ${MAX_BYTES} bytes`);
}

/** Writes beside the target and renames, so that the service never sees half a module. */
async function writeAtomically(target: string, bytes: Uint8Array): Promise<void> {
  await Deno.mkdir(dirname(target), { recursive: true });
  const part = `${target}.${crypto.randomUUID()}.part`;
  try {
    await Deno.writeFile(part, bytes, { createNew: true });
    await Deno.rename(part, target);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
