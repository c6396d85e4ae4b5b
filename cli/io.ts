/** What a command reads and writes, so that tests can run it without a process. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  stdin(): Promise<Uint8Array>;
  /** Whether standard output is a terminal: colours only there. */
  terminal: boolean;
}

/** The process's own streams. Writes are complete when they return. */
export function processIo(): Io {
  const encoder = new TextEncoder();
  const write = (stream: { writeSync(bytes: Uint8Array): number }) => (text: string) => {
    let rest = encoder.encode(text);
    while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
  };
  return {
    out: write(Deno.stdout),
    err: write(Deno.stderr),
    stdin: async () => new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer()),
    terminal: Deno.stdout.isTerminal() && !Deno.noColor,
  };
}
