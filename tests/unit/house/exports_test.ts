/** What a file exports, another file uses; only the stable surface may wait for users of its own. */
import assert from "node:assert/strict";
import { importsOf, type SourceFile, sourceFiles } from "../../support/sources.ts";

const PRODUCT = ["lib", "routes", "cli", "service", "wasm", "pools"];

/** What other tools build on. Source: docs/architecture.md, "Stable surface". */
const STABLE: Readonly<Record<string, readonly string[]>> = {
  "lib/suites/rng.ts": ["rng", "mixSeed"],
  "lib/suites/scoring.ts": [
    "answerFormat",
    "canonicalAnswer",
    "extractFinalAnswer",
    "scoreAnswer",
    "AnswerFormat",
  ],
};

/** Exports that nothing uses yet, or any more. This list is to be empty. */
const KNOWN: readonly string[] = [
  "lib/fetch/connect.ts: ConnectOptions",
  "lib/fetch/exchange.ts: ExchangeOptions",
  "lib/fetch/rules.ts: REMOTE_LIMITS",
  "lib/fetch/rules.ts: RemoteLimits",
  "lib/fetch/target.ts: TargetRules",
  "lib/limits/leases.ts: Lease",
  "lib/limits/memory.ts: MemoryLimiter",
  "lib/links/badge.ts: SubjectParts",
  "lib/links/freshness.ts: FIRST_PAUSE_MS",
  "lib/links/freshness.ts: GONE_MS",
  "lib/links/freshness.ts: LONGEST_PAUSE_MS",
  "lib/links/links.ts: AskOptions",
  "lib/links/links.ts: BADGE_MS",
  "lib/links/links.ts: INLINE_MS",
  "lib/links/links.ts: LinkResult",
  "lib/links/links.ts: VerifyOptions",
  "lib/links/revalidate.ts: LooksParts",
  "lib/links/revalidate.ts: Purpose",
  "lib/links/row_cache.ts: Linked",
  "lib/links/rows.ts: MAX_EVENTS",
  "lib/links/settle.ts: SettleOptions",
  "lib/store/content.ts: Upload",
  "lib/store/keep.ts: Arrival",
  "lib/store/keep.ts: Created",
  "lib/store/keep.ts: KeepOptions",
  "lib/store/keys.ts: Indexed",
  "lib/store/pool_removal.ts: PoolTombstone",
  "lib/store/pool_removal.ts: RemovalParts",
  "lib/store/publish.ts: PoolOrigin",
  "lib/store/publish.ts: PublishParts",
  "lib/store/results.ts: EngineParts",
  "lib/store/row.ts: Stamp",
  "lib/store/row_cache.ts: Memory",
  "lib/store/upgrade.ts: UpgradeParts",
  "lib/store/visits.ts: VISIT_DAYS",
  "routes/api/acceptance.ts: readAcceptance",
  "routes/api/check.ts: CheckOptions",
  "routes/api/link_representations.ts: Link",
  "routes/api/link_representations.ts: linkEvents",
  "routes/api/links.ts: Asked",
  "routes/api/representations.ts: resultRow",
  "routes/badges/badge_cache.ts: ServeBadge",
  "routes/badges/badges.ts: Badges",
  "routes/badges/links.ts: OfLink",
  "routes/badges/sessions.ts: SessionFound",
  "routes/http/encoding.ts: CODINGS",
  "routes/http/events.ts: HEARTBEAT_MS",
  "routes/http/host.ts: Reached",
  "routes/http/limits.ts: RequestBucket",
  "routes/http/problems.ts: ProblemExtra",
  "routes/http/reply.ts: ReplyOptions",
  "routes/http/site.ts: ResultUrls",
];

const DECLARED =
  /^export\s+(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm;
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}/gm;

/** The names under which a file offers something to others. */
function exportsOf({ text }: SourceFile): string[] {
  const listed = [...text.matchAll(LISTED)].flatMap(([, names]) =>
    names!.split(",").map((part) => part.trim().replace(/^type\s+/, "")).filter((part) =>
      part !== ""
    )
      .map((part) => part.split(/\s+as\s+/).at(-1)!)
  );
  return [...[...text.matchAll(DECLARED)].map(([, name]) => name!), ...listed];
}

Deno.test("every export is used by another file, or is part of the stable surface", () => {
  const used = new Map<string, Set<string>>();
  for (const file of sourceFiles()) {
    for (const { from, names } of importsOf(file)) {
      const known = used.get(from) ?? new Set();
      for (const name of names) known.add(name);
      used.set(from, known);
    }
  }
  const unused = sourceFiles(PRODUCT).flatMap((file) => {
    const names = used.get(file.path) ?? new Set();
    // A module that is imported as a whole is reached by name, as the families of a suite are.
    if (names.has("*")) return [];
    return exportsOf(file)
      .filter((name) => !names.has(name) && !(STABLE[file.path]?.includes(name) ?? false))
      .map((name) => `${file.path}: ${name}`);
  });
  assert.deepEqual(unused.sort(), [...KNOWN].sort());
});

Deno.test("the stable surface is where it is said to be", () => {
  for (const [path, names] of Object.entries(STABLE)) {
    const file = sourceFiles(PRODUCT).find((one) => one.path === path);
    assert.ok(file !== undefined, path);
    const found = exportsOf(file);
    for (const name of names) assert.ok(found.includes(name), `${path}: ${name}`);
  }
});
