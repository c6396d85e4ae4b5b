/**
 * Every path of the service, once: who pays for a request, whom it is for, and what it may do. Limits,
 * CORS, the API description and the rule of own URLs read this table, and a test compares it with the
 * routes that the application has.
 */
import type { BucketName } from "../lib/limits/policy.ts";
import { type Format, FORMATS } from "../lib/badge/render.ts";

/** A bucket that requests are charged to before anything is done for them. */
export type RequestBucket = Exclude<BucketName, "badge" | "draw" | "look">;

/** `HEAD` counts as `GET`. */
type Method = "GET" | "POST";

/** `programs` get problems as JSON, and `people` get them as pages. */
type Audience = "programs" | "people";

type Mark =
  /** Pages of other sites may read it through a visitor's browser. */
  | "cors"
  /** It changes what is stored, or what the service does next. */
  | "changes"
  /** Its URL is about the one stored document that `:id` or `:file` names. */
  | "document"
  /** With a URL in the query, the bucket `verify` pays. */
  | "by-url"
  /** The API description says what it does. */
  | "described";

/**
 * A path as Hono has it. Null for the bucket: nobody pays. Badges are charged by their own routes,
 * which know what drawing one costs.
 */
type Route = readonly [
  method: Method,
  path: string,
  bucket: RequestBucket | "badge" | null,
  audience: Audience,
  ...marks: Mark[],
];

const PATHS = [
  ["GET", "/api/verify", "verify", "programs", "cors", "described"],
  ["POST", "/api/verify", "verify", "programs", "cors", "described"],
  ["POST", "/api/refresh", "verify", "programs", "changes", "described"],
  ["POST", "/api/results", "verify", "programs", "changes", "described"],
  ["GET", "/api/results", "read", "programs", "cors", "described"],
  ["GET", "/api/results/:id", "read", "programs", "cors", "described", "document"],
  ["GET", "/api/results/:id/document", "read", "programs", "cors", "described", "document"],
  ["POST", "/api/pools", "publish", "programs", "changes", "described"],
  ["GET", "/api/pools", "read", "programs", "cors", "described"],
  ["GET", "/api/pools/:poolKey", "read", "programs", "cors", "described"],
  ["GET", "/api/pools/:poolKey/results", "read", "programs", "cors", "described"],
  ["GET", "/api/pools/:poolKey/upgrade", "read", "programs", "cors", "described"],
  ["GET", "/api/feed", "read", "programs", "cors", "described"],
  ["GET", "/api/openapi.json", "read", "programs", "cors", "described"],
  ["GET", "/healthz", null, "programs", "described"],
  ["GET", "/", "read", "people"],
  ["GET", "/r/:id", "read", "people", "document"],
  ["GET", "/verify", "read", "people", "by-url"],
  ["POST", "/verify", "verify", "people", "changes"],
  ["GET", "/pools", "read", "people"],
  ["POST", "/pools", "publish", "people", "changes"],
  ["GET", "/pools/:poolKey", "read", "people"],
  ["GET", "/evaluator", "read", "people"],
  ["GET", "/api", "read", "people"],
  ["GET", "/problems/:code", "read", "people", "described"],
  ["GET", "/style.css", null, "people"],
  ["GET", "/favicon.svg", null, "people"],
  ["GET", "/robots.txt", null, "people", "described"],
] as const satisfies readonly Route[];

/** Where badges by URL are asked for: `/badge` and `/badge/` stand for the SVG. */
export function addressesOf(format: Format): string[] {
  const addresses = [format, format.toUpperCase()].flatMap((extension) => [
    `/badge.${extension}`,
    `/badge.${extension}/`,
  ]);
  return format === "svg" ? ["/badge", "/badge/", ...addresses] : addresses;
}

/** Badges of results, of sessions and of URLs; and whatever else looks like one, which has one too. */
const BADGE_PATHS = [
  ["GET", "/badge/session/:file", "badge", "programs", "cors"],
  ["GET", "/badge/session/:file/", "badge", "programs", "cors"],
  ["GET", "/badge/:file", "badge", "programs", "cors", "document"],
  ["GET", "/badge/:file/", "badge", "programs", "cors"],
  ...FORMATS.flatMap(addressesOf).map((path): Route => ["GET", path, "badge", "programs", "cors"]),
  ["GET", "/:file{badge\\.[^/]+}", "badge", "programs", "cors"],
  ["GET", "/:file{badge\\.[^/]+}/", "badge", "programs", "cors"],
  ["GET", "/badge/*", "badge", "programs", "cors"],
  ["GET", "/:rest{badge\\..+}", "badge", "programs", "cors"],
] as const satisfies readonly Route[];

/** All routes; of several that fit a path, the first counts. */
export const ROUTES: readonly Route[] = [...PATHS, ...BADGE_PATHS];

type DescribedOf<Row extends Route> = Row extends unknown
  ? "described" extends Row[number] ? Row : never
  : never;
type DescribedRow = DescribedOf<typeof PATHS[number]>;

/** `/api/results/:id` as the API description writes it: `/api/results/{id}`. */
type InBraces<Path extends string> = Path extends `${infer Head}/:${infer Name}/${infer Rest}`
  ? `${Head}/{${Name}}/${InBraces<Rest>}`
  : Path extends `${infer Head}/:${infer Name}` ? `${Head}/{${Name}}`
  : Path;

/** What the API description has to say of the table: something for each described method and path. */
export type Described<Operation> = {
  [Of in DescribedRow as InBraces<Of[1]>]: {
    [M in Extract<DescribedRow, { 1: Of[1] }>[0] as Lowercase<M>]: Operation;
  };
};

const byExactPath = new Map<string, Route[]>();
const byPattern: { pattern: RegExp; routes: Route[] }[] = [];
for (const route of ROUTES) {
  const [, path] = route;
  if (!/[:*]/.test(path)) {
    byExactPath.set(path, [...byExactPath.get(path) ?? [], route]);
    continue;
  }
  const pattern = patternOf(path);
  const known = byPattern.find((other) => other.pattern.source === pattern.source);
  if (known === undefined) byPattern.push({ pattern, routes: [route] });
  else known.routes.push(route);
}

/** A path of Hono's as a regular expression, each parameter as a group: `:id`, `:rest{…}` and `*`. */
export function patternOf(path: string): RegExp {
  const source = path.replace(/:\w+\{(.+)\}|:\w+|\*|[^:*]+/g, (part, own: string | undefined) => {
    if (own !== undefined) return `(${own})`;
    if (part === "*") return "(.*)";
    return part.startsWith(":") ? "([^/]+)" : RegExp.escape(part);
  });
  return new RegExp(`^${source}$`);
}

/** The routes of a path, one for each method. */
function routesAt(path: string): readonly Route[] {
  return byExactPath.get(path) ?? byPattern.find(({ pattern }) => pattern.test(path))?.routes ?? [];
}

/** The route that a request takes; null: there is none. */
export function routeOf(method: string, path: string): Route | null {
  const asked = method === "HEAD" ? "GET" : method;
  return routesAt(path).find(([known]) => known === asked) ?? null;
}

/** Whether a route has a mark. */
export function isMarked([, , , , ...marks]: Route, mark: Mark): boolean {
  return marks.includes(mark);
}

/** Whom a path is for; where there is no route, whom its neighbours are for. */
export function audienceOf(path: string): Audience {
  const [route] = routesAt(path);
  if (route !== undefined) return route[3];
  return /^\/(?:api|badge)\//.test(path) ? "programs" : "people";
}

/**
 * The bucket that pays for a request; null: none does, or a badge's own route charges.
 *
 * @param byUrl whether the query names a document by its URL.
 */
export function bucketOf(method: string, path: string, byUrl = false): RequestBucket | null {
  if (method === "OPTIONS") return null;
  const route = routeOf(method, path);
  if (route === null) return "read";
  if (byUrl && isMarked(route, "by-url")) return "verify";
  const [, , bucket] = route;
  return bucket === "badge" ? null : bucket;
}

/** Whether a request may change something; what has no route counts as a change. */
export function changesState(method: string, path: string): boolean {
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return false;
  const route = routeOf(method, path);
  return route === null || isMarked(route, "changes");
}

/**
 * Whether pages of other sites may read what a request gives. Where there is no route they read the
 * problem that says so.
 */
export function isReadableElsewhere(method: string, path: string): boolean {
  const route = routeOf(method, path);
  if (route !== null) return isMarked(route, "cors");
  return (method === "GET" || method === "HEAD") && audienceOf(path) === "programs";
}
