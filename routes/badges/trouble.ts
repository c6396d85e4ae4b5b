/** What badges say of a URL that gives nothing to be checked, and of what it gave long ago. */
import type { Standing } from "../../lib/badge/model.ts";
import type { FetchErrorCode } from "../../lib/fetch/error.ts";
import type { LinkFailureCode } from "../../lib/protocol/codes.ts";
import type { LinkFailure } from "../../lib/links/rows.ts";
import type { Found, NoResult, Seen } from "./found.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Up to this age, what a URL gave is shown with its age while its host is in trouble. */
export const LONGEST_SHOWN_MS = 7 * DAY_MS;

/** What the title says of what is older. */
export const FORGOTTEN = "What it gave more than 7 days ago isn't shown any more.";

/**
 * How old something is, in whole hours or days.
 *
 * @param age milliseconds, an hour or more.
 */
export function seenOf(age: number): Seen {
  const [unitMs, unit] = age < DAY_MS ? [HOUR_MS, "h"] : [DAY_MS, "d"];
  const count = Math.max(1, Math.floor(age / unitMs));
  return { text: `seen ${count} ${unit} ago`, turnsIn: (count + 1) * unitMs - age };
}

/** Of each problem of a fetch what a badge says, and why. */
const FETCHES: Readonly<Record<FetchErrorCode, [standing: Standing, sentence: string]>> = {
  "fetch-url-malformed": ["unreachable", "The link's url is no whole address of a file."],
  "fetch-scheme": ["unreachable", "Only https addresses are fetched."],
  "fetch-credentials": ["unreachable", "An address with a user name in it isn't fetched."],
  "fetch-port": ["unreachable", "The address names a port that nothing is fetched from."],
  "fetch-blocked-address": ["unreachable", "The address leads to no public host."],
  "fetch-unreachable": ["unreachable", "Its host refused the connection, or broke it off."],
  "fetch-timeout": ["unreachable", "Its host took too long to answer."],
  "fetch-status": ["unreachable", "Its host answered without a document."],
  "fetch-redirects": [
    "unreachable",
    "Its host redirects too often, in a circle, or to where nothing is fetched from.",
  ],
  "fetch-headers": ["unreachable", "Its host gave no answer of HTTP that can be used."],
  "fetch-host-busy": ["checking", "Its host is asked too often at the moment."],
  "fetch-own-host": ["unreachable", "It is an address of this service that names no document."],
  "fetch-too-large": ["not a receipt", "It is larger than anything that is checked."],
  "fetch-content-type": ["not a receipt", "It is of a type that no document has."],
  "fetch-encoding": ["not a receipt", "It is packed in a way that can't be unpacked."],
  "fetch-not-json": ["not a receipt", "It is a web page, or something else without a document."],
};

/** Codes of what stands beside a receipt. */
const POOLS: ReadonlySet<string> = new Set(["pool-invalid", "pools-malformed", "too-many-pools"]);

/**
 * What a badge says of a URL that gave nothing that can be checked: `unreachable` where no file was
 * reached, `not a receipt` for a file that isn't one, `not finished` where the receipt wasn't looked
 * at for the pool beside it.
 *
 * @param besides a further sentence, or null.
 */
export function troubleOf(
  { code, message, status }: Pick<LinkFailure, "code" | "message" | "status">,
  besides: string | null,
): Found {
  if (POOLS.has(code)) return refusedPool(code, message);
  const known = Object.hasOwn(FETCHES, code) ? FETCHES[code as FetchErrorCode] : null;
  // Every other code is a reader's: the file was reached.
  const [standing, sentence] = known ?? ["not a receipt" as const, sentenceOf(message)];
  const notes = [
    sentence,
    ...(status === null ? [] : [`The status is ${status}.`]),
    ...(besides === null ? [] : [besides]),
  ];
  return { standing, code, notes, transient: true } satisfies NoResult;
}

function refusedPool(code: LinkFailureCode, message: string): Found {
  return {
    subject: {
      id: null,
      kind: "unknown",
      outcome: null,
      verdict: null,
      counts: null,
      reason: { code, message, path: "" },
      observations: [],
      suite: null,
      issuer: null,
    },
    result: null,
    results: [],
    transient: true,
  };
}

/** A reader's message as a sentence of its own. */
function sentenceOf(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
