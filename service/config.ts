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

/** The parts of a list with commas between them. */
const list = (text: string) => text.split(",").map((part) => part.trim()).filter((part) => part);

/** Hosts as URLs have them; the port is left out where it is the scheme's own. */
const hosts = z.string().default("").transform((text, context): ReadonlySet<string> => {
  const given = list(text).map(readHost);
  if (given.every((host) => host !== null)) return new Set(given);
  context.addIssue("hosts with a comma between them are needed, as files.example, 127.0.0.1:8000");
  return z.NEVER;
});

const ports = z.string().default("443,8443").transform((text, context): ReadonlySet<number> => {
  const given = list(text);
  const isPort = (part: string) => /^[1-9][0-9]{0,4}$/.test(part) && Number(part) <= 65_535;
  if (given.length > 0 && given.every(isPort)) return new Set(given.map(Number));
  context.addIssue("ports with a comma between them are needed, as 443, 8443");
  return z.NEVER;
});

/** All documents of a request together have the time of so many. */
const DOCUMENTS_IN_TIME = TIME_LIMITS.input / TIME_LIMITS.document;
/** A limit for each client, as `60/min`. */
const rate = (name: BucketName, byDefault: string) =>
  z.string().default(byDefault).transform((text, context): Policy => {
    const read = readRate(text);
    if (read !== null) return { name, ...read };
    context.addIssue("a number above 0 and a unit are needed, as 60/min; units: s, min, h, day");
    return z.NEVER;
  });

const networks = z.string().default("").transform((text, context): Network[] => {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  const read = parts.map(readNetwork);
  if (read.every((network) => network !== null)) return read;
  context.addIssue(
    "IP addresses and networks with a comma between them are needed, as 10.0.0.0/8, ::1",
  );
  return z.NEVER;
});

const DEFAULT_KV_PATH = "data/touchstone.kv";

const evaluator = z.enum(["auto", "official"], { error: "auto or official is needed" })
  .default("auto");

const schema = z.object({
  PORT: port.default(8000),
  HOST: z.string().regex(/^[0-9A-Za-z.:\-]{1,253}$/, "a host name or IP address is needed")
    .default("127.0.0.1"),
  KV_PATH: z.string().min(1, "a path or :memory: is needed").optional(),
  KV_URL: kvUrl.optional(),
  DENO_KV_ACCESS_TOKEN: z.string().optional(),
  DENO_DEPLOYMENT_ID: z.string().optional(),
  PUBLIC_URL: publicUrl.optional(),
  EVALUATOR: evaluator,
  QUOTA_BYTES: amount("a number of bytes").optional(),
  QUOTA_DOCUMENTS_PER_HOUR: amount("a number of documents").optional(),
  RETENTION_DAYS: amount("a number of days").optional(),
  VERIFY_WORKERS: z.string().regex(/^[0-9]{1,2}$/, "a number from 0 to 99 is needed")
    .transform(Number).optional(),
  VERIFY_MS: amount("a number of milliseconds").default(TIME_LIMITS.document),
  RATE_LIMITS: z.enum(["on", "off"], { error: "on or off is needed" }).default("on"),
  // A request of 100 documents and 4 MiB costs 164.
  RATE_VERIFY: rate("verify", "300/min"),
  // A dry run may take more than a second.
  RATE_PUBLISH: rate("publish", "20/min"),
  RATE_READ: rate("read", "600/min"),
  // One of an image proxy's few addresses fetches for very many people.
  RATE_BADGE: rate("badge", "12000/min"),
  // A plain badge takes 3 ms and costs 1, a card or a PNG more.
  RATE_DRAW: rate("draw", "1200/min"),
  // Four clients' full shares; a descriptor each.
  MAX_CONNECTIONS: amount("a number of connections").default(1000),
  // What the badges of a URL set off: a token a look, a document, 64 KiB or 30 ms.
  RATE_LOOK: rate("look", "600/min"),
  TRUSTED_PROXIES: networks,
  FETCH: z.enum(["on", "off"], { error: "on or off is needed" }).default("on"),
  FETCH_ALLOW_HOSTS: hosts,
  FETCH_PORTS: ports,
});

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

/** The names of all environment variables that the service reads; its task grants exactly these. */
export const VARIABLES = Object.keys(schema.shape) as (keyof typeof schema.shape)[];

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
  given: z.infer<typeof schema>,
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
  const parsed = evaluator.safeParse(get("EVALUATOR") || undefined);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`EVALUATOR: ${parsed.error.issues[0]!.message}`);
}

function locate(
  { KV_URL, KV_PATH, DENO_DEPLOYMENT_ID }: z.infer<typeof schema>,
): KvLocation {
  if (KV_URL !== undefined) return { kind: "server", url: KV_URL };
  // A file on Deno Deploy would be gone with the instance.
  if (DENO_DEPLOYMENT_ID !== undefined) return { kind: "deploy" };
  return { kind: "file", path: KV_PATH ?? DEFAULT_KV_PATH };
}
