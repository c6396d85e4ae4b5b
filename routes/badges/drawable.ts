/** The badge of what was found, as data, with what its headers say. */
import { cardOf, cardSubject } from "../../lib/badge/card.ts";
import {
  type AskedLabel,
  type Badge,
  badgeOf,
  type BadgeOptions,
  standingBadge,
} from "../../lib/badge/model.ts";
import type { Format } from "../../lib/badge/render.ts";
import { type StoredResult, StoreUnavailable } from "../../lib/store/store.ts";
import { BAD_LINK } from "../../lib/words/statement.ts";
import { badgeAcceptance, type BadgeAsked, turnsAt } from "./asked.ts";
import type { ServeOptions } from "./badge_cache.ts";
import type { BadgeContext } from "./context.ts";
import type { Found, NoResult } from "./found.ts";
import type { BadgeQuery } from "./query.ts";

/** What a badge's address asks for. */
export interface Embed {
  format: Format;
  query: URLSearchParams;
  asked: BadgeAsked;
  look: Omit<BadgeQuery, "label">;
  label: AskedLabel | undefined;
  /** What the title says of parts of the address that were left out of account. */
  notes: readonly string[];
}

/** A badge with what its headers say. */
interface Drawable extends Pick<ServeOptions, "code" | "turnsIn"> {
  badge: Badge;
}

/** The badge to draw, as a card where the address asks for one. */
export async function drawable(
  context: BadgeContext,
  found: Found,
  embed: Embed,
): Promise<Drawable> {
  if ("standing" in found) return standingDrawable(found, embed);
  const { trust, services } = context;
  const { asked, label, format, look } = embed;
  const { subject, result, results, othersHaveSession, seen } = found;
  const at = services.now();
  const acceptance = badgeAcceptance(asked, results, at);
  const issuerAsked = (asked.requirements?.issuers ?? null) !== null;
  const options: BadgeOptions = {
    ...{ label, trust, acceptance, issuerAsked, othersHaveSession },
    seen: seen?.text,
    notes: embed.notes,
  };
  let badge: Badge | null;
  if (look.style !== "card" || format === "json") badge = badgeOf(subject, options);
  else if (result === null) badge = cardOf(subject, options);
  else badge = await cardOfResult(context, result, options);
  // The result is being made again, or away: what its row says is right, but a card says more.
  if (badge === null) return standingDrawable({ standing: "checking" }, embed);
  return {
    badge: found.transient ? { ...badge, transient: true } : badge,
    code: asked.problemCode ?? subject.reason?.code ?? null,
    turnsIn: Math.min(turnsAt(asked, results, at) - at, seen?.turnsIn ?? Infinity) / 1000,
  };
}

/** The card of a stored result; null: its report can't be had now. */
async function cardOfResult(
  { services: { store, onFault } }: BadgeContext,
  { id }: StoredResult,
  options: BadgeOptions,
): Promise<Badge | null> {
  const read = await store.report(id).catch((error) => {
    if (!(error instanceof StoreUnavailable)) onFault(error);
    return null;
  });
  return read?.state === "current" ? cardOf(cardSubject(read.report), options) : null;
}

/** The badge where there is no result to show. */
function standingDrawable(found: NoResult, { asked, label, notes }: Embed): Drawable {
  const { standing, code = null } = found;
  const badge = standingBadge(standing, {
    label,
    notes: [
      ...(found.notes ?? []),
      ...(code === null ? [] : [`Problem code: ${code}.`]),
      ...notes,
    ],
  });
  const transient = found.transient ?? badge.transient;
  const { problem } = asked;
  if (problem === null) return { badge: { ...badge, transient }, code };
  // Its author has to mend the link, whatever will be found there.
  return {
    badge: {
      ...badge,
      message: ["not accepted", BAD_LINK.why],
      tone: "refused",
      state: "not-accepted",
      title: `Not accepted: ${BAD_LINK.sentence(problem)} ${badge.title}`,
      transient,
    },
    code: asked.problemCode ?? null,
  };
}
