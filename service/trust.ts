/**
 * The registry of this service: `issuers.json` and `policies.json`, which an operator edits. They
 * come with the code, so no read permission is needed; as text, so that a broken one is named.
 */
import { parseJson } from "../lib/encoding/json.ts";
import { readIssuers, readPolicies, type Registry, RegistryError } from "../lib/trust/registry.ts";
import { type Trust, trustOf } from "../lib/words/signer.ts";
import issuers from "../issuers.json" with { type: "text" };
import policies from "../policies.json" with { type: "text" };

let read: Registry | null = null;
let trusted: Trust | null = null;

/**
 * The registry, read and validated at the first call.
 *
 * @throws {RegistryError} with lines that begin with the file's name.
 */
export function registry(): Registry {
  read ??= readRegistry(issuers, policies);
  return read;
}

/**
 * The registry by whole keys and by hashes, as words about results need it.
 *
 * @throws {RegistryError} as {@link registry}.
 */
export function trust(): Trust {
  trusted ??= trustOf(registry());
  return trusted;
}

/**
 * Reads the texts of the two files.
 *
 * @throws {RegistryError} as {@link registry}.
 */
export function readRegistry(issuers: string, policies: string): Registry {
  const faults: string[] = [];
  const fromFile = <T>(file: string, text: string, readEntries: (value: unknown) => T[]): T[] => {
    const parsed = parseJson(text);
    try {
      if (!parsed.ok) throw new RegistryError("this is not JSON");
      return readEntries(parsed.value);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      faults.push(...error.message.split("\n").map((line) => `${file}: ${line}`));
      return [];
    }
  };
  const found = {
    issuers: fromFile("issuers.json", issuers, readIssuers),
    policies: fromFile("policies.json", policies, readPolicies),
  };
  if (faults.length > 0) throw new RegistryError(faults.join("\n"));
  return found;
}
