/**
 * The entry: the server, and the command line for everything else.
 *
 * Whoever starts the server waits for it, a visitor perhaps. So what it needs is imported at once, and
 * the commands, by an address made at run time, are kept out of what is read before it listens.
 */
import { run as serve } from "./cli/serve.ts";
import { runCommand } from "./cli/run.ts";

const [name = "serve", ...args] = Deno.args;

if (name === "serve") {
  Deno.exitCode = await runCommand(name, args, () => serve);
} else {
  const { main }: typeof import("./cli/main.ts") = await import(
    new URL("./cli/main.ts", import.meta.url).href
  );
  Deno.exitCode = await main(Deno.args);
}
