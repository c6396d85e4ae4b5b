/**
 * Configuration by environment, read once and validated before anything starts.
 */
import { z } from "zod";
import { type Network, readNetwork } from "../lib/limits/address.ts";
import { type BucketName, type Policies, type Policy, readRate } from "../lib/limits/policy.ts";
import { readHost } from "../lib/fetch/allow.ts";
import type { RemoteRules } from "../lib/fetch/rules.ts";
import type { Quotas } from "../lib/store/store.ts";
import { TIME_LIMITS } from "../lib/verify/checker.ts";
import type { TimeLimits } from "../lib/verify/input.ts";

const port = z.string().regex(/^[0-9]{1,5}$/, "a port is a number from 0 to 65535")
  .transform(Number).refine((n) => n <= 65_535, "a port is a number from 0 to 65535");

const host = z.string().regex(
  /^[0-9A-Za-z.:\-]{1,253}$/,
  "a host name or IP address is needed",
);

const publicUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" && !/[?#]/.test(text);
}, "an http or https URL without credentials, query or fragment is needed")
  .transform((text) => text.replace(/\/+$/, ""));

const kvUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" && url.hash === "";
}, "an http or https URL without credentials or fragment is needed");

/** A whole number above zero: a limit of none would store nothing, and is more likely a mistake. */
const amount = (what: string) =>
  z.string().regex(/^[1-9][0-9]{0,14}$/, `${what}, a whole number above 0, is needed`)
    .transform(Number);

const workers = z.string().regex(/^[0-9]{1,2}$/, "a number from 0 to 99 is needed")
  .transform(Number);

const onOrOff = z.enum(["on", "off"], { error: "on or off is needed" });

const evaluator = z.enum(["auto", "official"], { error: "auto or official is needed" });

/** The parts of a list with commas between them. */
const list = (text: string) => text.split(",").map((part) => part.trim()).filter((part) => part);

/** Hosts as URLs have them; the port is left out where it is the scheme's own. */
const hosts = z.string().transform((text, context): ReadonlySet<string> => {
  const given = list(text).map(readHost);
  if (given.every((host) => host !== null)) return new Set(given);
  context.addIssue("hosts with a comma between them are needed, as files.example, 127.0.0.1:8000");
  return z.NEVER;
});

const ports = z.string().transform((text, context): ReadonlySet<number> => {
  const given = list(text);
  const isPort = (part: string) => /^[1-9][0-9]{0,4}$/.test(part) && Number(part) <= 65_535;
  if (given.length > 0 && given.every(isPort)) return new Set(given.map(Number));
  context.addIssue("ports with a comma between them are needed, as 443, 8443");
  return z.NEVER;
});

/** A limit for each client, as `60/min`. */
const rate = (name: BucketName) =>
  z.string().transform((text, context): Policy => {
    const read = readRate(text);
    if (read !== null) return { name, ...read };
    context.addIssue("a number above 0 and a unit are needed, as 60/min; units: s, min, h, day");
    return z.NEVER;
  });

const networks = z.string().transform((text, context): Network[] => {
  const read = list(text).map(readNetwork);
  if (read.every((network) => network !== null)) return read;
  context.addIssue(
    "IP addresses and networks with a comma between them are needed, as 10.0.0.0/8, ::1",
  );
  return z.NEVER;
});

const DEFAULT_KV_PATH = "data/touchstone.kv";

/** All that there is to say about one environment variable. */
interface Variable<T> {
  /** Reads the text; an unset variable is its default. */
  schema: z.ZodType<T, string | undefined>;
  /** The default as people read it; null: there is none. */
  byDefault: string | null;
  /** What `--help` says, after the name and before the default; null: nobody sets it by hand. */
  help: string | null;
  /** Who may read it: the server and the operator's `store`, or the commands that check, too. */
  readBy: "server" | "commands";
}

/** A variable that is read as `byDefault` when it isn't set. */
function set<T>(byDefault: string, schema: z.ZodType<T, string>, help: string): Variable<T> {
  return { schema: schema.prefault(byDefault), byDefault, help, readBy: "server" };
}

/** A variable that may be absent; `said` tells what holds then. */
function unset<T>(
  said: string | null,
  schema: z.ZodType<T, string>,
  help: string | null,
): Variable<T | undefined> {
  return { schema: schema.optional(), byDefault: said, help, readBy: "server" };
}

/** A list that is empty when it isn't set. */
function empty<T>(schema: z.ZodType<T, string>, help: string): Variable<T> {
  return { schema: schema.prefault(""), byDefault: null, help, readBy: "server" };
}

/**
 * The environment variables of the service, each declared once. The server's help is made from this
 * table; a test compares README's table and the permissions of the tasks with it.
 */
export const ENVIRONMENT = {
  PORT: set("8000", port, "port; 0 lets the system choose"),
  HOST: set("127.0.0.1", host, "name or address to listen on"),
  KV_PATH: unset(
    DEFAULT_KV_PATH,
    z.string().min(1, "a path or :memory: is needed"),
    "file of the database, or :memory:",
  ),
  KV_URL: unset(null, kvUrl, "a KV server in place of a file"),
  DENO_KV_ACCESS_TOKEN: unset(null, z.string(), "the access token of that KV server"),
  DENO_DEPLOYMENT_ID: unset(null, z.string(), null),
  PUBLIC_URL: unset(
    "as the request says",
    publicUrl,
    "where the service is reached from outside",
  ),
  EVALUATOR: {
    ...set(
      "auto",
      evaluator,
      "official: never let the service's own evaluator decide in place of ALGAL's",
    ),
    readBy: "commands",
  },
  VERIFY_WORKERS: unset(
    "processors less one",
    workers,
    "workers that check documents; with 0 the server itself checks them",
  ),
  VERIFY_MS: set(
    `${TIME_LIMITS.document}`,
    amount("a number of milliseconds"),
    "milliseconds that checking a document may take",
  ),
  QUOTA_BYTES: unset(null, amount("a number of bytes"), "bytes that may be stored in all"),
  QUOTA_DOCUMENTS_PER_HOUR: unset(
    null,
    amount("a number of documents"),
    "documents that one address may store an hour",
  ),
  RETENTION_DAYS: unset(
    null,
    amount("a number of days"),
    "days after which documents that nobody asked for are removed; their histories stay",
  ),
  RATE_LIMITS: set(
    "on",
    onOrOff,
    "on or off: whether there are limits to what one address may use. They are counted in tokens: a " +
      "request costs one for each document, and one more for every 64 KiB",
  ),
  // A request of 100 documents and 4 MiB costs 164.
  RATE_VERIFY: set(
    "300/min",
    rate("verify"),
    "tokens for checking and storing documents; units s, min, h, day. So many may be used at once, " +
      "and so many more come in every such time. A request that costs more is never admitted",
  ),
  // A dry run may take more than a second.
  RATE_PUBLISH: set("20/min", rate("publish"), "the same for publishing pools and its dry runs"),
  RATE_READ: set("600/min", rate("read"), "the same for pages and everything else that is read"),
  // One of an image proxy's few addresses fetches for very many people.
  RATE_BADGE: set("12000/min", rate("badge"), "the same for badges"),
  // A plain badge takes 3 ms and costs 1, a card or a PNG more.
  RATE_DRAW: set(
    "1200/min",
    rate("draw"),
    "the same for drawing badges that nobody asked for lately",
  ),
  // What the badges of a URL set off costs a token for each look, document, 64 KiB or 30 ms.
  RATE_LOOK: set(
    "600/min",
    rate("look"),
    "the same for the fetches and checks that badges set off, for whoever asks for the badge",
  ),
  // Four clients' full shares, with a descriptor for each connection.
  MAX_CONNECTIONS: set(
    "1000",
    amount("a number of connections"),
    "connections at a time; one address may hold a quarter of them. Each needs a file descriptor: " +
      "fewer connections are kept once those run out",
  ),
  TRUSTED_PROXIES: empty(
    networks,
    "addresses and networks (10.0.0.0/8, ::1) of proxies whose X-Forwarded-For or Forwarded is " +
      "believed. Without it, all clients behind a proxy have the proxy's address",
  ),
  FETCH: set("on", onOrOff, "on or off: whether documents are fetched by URL"),
  FETCH_PORTS: set("443,8443", ports, "ports that are fetched from"),
  FETCH_ALLOW_HOSTS: empty(
    hosts,
    "hosts (files.example, 10.0.0.5:8000) that are fetched from on any port, by http too, and at " +
      "addresses that are not public",
  ),
} satisfies Record<string, Variable<unknown>>;

type Name = keyof typeof ENVIRONMENT;

/** The names of all environment variables that the service reads. */
export const VARIABLES = Object.keys(ENVIRONMENT) as Name[];

/** Variables that the library which draws badges looks at. */
export const DRAWING_VARIABLES = ["NODE_ENV", "JEST_WORKER_ID"] as const;

/** What `--help` says of the variables that somebody sets, in lines of at most `width` characters. */
export function variablesHelp(width = 100): string {
  const indent = 2 + Math.max(...VARIABLES.map((name) => name.length)) + 2;
  const lines: string[] = [];
  for (const name of VARIABLES) {
    const { help, byDefault }: Variable<unknown> = ENVIRONMENT[name];
    if (help === null) continue;
    let line = `  ${name}`.padEnd(indent - 1);
    for (const word of `${help} (default: ${byDefault ?? "none"})`.split(" ")) {
      if (line.length + 1 + word.length > width) {
        lines.push(line);
        line = " ".repeat(indent - 1);
      }
      line += ` ${word}`;
    }
    lines.push(line);
  }
  return `${lines.join("\n")}\n`;
}

type Given = { [N in Name]: z.output<typeof ENVIRONMENT[N]["schema"]> };

const schema = z.object(
  Object.fromEntries(VARIABLES.map((name) => [name, ENVIRONMENT[name].schema])) as {
    [N in Name]: typeof ENVIRONMENT[N]["schema"];
  },
);

/** All documents of a request together have the time of so many. */
const DOCUMENTS_IN_TIME = TIME_LIMITS.input / TIME_LIMITS.document;

const consistent = schema.superRefine((given, context) => {
  const complain = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  if (given.KV_URL === undefined) return;
  if (given.KV_PATH !== undefined) {
    complain("KV_URL", "a server and a file (KV_PATH) exclude each other");
  }
  if (given.DENO_KV_ACCESS_TOKEN === undefined) {
    complain("DENO_KV_ACCESS_TOKEN", "the KV server of KV_URL asks for an access token");
  }
});

export interface Config {
  /** 0 lets the system choose. */
  port: number;
  host: string;
  kv: KvLocation;
  /** On Deno Deploy, where `host` says nothing of who can reach the service. */
  deployed: boolean;
  /** Where the service is reached from outside, without a trailing slash; null: as the request says. */
  publicUrl: string | null;
  /** `official`: never let our own evaluator decide in place of an absent official one. */
  evaluator: "auto" | "official";
  quotas: Quotas;
  /** Workers that check documents; 0: checks are done in line. */
  workers: number;
  time: TimeLimits;
  /** Documents that nobody asked for in so many days are removed; null: none ever is. */
  retentionDays: number | null;
  /** What one client may use of the service; null: there is no limit. */
  limits: Policies | null;
  /** Connections at a time. */
  maxConnections: number;
  /** Proxies that are believed when they say who the client is. */
  trustedProxies: Network[];
  /** What URLs may be fetched; null: none. */
  fetch: Pick<RemoteRules, "allowHosts" | "ports"> | null;
}

/** Where the database is. */
export type KvLocation =
  /** A file, or `:memory:`. */
  | { kind: "file"; path: string }
  /** A KV server. */
  | { kind: "server"; url: string }
  /** The one that Deno Deploy gives a deployment. */
  | { kind: "deploy" };

/** A variable has a malformed value. The message names the variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads the configuration. An empty value counts as unset.
 *
 * @param get gives a variable's value, or undefined.
 * @throws {ConfigError} naming every variable that is malformed.
 */
export function readConfig(get: (name: string) => string | undefined): Config {
  const given = Object.fromEntries(VARIABLES.map((name) => [name, get(name) || undefined]));
  const parsed = consistent.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(faults.join("\n"));
  }
  const { PORT, HOST, PUBLIC_URL, EVALUATOR, QUOTA_BYTES, QUOTA_DOCUMENTS_PER_HOUR } = parsed.data;
  const { VERIFY_WORKERS, VERIFY_MS } = parsed.data;
  return {
    port: PORT,
    host: HOST,
    kv: locate(parsed.data),
    deployed: parsed.data.DENO_DEPLOYMENT_ID !== undefined,
    publicUrl: PUBLIC_URL ?? null,
    evaluator: EVALUATOR,
    quotas: { bytes: QUOTA_BYTES ?? null, documentsPerHour: QUOTA_DOCUMENTS_PER_HOUR ?? null },
    workers: VERIFY_WORKERS ?? Math.max(0, navigator.hardwareConcurrency - 1),
    time: { document: VERIFY_MS, input: VERIFY_MS * DOCUMENTS_IN_TIME },
    retentionDays: parsed.data.RETENTION_DAYS ?? null,
    limits: limitsOf(parsed.data),
    maxConnections: parsed.data.MAX_CONNECTIONS,
    trustedProxies: parsed.data.TRUSTED_PROXIES,
    fetch: parsed.data.FETCH === "off"
      ? null
      : { allowHosts: parsed.data.FETCH_ALLOW_HOSTS, ports: parsed.data.FETCH_PORTS },
  };
}

function limitsOf(
  given: Given,
): Policies | null {
  if (given.RATE_LIMITS === "off") return null;
  return {
    verify: given.RATE_VERIFY,
    publish: given.RATE_PUBLISH,
    read: given.RATE_READ,
    badge: given.RATE_BADGE,
    draw: given.RATE_DRAW,
    look: given.RATE_LOOK,
  };
}

/**
 * Reads the one variable that commands without a database need.
 *
 * @throws {ConfigError} if it is malformed.
 */
export function readEvaluatorMode(
  get: (name: string) => string | undefined,
): Config["evaluator"] {
  const parsed = ENVIRONMENT.EVALUATOR.schema.safeParse(get("EVALUATOR") || undefined);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`EVALUATOR: ${parsed.error.issues[0]!.message}`);
}

function locate(
  { KV_URL, KV_PATH, DENO_DEPLOYMENT_ID }: Given,
): KvLocation {
  if (KV_URL !== undefined) return { kind: "server", url: KV_URL };
  // A file on Deno Deploy would be gone with the instance.
  if (DENO_DEPLOYMENT_ID !== undefined) return { kind: "deploy" };
  return { kind: "file", path: KV_PATH ?? DEFAULT_KV_PATH };
}
