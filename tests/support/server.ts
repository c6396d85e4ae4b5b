/** A real server on loopback for tests, with a database in memory. */
import { inLineChecker } from "../../service/checker.ts";
import { createApp } from "../../routes/app.ts";
import { createServices, type Fetching, type ServiceOptions } from "../../service/services.ts";
import { testRules } from "./remote.ts";
import type { RemoteRules } from "../../lib/fetch/rules.ts";
import type { StoreOptions } from "../../lib/store/store.ts";
import type { Checker } from "../../lib/verify/checker.ts";
import type { TimeLimits } from "../../lib/verify/input.ts";
import type { Registry } from "../../lib/trust/registry.ts";
import type { VerifyContext } from "../../lib/verify/context.ts";
import type { KeyPair } from "../../lib/issuer/keys.ts";
import { type AnswerKind, mintAdmission, type Minted } from "../../lib/issuer/mint.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

export interface TestServer {
  /** Origin, without a trailing slash. */
  url: string;
  kv: Deno.Kv;
  /** Its file, which others may open too; `:memory:` without one. */
  kvPath: string;
  verifier: VerifyContext;
  /** What an operator would have seen. */
  logs: string[];
  /** Another server, that URLs may be fetched from; without one, an address that nothing is at. */
  origin: string;
  /** As a browser on one of the service's own pages would. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export interface TestOptions
  extends Pick<ServiceOptions, "limits" | "trustedProxies" | "renderer" | "onLoopback"> {
  publicUrl?: string;
  verifier?: (verifier: VerifyContext) => VerifyContext;
  kv?: (kv: Deno.Kv) => Deno.Kv;
  store?: StoreOptions;
  heartbeat?: number;
  /** Wraps the checker, which checks in line. */
  checker?: (checker: Checker) => Checker;
  time?: TimeLimits;
  registry?: Registry;
  now?: () => number;
  /** What that other server answers. */
  origin?: (request: Request) => Response | Promise<Response>;
  /** Whether URLs are fetched; default: they are. */
  fetching?: false | Partial<Omit<Fetching, "rules">>;
  /** How often hosts may be asked; default: without limits. */
  hosts?: Partial<Pick<RemoteRules, "hosts" | "addresses">>;
  /** A database file of its own instead of memory: what a second process or a restart would find. */
  file?: boolean;
}

/** Defines a test that runs against a server of its own. */
export function serverTest(
  name: string,
  run: (server: TestServer) => Promise<void>,
  options: TestOptions = {},
): void {
  Deno.test(name, async () => {
    const logs: string[] = [];
    const log = (message: string) => void logs.push(message);
    const folder = options.file ? await Deno.makeTempDir() : null;
    const kvPath = folder === null ? ":memory:" : `${folder}/test.kv`;
    const kv = await Deno.openKv(kvPath);
    const origin = options.origin === undefined ? null : serve(options.origin);
    const host = origin === null ? "127.0.0.1:1" : `127.0.0.1:${origin.addr.port}`;
    const own = createVerifyContext("auto", log);
    const verifier = options.verifier?.(own) ?? own;
    const inLine = inLineChecker(verifier, options.time);
    const app = createApp(createServices({
      kv: options.kv?.(kv) ?? kv,
      checker: options.checker?.(inLine) ?? inLine,
      references: verifier.references,
      publicUrl: options.publicUrl ?? null,
      log,
      limits: options.limits ?? null,
      trustedProxies: options.trustedProxies ?? [],
      ...(options.renderer && { renderer: options.renderer }),
      ...(options.onLoopback !== undefined && { onLoopback: options.onLoopback }),
      fetching: options.fetching === false
        ? null
        : { rules: testRules([host], options.hosts), ...options.fetching },
      ...(options.store && { store: options.store }),
      ...(options.heartbeat && { heartbeat: options.heartbeat }),
      ...(options.registry && { registry: options.registry }),
      ...(options.now && { now: options.now }),
    }));
    const server = serve((request, info) => app.fetch(request, info));
    const url = `http://127.0.0.1:${server.addr.port}`;
    try {
      await run({
        url,
        kv,
        kvPath,
        verifier,
        logs,
        origin: `http://${host}`,
        fetch(path, init) {
          const headers = new Headers(init?.headers);
          if (init?.method === "POST" && !headers.has("origin")) headers.set("origin", url);
          return fetch(`${url}${path}`, { redirect: "manual", ...init, headers });
        },
      });
    } finally {
      await app.close();
      await server.shutdown();
      await origin?.shutdown();
      kv.close();
      if (folder !== null) await Deno.remove(folder, { recursive: true });
    }
  });
}

function serve(handler: Deno.ServeHandler<Deno.NetAddr>): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
}

/** Mints an admission of the house suite. */
export function mint(
  { verifier }: Pick<TestServer, "verifier">,
  request: {
    cells?: string[];
    answers?: AnswerKind[];
    minPass?: number;
    context?: string;
    subject?: string;
    key?: KeyPair;
    now?: number;
  } = {},
): ReturnType<typeof mintAdmission> {
  const { cells = ["algal:t1"], answers = ["right", "right"], minPass = 1, ...rest } = request;
  return mintAdmission({ references: verifier.references, cells, answers, minPass, ...rest });
}

/** Mints an admission with two published and two held-out challenges, three of them passed. */
export function mintHeldOut(server: Pick<TestServer, "verifier">): Promise<Minted> {
  return mint(server, {
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "right", "wrong", "right"],
    minPass: 3,
  });
}

/** A request that sends JSON. */
export function post(value: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof value === "string" ? value : JSON.stringify(value),
  };
}

/** A request that sends bytes as they are. */
export function upload(body: BodyInit, type = "application/octet-stream"): RequestInit {
  return { method: "POST", headers: { "content-type": type }, body };
}

/** Gzip of a text, or of bytes. */
export async function gzip(content: string | BufferSource): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
