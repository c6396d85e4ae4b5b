/**
 * The host side of the `algal.expr.v1` WebAssembly interface (algal-expr spec 12.1): bytes
 * go in, a checked and bounded evaluator comes out. No file, clock or network is touched here.
 */
import { CodedError } from "../base/coded_error.ts";
import { toHex } from "../encoding/hex.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What went wrong inside a program: `code` is one of the `EXPR_…` codes of section 8. */
type ProgramError = { code: string; [detail: string]: Json };

/** An evaluation's result; `fuel` is the fuel spent, also when the program failed. */
export type EvalResponse =
  | { ok: true; value: Json; fuel: number }
  | { ok: false; err: ProgramError; fuel: number };

/** A static check's result. `fuel` is there only for a request that could not be read (8.1). */
type CheckResponse = { ok: true } | { ok: false; err: ProgramError; fuel?: number };

/** Limits the host keeps, in bytes and fuel units (section 12.1). */
export const LIMITS = Object.freeze({
  requestBytes: 65_536,
  responseBytes: 65_536,
  memoryBytes: 16_777_216,
  fuel: 10_000,
});

/** Stable codes of {@link EvaluatorError}. */
export type EvaluatorErrorCode =
  | "evaluator-hash-mismatch"
  | "evaluator-compile"
  | "evaluator-imports"
  | "evaluator-exports"
  | "evaluator-fuel-invalid"
  | "evaluator-request-invalid"
  | "evaluator-request-too-large"
  | "evaluator-response-too-large"
  | "evaluator-response-invalid"
  | "evaluator-memory"
  | "evaluator-trap"
  | "evaluator-failed";

/** The evaluator or its host failed. Says nothing about the program that was being evaluated. */
export class EvaluatorError extends CodedError<EvaluatorErrorCode> {}

/** A module that passed its hash check. Calls are synchronous and independent of each other. */
export interface Evaluator {
  /** SHA-256 of the module's bytes, hex. */
  readonly sha256: string;
  /**
   * Evaluates `program` with `env` as its inputs and at most `fuel` units (0 to 10,000, the default).
   * A failing program is a response with `ok: false`.
   * @throws {EvaluatorError} for a broken limit, a trap or an unreadable response; the instance is
   * dropped then, so the next call starts with a fresh one.
   */
  evaluate(program: Json, env: { [name: string]: Json }, fuel?: number): EvalResponse;
  /**
   * Runs the static check only, with `names` as the visible inputs.
   * @throws {EvaluatorError} as `evaluate` does.
   */
  check(program: Json, names: string[]): CheckResponse;
}

interface Instance {
  memory: WebAssembly.Memory;
  alloc(length: number): number;
  dealloc(pointer: number, length: number): void;
  run: Record<"algal_eval" | "algal_check", (pointer: number, length: number) => bigint>;
}

const EXPORTS: ReadonlyMap<string, WebAssembly.ImportExportKind> = new Map([
  ["memory", "memory"],
  ["algal_alloc", "function"],
  ["algal_dealloc", "function"],
  ["algal_eval", "function"],
  ["algal_check", "function"],
]);

/**
 * Checks `bytes` against `pin` (SHA-256, lower-case hex), then compiles them. Nothing is
 * instantiated before the first evaluation.
 * @throws {EvaluatorError} `evaluator-hash-mismatch`, `evaluator-compile`, `evaluator-imports`,
 * `evaluator-exports`.
 */
export async function loadEvaluator(bytes: Uint8Array, pin: string): Promise<Evaluator> {
  // A copy, so that what is compiled is what was hashed whatever the caller does meanwhile.
  const own = new Uint8Array(bytes);
  // Web Crypto, because a module is large: 1 ms here against 15 for a cold start in JavaScript.
  const sha256 = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", own)));
  if (sha256 !== pin) {
    throw new EvaluatorError(
      "evaluator-hash-mismatch",
      `the evaluator module has SHA-256 ${sha256}, expected ${pin}`,
    );
  }
  const module = await compile(own);
  requireInterface(module);
  return new PinnedEvaluator(sha256, module);
}

async function compile(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw new EvaluatorError("evaluator-compile", "the evaluator module does not compile", {
      cause,
    });
  }
}

function requireInterface(module: WebAssembly.Module): void {
  const imports = WebAssembly.Module.imports(module);
  if (imports.length > 0) {
    const names = imports.map((entry) => `${entry.module}.${entry.name}`).join(", ");
    throw new EvaluatorError("evaluator-imports", `the evaluator module imports ${names}`);
  }
  const kinds = new Map(
    WebAssembly.Module.exports(module).map((entry) => [entry.name, entry.kind]),
  );
  for (const [name, kind] of EXPORTS) {
    if (kinds.get(name) !== kind) {
      throw new EvaluatorError(
        "evaluator-exports",
        `the evaluator module does not export the ${kind} ${name}`,
      );
    }
  }
}

class PinnedEvaluator implements Evaluator {
  readonly sha256: string;
  readonly #module: WebAssembly.Module;
  #instance: Instance | null = null;

  constructor(sha256: string, module: WebAssembly.Module) {
    this.sha256 = sha256;
    this.#module = module;
  }

  evaluate(
    program: Json,
    env: { [name: string]: Json },
    fuel: number = LIMITS.fuel,
  ): EvalResponse {
    if (!Number.isInteger(fuel) || fuel < 0 || fuel > LIMITS.fuel) {
      throw new EvaluatorError(
        "evaluator-fuel-invalid",
        `fuel must be an integer from 0 to ${LIMITS.fuel}`,
      );
    }
    // Adding 0 turns -0 into 0; both print alike, yet only one is a budget.
    const request = encodeRequest({ program, env, fuel: fuel + 0 });
    return this.#call("algal_eval", request, readEvalResponse);
  }

  check(program: Json, names: string[]): CheckResponse {
    return this.#call("algal_check", encodeRequest({ program, names }), readCheckResponse);
  }

  #call<T>(
    name: "algal_eval" | "algal_check",
    request: Uint8Array<ArrayBuffer>,
    read: (response: unknown) => T,
  ): T {
    try {
      this.#instance ??= instantiate(this.#module);
      return read(exchange(this.#instance, name, request));
    } catch (error) {
      this.#instance = null;
      if (error instanceof EvaluatorError) throw error;
      throw new EvaluatorError("evaluator-failed", "the evaluator failed", { cause: error });
    }
  }
}

function encodeRequest(request: { [member: string]: Json }): Uint8Array<ArrayBuffer> {
  let text: string;
  try {
    text = JSON.stringify(request);
  } catch (cause) {
    throw new EvaluatorError("evaluator-request-invalid", "the request is not JSON", { cause });
  }
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > LIMITS.requestBytes) {
    throw new EvaluatorError(
      "evaluator-request-too-large",
      `the evaluator request has ${bytes.length} bytes, at most ${LIMITS.requestBytes} are allowed`,
    );
  }
  return bytes;
}

function instantiate(module: WebAssembly.Module): Instance {
  const exports = guarded(() => new WebAssembly.Instance(module).exports);
  const { memory, algal_alloc, algal_dealloc, algal_eval, algal_check } = exports;
  if (
    !(memory instanceof WebAssembly.Memory) || typeof algal_alloc !== "function" ||
    typeof algal_dealloc !== "function" || typeof algal_eval !== "function" ||
    typeof algal_check !== "function"
  ) {
    throw new EvaluatorError("evaluator-exports", "the evaluator module lacks an export");
  }
  return {
    memory,
    alloc: (length) => guarded(() => Number(algal_alloc(length)) >>> 0),
    dealloc: (pointer, length) => guarded(() => algal_dealloc(pointer, length)),
    run: {
      algal_eval: (pointer, length) => guarded(() => toU64(algal_eval(pointer, length))),
      algal_check: (pointer, length) => guarded(() => toU64(algal_check(pointer, length))),
    },
  };
}

function toU64(result: unknown): bigint {
  if (typeof result === "bigint") return BigInt.asUintN(64, result);
  throw new EvaluatorError("evaluator-exports", "the evaluator does not answer with an i64");
}

/** Runs module code; whatever it throws (traps, exhausted stacks) becomes `evaluator-trap`. */
function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof EvaluatorError) throw error;
    throw new EvaluatorError("evaluator-trap", "the evaluator trapped", { cause: error });
  }
}

function exchange(
  instance: Instance,
  name: "algal_eval" | "algal_check",
  request: Uint8Array<ArrayBuffer>,
): unknown {
  requireMemory(instance);
  const pointer = instance.alloc(request.length);
  if (pointer === 0) {
    throw new EvaluatorError("evaluator-failed", "the evaluator could not allocate the request");
  }
  let response: Uint8Array<ArrayBuffer>;
  try {
    view(instance, pointer, request.length).set(request);
    const result = instance.run[name](pointer, request.length);
    if (result === 0n) {
      throw new EvaluatorError("evaluator-failed", "the evaluator gave no response");
    }
    response = takeResponse(instance, Number(result >> 32n), Number(result & 0xffff_ffffn));
  } catch (error) {
    freeQuietly(instance, pointer, request.length);
    throw error;
  }
  instance.dealloc(pointer, request.length);
  requireMemory(instance);
  return parseResponse(response);
}

function takeResponse(
  instance: Instance,
  pointer: number,
  length: number,
): Uint8Array<ArrayBuffer> {
  // Too much memory or too long an answer drops the whole instance, and its buffers with it.
  requireMemory(instance);
  if (length > LIMITS.responseBytes) {
    throw new EvaluatorError(
      "evaluator-response-too-large",
      `the evaluator response has ${length} bytes, at most ${LIMITS.responseBytes} are allowed`,
    );
  }
  const response = view(instance, pointer, length).slice();
  instance.dealloc(pointer, length);
  return response;
}

/** Frees on the way out of a failure, whose own error must not be replaced by a second one. */
function freeQuietly(instance: Instance, pointer: number, length: number): void {
  try {
    instance.dealloc(pointer, length);
  } catch {
    // The instance is dropped anyway.
  }
}

/** A view of the memory as it is now: a call may have moved it. */
function view(instance: Instance, pointer: number, length: number): Uint8Array<ArrayBuffer> {
  const buffer = instance.memory.buffer;
  if (!(buffer instanceof ArrayBuffer) || pointer + length > buffer.byteLength) {
    throw new EvaluatorError("evaluator-failed", "the evaluator points outside its memory");
  }
  return new Uint8Array(buffer, pointer, length);
}

function requireMemory(instance: Instance): void {
  const held = instance.memory.buffer.byteLength;
  if (held > LIMITS.memoryBytes) {
    throw new EvaluatorError(
      "evaluator-memory",
      `the evaluator holds ${held} bytes of memory, at most ${LIMITS.memoryBytes} are allowed`,
    );
  }
}

function parseResponse(bytes: Uint8Array<ArrayBuffer>): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw new EvaluatorError(
      "evaluator-response-invalid",
      "the evaluator response is not JSON in UTF-8",
      { cause },
    );
  }
}

function readEvalResponse(response: unknown): EvalResponse {
  if (isRecord(response) && isFuel(response.fuel)) {
    const { ok, fuel, err, value } = response;
    if (ok === true && isJson(value)) return { ok, value, fuel };
    if (ok === false && isProgramError(err)) return { ok, err, fuel };
  }
  throw new EvaluatorError("evaluator-response-invalid", "the evaluation response has no result");
}

function readCheckResponse(response: unknown): CheckResponse {
  if (isRecord(response)) {
    const { ok, fuel, err } = response;
    if (ok === true) return { ok };
    if (ok === false && isProgramError(err)) {
      return isFuel(fuel) ? { ok, err, fuel } : { ok, err };
    }
  }
  throw new EvaluatorError("evaluator-response-invalid", "the check response has no result");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFuel(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LIMITS.fuel;
}

/** Everything `JSON.parse` gives is JSON; only a missing member is not. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}

function isProgramError(value: unknown): value is ProgramError {
  return isRecord(value) && typeof value.code === "string";
}
