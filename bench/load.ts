/**
 * What a client can do to others, measured.
 *
 * Without arguments everything is run: a hot badge while the verifier is saturated (some two
 * minutes), then one hostile client after the other (some two minutes each). Single letters choose
 * among the latter. Exits with status 1 when a requirement is missed.
 *
 * Run: deno task load [a] [b] [c] [d] [e] [f]
 */
import { ATTACKS, type Letter } from "./load/attacks.ts";
import { runHostile } from "./load/hostile.ts";
import { runSaturated } from "./load/saturated.ts";

const letters = Object.keys(ATTACKS) as Letter[];
const unknown = Deno.args.filter((arg) => !letters.includes(arg as Letter));
if (unknown.length > 0) {
  console.error(`there is no ${unknown.join(", ")}; the hostile clients: ${letters.join(", ")}`);
  Deno.exit(2);
}
if (Deno.args.length === 0) await runSaturated();
const chosen = letters.filter((letter) => Deno.args.length === 0 || Deno.args.includes(letter));
Deno.exitCode = await runHostile(chosen) ? 0 : 1;
