import type { Io } from "../../cli/io.ts";

/** A command's surroundings in memory: what it wrote, and what it may read. */
export function memoryIo(
  stdin: string | Uint8Array = "",
): Io & { written: string; errors: string } {
  return {
    written: "",
    errors: "",
    terminal: false,
    out(text) {
      this.written += text;
    },
    err(text) {
      this.errors += text;
    },
    stdin: () =>
      Promise.resolve(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin),
  };
}
