/** What the address of a page asks for. Pages read it as badges do, so that both say the same. */
import type { Context } from "hono";
import { PARAMETERS } from "../../lib/trust/acceptance.ts";
import { type BadgeAsked, badgeAsked, slipIn } from "../badges/asked.ts";
import type { Services } from "../http/services.ts";

/** What a link to a page asks for. */
export interface PageAsked extends BadgeAsked {
  /** Milliseconds since 1970. */
  now: number;
}

/** What the query asks for; null: nothing. What can't be understood is told, and never met. */
export function pageAsked(
  c: Context,
  { registry, now }: Pick<Services, "registry" | "now">,
): PageAsked | null {
  const asked = badgeAsked(new URL(c.req.url).search.slice(1), registry);
  return asked.requirements === null && asked.problem === null ? null : { ...asked, now: now() };
}

/** What else an address says. Nobody's link writes a label into a page of this service. */
const OTHERS = new Set(["label", "style", "theme", "scale", "cacheSeconds", "url"]);

/**
 * The query, `?` included, that asks the same of a badge; empty when nothing is asked. A query that
 * can't be understood is handed on without what only changes how a badge is drawn: the badge doesn't
 * understand the rest either.
 */
export function askedQuery(c: Context, asked: PageAsked | null): string {
  if (asked === null) return "";
  const { search, searchParams } = new URL(c.req.url);
  const names: readonly string[] = asked.problem === null ? PARAMETERS : [...searchParams.keys()];
  const query = new URLSearchParams(
    [...new Set(names)].filter((name) => !OTHERS.has(name)).flatMap((name) =>
      searchParams.getAll(name).map((value) => [name, value])
    ),
  );
  // What slipped into the value of a look isn't lost with that look.
  if (slipIn(search.slice(1)) !== null && slipIn(query.toString()) === null) {
    query.set("unread", "issuer=");
  }
  return query.size === 0 ? "" : `?${query}`;
}
