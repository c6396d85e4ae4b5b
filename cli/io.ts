/** What a command reads and writes, so that tests can run it without a process. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Standard input, cut off somewhere behind `limit` bytes: more than that says it was too much. */
  stdin(limit?: number): Promise<Uint8Array>;
  /** Whether standard output is a terminal: colours only there. */
  terminal: boolean;
}

/** Exit status of a process whose reader went away, as shells count it (128 + SIGPIPE). */
const READER_GONE = 141;

/** The process's own streams. Writes are complete when they return. */
export function processIo(): Io {
  const encoder = new TextEncoder();
  const write = (stream: { writeSync(bytes: Uint8Array): number }) => (text: string) => {
    let rest = encoder.encode(text);
    try {
      while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) Deno.exit(READER_GONE);
      throw error;
    }
  };
  return {
    out: write(Deno.stdout),
    err: write(Deno.stderr),
    stdin: (limit = Infinity) => readUpTo(Deno.stdin.readable, limit),
    terminal: Deno.stdout.isTerminal() && !Deno.noColor,
  };
}

/** The bytes of a stream; reading stops at the first chunk that takes them past `limit`. */
export async function readUpTo(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
