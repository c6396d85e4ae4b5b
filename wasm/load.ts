/** Reads evaluator modules on Deno. Nothing is read before a function is called. */

/** Our own module's bytes; comes with the code, so it needs no read permission. */
export async function ownModule(): Promise<Uint8Array> {
  const { default: bytes } = await import("./algal_expr.wasm", { with: { type: "bytes" } });
  return bytes;
}

/**
 * The official module's bytes from the file `path`, or null when there is no such file. Files over
 * 4 MiB are cut there: they can't match the pin anyway, and need not be held in memory.
 * @throws {Deno.errors} when the file exists but can't be read.
 */
export async function officialModule(path: string): Promise<Uint8Array | null> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of file.readable) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_MODULE_BYTES) break;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const MAX_MODULE_BYTES = 4 * 1024 * 1024;
