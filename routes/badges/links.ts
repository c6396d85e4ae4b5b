/** Badges of documents by their URL. */
import { LRUCache } from "lru-cache";
import { type BundledReport, bundleOf } from "../../lib/badge/bundle.ts";
import type { CardSubject } from "../../lib/badge/card.ts";
import { AGING_MS } from "../../lib/links/freshness.ts";
import type { LinkBadge, LinkedSubject } from "../../lib/links/links.ts";
import type { Store } from "../../lib/store/store.ts";
import { type SingleFlight, singleFlight } from "../../lib/async/single_flight.ts";
import { within } from "../../lib/async/within.ts";
import type { Found } from "./found.ts";
import { FORGOTTEN, LONGEST_SHOWN_MS, seenOf, troubleOf } from "./trouble.ts";

/** Bundles that are remembered. */
const BUNDLES = 500;

/** How long somebody waits for the reports of a bundle to be made, in milliseconds. */
const PATIENCE_MS = 1500;

/** What summing up several documents of one URL needs. */
export interface Bundles {
  store: Pick<Store, "report">;
  /** Sums by the revision of the link. */
  sums: LRUCache<string, CardSubject>;
  /** Sums that are being made, by the same name. */
  making: SingleFlight<string, CardSubject | null>;
  /** Told of a sum that could not be made. */
  onFault: (error: unknown) => void;
}

export function createBundles(store: Bundles["store"], onFault: Bundles["onFault"]): Bundles {
  return { store, sums: new LRUCache({ max: BUNDLES }), making: singleFlight(), onFault };
}

/** What there is to say of a link. */
export async function findOfLink(bundles: Bundles, badge: LinkBadge): Promise<Found> {
  switch (badge.state) {
    case "checking":
      return { standing: "checking", ...(badge.code !== undefined && { code: badge.code }) };
    case "blocked":
      return troubleOf({ code: badge.code, message: "", status: null }, null);
    case "unreachable":
      return troubleOf(badge.failure, "No earlier result is known.");
    case "gone":
      return { standing: "gone", code: "fetch-gone" };
    case "absent":
      return { standing: "not found", code: "fetch-own-host" };
    case "current":
      return await currentOf(bundles, badge);
  }
}

async function currentOf(
  bundles: Bundles,
  { subjects, revision, link }: Extract<LinkBadge, { state: "current" }>,
): Promise<Found> {
  const { age, failure } = link;
  const isOld = age !== null && age > AGING_MS;
  // Its host neither gave nor refused it in time, and the next request may find out.
  const isLate = isOld && failure === null;
  if (isOld && age > LONGEST_SHOWN_MS) {
    return failure === null ? { standing: "checking" } : troubleOf(failure, FORGOTTEN);
  }
  const results = subjects.map(({ subject, result }) => ({ ...subject, ...result }));
  const how = {
    results,
    transient: revision === null || isLate,
    ...(isOld && { seen: seenOf(age) }),
  };
  const [only] = subjects;
  if (subjects.length === 1 && only !== undefined) {
    return { subject: only.subject, result: only.result, ...how };
  }
  const sum = await within(bundleFor(bundles, subjects, revision), PATIENCE_MS, null);
  return sum === null ? { standing: "checking" } : { subject: sum, result: null, ...how };
}

/** The documents together. Their receipts may repeat each other, so the reports are needed. */
async function bundleFor(
  { store, sums, making, onFault }: Bundles,
  subjects: readonly LinkedSubject[],
  revision: string | null,
): Promise<CardSubject | null> {
  const known = revision === null ? undefined : sums.get(revision);
  if (known !== undefined) return known;
  const { result } = making.run(revision ?? crypto.randomUUID(), async () => {
    try {
      const sum = await sumUp(store, subjects);
      if (sum !== null && revision !== null) sums.set(revision, sum);
      return sum;
    } catch (error) {
      onFault(error);
      return null;
    }
  });
  return await result;
}

async function sumUp(
  store: Bundles["store"],
  subjects: readonly LinkedSubject[],
): Promise<CardSubject | null> {
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
