/** Badges of documents by their URL. */
import { LRUCache } from "lru-cache";
import { type BundledReport, bundleOf } from "../../lib/badge/bundle.ts";
import type { CardSubject } from "../../lib/badge/card.ts";
import { AGING_MS } from "../../lib/links/freshness.ts";
import type { LinkBadge, LinkedSubject } from "../../lib/links/links.ts";
import type { Store } from "../../lib/store/store.ts";
import { join, share, type Shared } from "../../lib/workers/asker.ts";
import type { Found } from "./found.ts";
import { FORGOTTEN, LONGEST_SHOWN_MS, seenOf, troubleOf } from "./trouble.ts";

/** Bundles that are remembered. */
const BUNDLES = 500;

/** How long somebody waits for the reports of a bundle to be made, in milliseconds. */
const PATIENCE_MS = 1500;

/** What there is to say of a link. */
export type OfLink = (badge: LinkBadge) => Promise<Found>;

export function createOfLink(
  store: Pick<Store, "report">,
  onFault: (error: unknown) => void,
): OfLink {
  const bundles = new LRUCache<string, CardSubject>({ max: BUNDLES });
  const making = new Map<string, Shared<CardSubject | null>>();

  /** The documents together: for their receipts, which may repeat each other, it takes their reports. */
  async function bundle(
    subjects: readonly LinkedSubject[],
    revision: string | null,
  ): Promise<CardSubject | null> {
    const known = revision === null ? undefined : bundles.get(revision);
    if (known !== undefined) return known;
    const name = revision ?? crypto.randomUUID();
    let made = making.get(name);
    if (made === undefined) {
      made = share(() =>
        sumUp(subjects).then((sum) => {
          if (sum !== null && revision !== null) bundles.set(revision, sum);
          return sum;
        }, (error) => {
          onFault(error);
          return null;
        }).finally(() => making.delete(name))
      );
      making.set(name, made);
    }
    return await join(made);
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

  async function currentOf(
    { subjects, revision, link }: Extract<LinkBadge, { state: "current" }>,
  ): Promise<Found> {
    const { age, failure } = link;
    const isOld = age !== null && age > AGING_MS;
    // Neither given nor refused by its host in time: the next request may find it out.
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
    const sum = await within(bundle(subjects, revision));
    return sum === null ? { standing: "checking" } : { subject: sum, result: null, ...how };
  }

  return async (badge) => {
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
        return await currentOf(badge);
    }
  };
}

async function within<T>(promise: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => timer = setTimeout(resolve, PATIENCE_MS, null));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
