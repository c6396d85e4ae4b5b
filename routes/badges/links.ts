/** Badges of documents by their URL. */
import { LRUCache } from "lru-cache";
import { type BundledReport, bundleOf } from "../../lib/badge/bundle.ts";
import type { CardSubject } from "../../lib/badge/card.ts";
import { type BadgeOptions, type Standing, standingBadge } from "../../lib/badge/model.ts";
import type { LinkBadge, LinkedSubject } from "../../lib/links/links.ts";
import type { Store } from "../../lib/store/store.ts";
import { singleFlight } from "../../lib/async/single_flight.ts";
import { within } from "../../lib/async/within.ts";
import type { Found } from "./found.ts";

/** Bundles that are remembered. */
const BUNDLES = 500;

/** How long somebody waits for the reports of a bundle to be made, in milliseconds. */
const PATIENCE_MS = 1500;

/** Codes of a fetch that brought something which is no document. */
const UNREAD: ReadonlySet<string> = new Set(["fetch-not-json"]);

/** What there is to say of a link, or null when it takes longer than anybody waits. */
export type OfLink = (badge: LinkBadge, options: BadgeOptions) => Promise<Found | null>;

export function createOfLink(
  store: Pick<Store, "report">,
  onFault: (error: unknown) => void,
): OfLink {
  const bundles = new LRUCache<string, CardSubject>({ max: BUNDLES });
  const making = singleFlight<string, CardSubject | null>();

  /** The documents together: for their receipts, which may repeat each other, it takes their reports. */
  async function bundle(
    subjects: readonly LinkedSubject[],
    revision: string | null,
  ): Promise<CardSubject | null> {
    const known = revision === null ? undefined : bundles.get(revision);
    if (known !== undefined) return known;
    const name = revision ?? crypto.randomUUID();
    const { result } = making.run(name, async () => {
      try {
        const sum = await sumUp(subjects);
        if (sum !== null && revision !== null) bundles.set(revision, sum);
        return sum;
      } catch (error) {
        onFault(error);
        return null;
      }
    });
    return await result;
  }

  async function sumUp(subjects: readonly LinkedSubject[]): Promise<CardSubject | null> {
    const reports: BundledReport[] = [];
    for (const { subject, result } of subjects) {
      if (result === null) {
        reports.push({ ...subject, receipts: [] });
        continue;
      }
      const read = await store.report(result.id);
      if (read.state !== "current") return null;
      reports.push({ ...read.report, observations: subject.observations });
    }
    return bundleOf(reports);
  }

  return async (badge, { label }) => {
    const standing = (name: Standing, status: 200 | 404 = 200): Found => ({
      badge: standingBadge(name, { label }),
      status,
    });
    const troubled = (name: Standing, code: string): Found => {
      const said = standingBadge(name, { label });
      const title = `${said.title} Problem code: ${code}.`;
      return { badge: { ...said, title, transient: true }, status: 200 };
    };
    switch (badge.state) {
      case "checking":
        return standing("checking");
      case "blocked":
        return troubled("unreachable", badge.code);
      case "unreachable": {
        const { code } = badge.failure;
        // What was fetched and can't be read was reached.
        return troubled(
          UNREAD.has(code) || !code.startsWith("fetch-") ? "not a receipt" : "unreachable",
          code,
        );
      }
      case "gone":
        return standing("gone");
      case "absent":
        return standing("not found", 404);
      case "current": {
        const { subjects, revision } = badge;
        const results = subjects.map(({ subject, result }) => ({ ...subject, ...result }));
        const transient = revision === null;
        const [only] = subjects;
        if (subjects.length === 1 && only !== undefined) {
          const { subject, result } = only;
          return { subject, result, results, transient };
        }
        const sum = await within(bundle(subjects, revision), PATIENCE_MS, null);
        return sum === null
          ? standing("checking")
          : { subject: sum, result: null, results, transient };
      }
    }
  };
}
