/**
 * Builds `algal_expr.wasm` from `assembly/`, and its pin in `pins.ts`. With `--check` it builds in
 * memory only and compares both with what is committed: exit status 1 on any difference.
 *
 * Everything that decides the bytes is here or in `deno.lock`: sources are handed to the compiler by
 * name, so no path of this machine gets into the module.
 */
import asc from "assemblyscript/asc";
import { powersSource } from "./tables.ts";

const HERE = new URL("./", import.meta.url);
const MODULE = new URL("algal_expr.wasm", HERE);
const PINS = new URL("pins.ts", HERE);
const MAX_BYTES = 60 * 1024;
const EXPORTS = ["algal_alloc", "algal_check", "algal_dealloc", "algal_eval", "memory"];

const OPTIONS = [
  "-O3",
  "--converge",
  "--noAssert",
  "--runtime",
  "stub",
  // Mixing usize and u32 is fine: the interface is 32-bit.
  "--disableWarning",
  "201",
  "--use",
  "abort=assembly/memory/abort",
];

/** Compiles `assembly/index.ts`; throws with the compiler's messages. */
async function compile(): Promise<Uint8Array<ArrayBuffer>> {
  let module: Uint8Array<ArrayBuffer> | null = null;
  const { error, stderr } = await asc.main(
    ["assembly/index.ts", "--outFile", "module.wasm", ...OPTIONS],
    {
      readFile: (name: string) => readSource(name),
      writeFile: (name: string, contents: string | Uint8Array) => {
        if (name === "module.wasm" && typeof contents !== "string") {
          module = new Uint8Array(contents);
        }
      },
      listFiles: () => [],
    },
  );
  const messages = stderr.toString();
  if (error !== null || messages !== "" || module === null) {
    throw new Error(`the module does not compile cleanly\n${messages}${error ?? ""}`);
  }
  return module;
}

/** A source file, or null for the other places in which the compiler looks for one. */
function readSource(name: string): string | null {
  if (!/^assembly\/[a-z0-9_]+\.ts$/.test(name)) return null;
  try {
    return Deno.readTextFileSync(new URL(name, HERE));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** What is wrong with a module's interface or size, one line each. */
async function faults(bytes: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const module = await WebAssembly.compile(bytes);
  const found: string[] = [];
  for (const entry of WebAssembly.Module.imports(module)) {
    found.push(`imports ${entry.module}.${entry.name}`);
  }
  const exports = WebAssembly.Module.exports(module).map((entry) => entry.name).sort();
  if (exports.join() !== EXPORTS.join()) found.push(`exports ${exports.join(", ")}`);
  if (bytes.length >= MAX_BYTES) found.push(`has ${bytes.length} bytes, ${MAX_BYTES} or more`);
  return found;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** The text of `pins.ts` with our own module's pin replaced. */
function repinned(source: string, hash: string, size: number): string {
  const pin = /(OWN = \{\s*sha256: ")[0-9a-f]{64}(",\s*bytes: )[0-9_]+/;
  if (!pin.test(source)) throw new Error("pins.ts has no OWN pin");
  return source.replace(pin, `$1${hash}$2${size}`);
}

async function sameAsCommitted(module: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const committed = await Deno.readFile(MODULE);
  return committed.length === module.length && committed.every((byte, i) => byte === module[i]);
}

async function main(args: string[]): Promise<number> {
  const check = args.includes("--check");
  if (args.some((arg) => arg !== "--check")) {
    console.error("usage: build.ts [--check]");
    return 2;
  }
  if (readSource("assembly/powers.ts") !== powersSource()) {
    console.error("assembly/powers.ts is not what tables.ts makes");
    return 1;
  }
  const module = await compile();
  const hash = await sha256(module);
  console.log(`algal_expr.wasm  ${module.length} bytes  SHA-256 ${hash}`);
  const wrong = await faults(module);
  for (const fault of wrong) console.error(`the module ${fault}`);
  if (wrong.length > 0) return 1;

  const pins = await Deno.readTextFile(PINS);
  const pinned = repinned(pins, hash, module.length);
  if (!check) {
    await Deno.writeFile(MODULE, module);
    await Deno.writeTextFile(PINS, pinned);
    return 0;
  }
  if (pinned !== pins) {
    console.error("the pin in pins.ts is not that of this module");
    return 1;
  }
  if (!await sameAsCommitted(module)) {
    console.error("the committed module is not what the sources build to");
    return 1;
  }
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
