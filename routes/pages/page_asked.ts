/** What the address of a page asks for. Pages read it as badges do, so that both say the same. */
import type { Context } from "hono";
import type { Store } from "../../lib/store/store.ts";
import { PARAMETERS } from "../../lib/trust/acceptance.ts";
import type { Checked } from "../../lib/verify/jobs.ts";
import type { Report } from "../../lib/verify/report.ts";
import { type DisclosedPool, disclosedPools } from "../api/representations.ts";
import { badgeAsked, slipIn } from "../badges/asked.ts";
import type { PageAsked } from "./views/acceptance.ts";
import type { Services } from "../http/services.ts";

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
 * can't be understood is handed on as it is, all but its looks: the badge doesn't understand it either.
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

/** Reports that were checked, each with what is known of the public pools that it names. */
export async function withPools(
  store: Store,
  checked: readonly Checked[],
): Promise<{ report: Report; pools: DisclosedPool[] }[]> {
  return await Promise.all(checked.map(async ({ json }) => {
    const report = JSON.parse(json) as Report;
    return { report, pools: await disclosedPools(store, report) };
  }));
}
