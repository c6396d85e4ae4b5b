/** Puts links together. See {@link Links} for what they promise. */
import { badgeOfUrl } from "./badge.ts";
import { createContext, idle } from "./context.ts";
import type { Links, LinksOptions } from "./links.ts";
import { refreshUrl } from "./refresh.ts";
import { verifyUrl } from "./verify.ts";

/** Links over the rows in the database. Nothing is read or fetched before the first call. */
export function createLinks(options: LinksOptions): Links {
  const context = createContext(options);
  return {
    verify: (url, how) => verifyUrl(context, url, how),
    refresh: (url, how) => refreshUrl(context, url, how),
    badge: (url, how) => badgeOfUrl(context, url, how),
    history: async ({ hash }) => hash === null ? [] : await options.rows.history(hash),
    idle: () => idle(context),
    async close() {
      context.closing.abort(new Error("the service is closing"));
      await idle(context);
    },
  };
}
