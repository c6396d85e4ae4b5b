/** Opening the database that the configuration names, with what keeps it from opening in a line. */
import { dirname } from "node:path";
import { within } from "../lib/async/within.ts";
import type { KvLocation } from "../service/config.ts";

/** How long a KV server may take to answer when it is opened, in milliseconds. */
const PATIENCE_MS = 10_000;

type Opened = { kv: Deno.Kv } | { problem: string };

/** Opens the database. A problem is one line for whoever set the environment. */
export async function openDatabase(location: KvLocation): Promise<Opened> {
  switch (location.kind) {
    case "deploy":
      return await attempt("the database of this deployment", () => Deno.openKv());
    case "server":
      return await openServer(location.url);
    case "file":
      return await openFile(location.path);
  }
}

async function openServer(url: string): Promise<Opened> {
  const { host, port, protocol } = new URL(url);
  const address = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
  const net = await Deno.permissions.query({ name: "net", host: address });
  if (net.state !== "granted") {
    const problem = `the KV server ${address} (KV_URL) may not be reached: ` +
      `start with --allow-net=${address} beside the other addresses`;
    return { problem };
  }
  return await attempt(`the KV server ${url} (KV_URL)`, () => Deno.openKv(url));
}

async function openFile(path: string): Promise<Opened> {
  if (path === ":memory:") return { kv: await Deno.openKv(path) };
  const [read, write] = await Promise.all([
    Deno.permissions.query({ name: "read", path }),
    Deno.permissions.query({ name: "write", path }),
  ]);
  const folder = dirname(path);
  if (read.state !== "granted" || write.state !== "granted") {
    const problem = `the database ${path} (KV_PATH) is outside of what this process may read and ` +
      `write: start with --allow-read=data,${folder} --allow-write=data,${folder}, ` +
      "or choose a file in ./data";
    return { problem };
  }
  return await attempt(`the database ${path} (KV_PATH)`, async () => {
    // The folder is made unless only the file itself may be touched.
    const permission = await Deno.permissions.query({ name: "write", path: folder });
    if (permission.state === "granted") await Deno.mkdir(folder, { recursive: true });
    return await Deno.openKv(path);
  });
}

async function attempt(what: string, open: () => Promise<Deno.Kv>): Promise<Opened> {
  const opening = open();
  try {
    const kv = await within(opening, PATIENCE_MS, null);
    if (kv === null) throw new Error(`no answer within ${PATIENCE_MS / 1000} s`);
    return { kv };
  } catch (error) {
    // Should it open after all, nobody is left to use it.
    opening.then((kv) => kv.close(), () => {});
    const message = error instanceof Error ? error.message : String(error);
    return { problem: `${what} can't be opened: ${message}` };
  }
}
