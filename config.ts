/**
 * Configuration by environment, read once and validated before anything starts.
 */
import { z } from "zod";

const port = z.string().regex(/^[0-9]{1,5}$/, "a port is a number from 0 to 65535")
  .transform(Number).refine((n) => n <= 65_535, "a port is a number from 0 to 65535");

const publicUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" && !/[?#]/.test(text);
}, "an http or https URL without credentials, query or fragment is needed")
  .transform((text) => text.replace(/\/+$/, ""));

const schema = z.object({
  PORT: port.default(8000),
  HOST: z.string().regex(/^[0-9A-Za-z.:\-]{1,253}$/, "a host name or IP address is needed")
    .default("127.0.0.1"),
  KV_PATH: z.string().min(1, "a path or :memory: is needed").default("data/touchstone.kv"),
  PUBLIC_URL: publicUrl.optional(),
  EVALUATOR: z.enum(["auto", "official"], { error: "auto or official is needed" }).default("auto"),
});

/** The names of all environment variables that are read; the tasks grant exactly these. */
export const VARIABLES = Object.keys(schema.shape) as (keyof typeof schema.shape)[];

export interface Config {
  /** 0 lets the system choose. */
  port: number;
  host: string;
  /** Path of the KV file, or `:memory:`. */
  kvPath: string;
  /** Where the service is reached from outside, without a trailing slash; null: as the request says. */
  publicUrl: string | null;
  /** `official`: never let our own evaluator decide in place of an absent official one. */
  evaluator: "auto" | "official";
}

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
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(faults.join("\n"));
  }
  const { PORT, HOST, KV_PATH, PUBLIC_URL, EVALUATOR } = parsed.data;
  return {
    port: PORT,
    host: HOST,
    kvPath: KV_PATH,
    publicUrl: PUBLIC_URL ?? null,
    evaluator: EVALUATOR,
  };
}
