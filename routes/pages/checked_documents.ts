/** What a check that stores nothing gave, made ready for its page. */
import { fromJsonText } from "../../lib/encoding/json.ts";
import { badgeSaying, badgeText } from "../../lib/badge/model.ts";
import type { Checked } from "../../lib/verify/jobs.ts";
import type { Report } from "../../lib/verify/report.ts";
import { trustOf } from "../../lib/words/signer.ts";
import type { Statement } from "../../lib/words/statement.ts";
import { RendererBusy } from "../../lib/badge/renderer.ts";
import { type DisclosedPool, disclosedPools } from "../api/representations.ts";
import type { Services } from "../http/services.ts";
import type { PageAsked } from "./page_asked.ts";
import { type Statements, statementsOf } from "./statements.ts";

/**
 * A badge on a page: an image with an address, a drawing as SVG, or the badge's words where the badge
 * could not be drawn.
 */
export type BadgeImage = { src: string; text: string } | { svg: string } | { text: string };

/** A report with all that its page shows beside the report. */
export interface CheckedDocument {
  report: Report;
  /** The public pools that the report names. */
  pools: readonly DisclosedPool[];
  statements: Statements;
  badge: BadgeImage;
}

/** The reports of a check, each with its public pools, what is said of it, and its badge. */
export async function checkedDocuments(
  checked: readonly Checked[],
  asked: PageAsked | null,
  services: Pick<Services, "store" | "registry" | "renderBadge" | "onFault">,
): Promise<CheckedDocument[]> {
  const trust = trustOf(services.registry);
  const documents = await Promise.all(checked.map(async ({ json }) => {
    const report = fromJsonText(json);
    const pools = await disclosedPools(services.store, report);
    return { report, pools, statements: statementsOf(report, asked, trust) };
  }));
  const shown: CheckedDocument[] = [];
  let canDraw = true;
  // The badges are drawn one after the other, so that one page doesn't fill the renderer's queue.
  for (const document of documents) {
    const { report, statements: { said } } = document;
    const badge: BadgeImage = canDraw
      ? await drawnBadge(report, said, services)
      : { text: badgeText(badgeSaying(said, report)) };
    canDraw = "svg" in badge;
    shown.push({ ...document, badge });
  }
  return shown;
}

/**
 * The badge of a document that is not stored, and so has no badge with an address. The drawing is
 * the renderer's work; where the renderer has too much to do, or fails, the page has the words.
 */
export async function drawnBadge(
  report: Report,
  said: Statement,
  { renderBadge, onFault }: Pick<Services, "renderBadge" | "onFault">,
): Promise<BadgeImage> {
  const badge = badgeSaying(said, report);
  try {
    const { body } = await renderBadge(badge);
    return { svg: typeof body === "string" ? body : new TextDecoder().decode(body) };
  } catch (error) {
    if (!(error instanceof RendererBusy)) onFault(error);
    return { text: badgeText(badge) };
  }
}
