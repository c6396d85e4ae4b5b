/**
 * Fetches one URL in a process of its own, with the permissions and environment that a test gives
 * it: `fetch_process.ts URL HOST ADDRESS…` trusts HOST (`host:port`), which has these addresses; the
 * outcome goes to standard output.
 */
import { FetchError } from "../../lib/fetch/error.ts";
import { createRules } from "../../lib/fetch/rules.ts";
import { contentOf } from "./remote.ts";

const [url, host, ...addresses] = Deno.args;
const rules = createRules({
  allowHosts: new Set([host!]),
  ...(addresses.length > 0 && { resolve: () => Promise.resolve(addresses) }),
});
try {
  console.log(await contentOf(url!, rules));
} catch (error) {
  console.log(error instanceof FetchError ? error.code : error);
}
