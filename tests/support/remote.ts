/** Fetching in tests: rules that reach servers on loopback, and outcomes as short texts. */
import assert from "node:assert/strict";
import { FetchError, type FetchErrorCode } from "../../lib/fetch/error.ts";
import { type Fetched, fetchRemote, type Validators } from "../../lib/fetch/fetch.ts";
import { createHosts } from "../../lib/fetch/hosts.ts";
import { createRules, type RemoteRules } from "../../lib/fetch/rules.ts";
import { readTarget } from "../../lib/fetch/target.ts";

/** Hosts without limits: tests ask the same one often. */
export const boundless = () =>
  createHosts({ concurrent: 1e6, perMinute: 1e9, burst: 1e9, total: 1e6, reserved: 0 });

/** Rules under which `allow` (`host:port`) may be fetched from, and no name resolves. */
export function testRules(
  allow: string[] = [],
  given: Parameters<typeof createRules>[0] = {},
): RemoteRules {
  return createRules({
    allowHosts: new Set(allow),
    resolve: () => Promise.resolve([]),
    hosts: boundless(),
    addresses: boundless(),
    ...given,
  });
}

/** Reads and fetches a URL, as the service does. */
export async function fetchText(
  text: string,
  rules: RemoteRules,
  more: { validators?: Validators; signal?: AbortSignal } = {},
): Promise<Fetched> {
  return await fetchRemote(readTarget(text, rules), { rules, ...more });
}

/** The content that a fetch gave, as text. */
export async function contentOf(text: string, rules: RemoteRules): Promise<string> {
  const fetched = await fetchText(text, rules);
  assert.equal(fetched.kind, "content");
  return new TextDecoder().decode(fetched.kind === "content" ? fetched.bytes : undefined);
}

/** The error that a fetch ends with; the test fails if it gives something, or fails otherwise. */
export async function errorOf(text: string, rules: RemoteRules): Promise<FetchError> {
  let fetched: Fetched;
  try {
    fetched = await fetchText(text, rules);
  } catch (error) {
    if (error instanceof FetchError) return error;
    throw error;
  }
  assert.fail(`${JSON.stringify(text)} gave ${fetched.kind}`);
}

export async function codeOf(text: string, rules: RemoteRules): Promise<FetchErrorCode> {
  return (await errorOf(text, rules)).code;
}
