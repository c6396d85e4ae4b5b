/** Calls a module's exports directly, without the host's limits. */
import { ownModule } from "../../wasm/load.ts";

type Call = "algal_eval" | "algal_check";

export interface RawEvaluator {
  /** The response's text, or null when the export gave 0. Traps throw. */
  call(name: Call, request: string | Uint8Array): string | null;
  /** Bytes of memory the instance holds. */
  held(): number;
  exports: WebAssembly.Exports;
}

const compiled = ownModule().then((bytes) => WebAssembly.compile(new Uint8Array(bytes)));

/** A fresh instance of our own module. */
export async function rawEvaluator(): Promise<RawEvaluator> {
  const { exports } = await WebAssembly.instantiate(await compiled);
  const memory = exports.memory as WebAssembly.Memory;
  const alloc = exports.algal_alloc as (length: number) => number;
  const dealloc = exports.algal_dealloc as (pointer: number, length: number) => void;
  return {
    exports,
    held: () => memory.buffer.byteLength,
    call(name, request) {
      const bytes = typeof request === "string" ? new TextEncoder().encode(request) : request;
      const pointer = alloc(bytes.length) >>> 0;
      new Uint8Array(memory.buffer, pointer, bytes.length).set(bytes);
      const run = exports[name] as (pointer: number, length: number) => bigint;
      const result = BigInt.asUintN(64, run(pointer, bytes.length));
      dealloc(pointer, bytes.length);
      if (result === 0n) return null;
      const at = Number(result >> 32n);
      const length = Number(result & 0xffff_ffffn);
      const response = new Uint8Array(memory.buffer, at, length).slice();
      dealloc(at, length);
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(response);
    },
  };
}
