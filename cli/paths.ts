/**
 * Files as whoever called means them. `deno task` runs every command in the project's folder, and says
 * in INIT_CWD where it was called: a file named there must not be looked for here.
 */
import { isAbsolute, resolve } from "node:path";

/** The path that a relative one of the caller's stands for; without INIT_CWD as it is. */
export function callersPath(path: string): string {
  const folder = calledFrom();
  return folder === null || isAbsolute(path) ? path : resolve(folder, path);
}

function calledFrom(): string | null {
  const permission = { name: "env", variable: "INIT_CWD" } as const;
  // A command that is run without its task need not be allowed to read it.
  if (Deno.permissions.querySync(permission).state !== "granted") return null;
  return Deno.env.get("INIT_CWD") || null;
}
