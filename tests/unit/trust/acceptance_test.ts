/** Requirements, one by one and together. Issue: acceptance never changes an outcome. */
import { inLineChecker } from "../../../service/checker.ts";
import assert from "node:assert/strict";
import {
  acceptanceOf,
  type AcceptanceSubject,
  readRequirements,
  type Requirement,
  REQUIREMENTS,
  type RequirementsQuery,
} from "../../../lib/trust/acceptance.ts";
import { failureSentence, failureWords } from "../../../lib/words/requirements.ts";
import { mintAdmission } from "../../../lib/issuer/mint.ts";
import { createStore } from "../../../lib/store/create.ts";
import { policyHash, type Registry } from "../../../lib/trust/registry.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";

/** Keys out of the protocols spec (1.4, 6, 12) with their key ids. */
const STAGING = "4_1Qbm1y84b4ZAYJtFt7bhLL1WHv7vPsOXHP0XRUW2g";
const GATE = "MMP-mO0IcwK9gE43NeBPeZ7xsFtol0lXYtiQWZcHFf8";
const DEMO = "7fdR8z460CHADUfR3KY8oCA1PpM5je_re9rOHtRHRWk";

const FLOOR = {
  suite: "algal",
  cells: ["algal:t1", "algal:t2", "algal:t3"],
  challenges: 4,
  minPass: 3,
  ttlSeconds: 180,
};
/** sha256sum of {"cells":["algal:t1","algal:t2","algal:t3"],"challenges":4,"minPass":3,"suite":"algal","ttlSeconds":180} */
const FLOOR_HASH = "2947e9596512bf79612e4cf826a804c330dd09f3347ef74235cc9dc46a638674";

const REGISTRY: Registry = {
  issuers: [
    { name: "Staging", publicKey: STAGING, keyId: "fbedfce73b678cf9", status: "active" },
    { name: "Old gate", publicKey: GATE, keyId: "da0d70eae14cf7df", status: "rotated" },
    { name: "Stolen", publicKey: DEMO, keyId: "fc96cd39184915d5", status: "revoked" },
  ],
  policies: [{ name: "algal-floor-v1", policy: FLOOR, hash: FLOOR_HASH }],
};

const DAY = 86_400_000;
const DECIDED = Date.UTC(2026, 8, 29, 17, 19, 48, 823);
const NOW = DECIDED + 10 * DAY;

/** A verified pass of the staging key under the floor, decided ten days ago. */
const GOOD: AcceptanceSubject = {
  id: "0123456789abcdef".repeat(4),
  outcome: "verified",
  issuer: { publicKey: STAGING },
  counts: { answered: 4, unreplayed: 0 },
  policy: FLOOR,
  context: "github.com/x/y",
  sessionId: "gs_thKukn9ya3WK",
  decidedAt: "2026-09-29T17:19:48.823Z",
};

const EVERYTHING: RequirementsQuery = {
  issuer: [STAGING],
  policy: ["algal-floor-v1"],
  context: ["github.com/x/y"],
  session: ["gs_thKukn9ya3WK"],
  replayed: ["all"],
  maxage: ["30d"],
  sha256: ["0123456789abcdef".repeat(4)],
};

function requirementsOf(query: RequirementsQuery) {
  const read = readRequirements(query, REGISTRY);
  assert.ok(read.ok, JSON.stringify(read));
  assert.ok(read.requirements !== null);
  return read.requirements;
}

function failed(
  query: RequirementsQuery,
  changes: Partial<AcceptanceSubject> = {},
  now = NOW,
): Requirement[] {
  const subject = { ...GOOD, ...changes };
  const before = structuredClone(subject);
  const { accepted, failed } = acceptanceOf(subject, requirementsOf(query), now);
  assert.equal(accepted, failed.length === 0);
  assert.deepEqual(subject, before);
  return failed;
}

Deno.test("a document that meets everything is accepted", () => {
  assert.deepEqual(failed(EVERYTHING), []);
});

Deno.test("without any requirement there is nothing to accept", () => {
  assert.deepEqual(readRequirements({}, REGISTRY), { ok: true, requirements: null });
  assert.deepEqual(readRequirements({ issuer: [] }, REGISTRY), { ok: true, requirements: null });
});

Deno.test("each requirement by hand", () => {
  const table: [string, RequirementsQuery, Partial<AcceptanceSubject>, Requirement[]][] = [
    // invalid: asked for whatever else is.
    ["invalid", { replayed: ["all"] }, { outcome: "invalid" }, ["invalid", "replayed"]],
    ["not finished", { context: ["github.com/x/y"] }, { outcome: null }, ["invalid"]],
    ["issuer-claimed is whole", { issuer: [STAGING] }, { outcome: "issuer-claimed" }, []],
    // sha256
    ["by its id", { sha256: [GOOD.id!] }, {}, []],
    ["another document", { sha256: ["0".repeat(64)] }, {}, ["sha256"]],
    ["no id at all", { sha256: [GOOD.id!] }, { id: null }, ["sha256"]],
    // issuer
    ["by the whole key", { issuer: [STAGING] }, {}, []],
    ["by name", { issuer: ["Staging"] }, {}, []],
    ["by key id", { issuer: ["fbedfce73b678cf9"] }, {}, []],
    ["another key", { issuer: [GATE] }, {}, ["issuer"]],
    ["one of several", { issuer: [GATE, "Staging"] }, {}, []],
    ["none of several", { issuer: [GATE, DEMO] }, {}, ["issuer"]],
    ["no issuer at all", { issuer: [STAGING] }, { issuer: null }, ["issuer"]],
    ["a rotated key by name", { issuer: ["Old gate"] }, { issuer: { publicKey: GATE } }, []],
    ["a rotated key", { issuer: [GATE] }, { issuer: { publicKey: GATE } }, []],
    ["a revoked key by name", { issuer: ["Stolen"] }, { issuer: { publicKey: DEMO } }, ["issuer"]],
    ["a revoked key", { issuer: [DEMO] }, { issuer: { publicKey: DEMO } }, ["issuer"]],
    [
      "a revoked key by its id, among others",
      { issuer: ["fc96cd39184915d5", STAGING] },
      { issuer: { publicKey: DEMO } },
      ["issuer"],
    ],
    ["a revoked key that nobody asked about", { replayed: ["all"] }, {
      issuer: { publicKey: DEMO },
    }, []],
    // policy
    ["by name", { policy: ["algal-floor-v1"] }, {}, []],
    ["by hash", { policy: [FLOOR_HASH] }, {}, []],
    ["another hash", { policy: ["0".repeat(64)] }, {}, ["policy"]],
    ["easier by a pass", { policy: ["algal-floor-v1"] }, { policy: { ...FLOOR, minPass: 2 } }, [
      "policy",
    ]],
    [
      "another suite",
      { policy: ["algal-floor-v1"] },
      { policy: { ...FLOOR, suite: "touchstone" } },
      [
        "policy",
      ],
    ],
    [
      "members in another order",
      { policy: ["algal-floor-v1"] },
      { policy: Object.fromEntries(Object.entries(FLOOR).toReversed()) as typeof FLOOR },
      [],
    ],
    ["a lone receipt has none", { policy: ["algal-floor-v1"] }, { policy: undefined }, ["policy"]],
    ["nor has its row", { policy: ["algal-floor-v1"] }, { policy: null }, ["policy"]],
    // context
    ["the context", { context: ["github.com/x/y"] }, {}, []],
    ["another", { context: ["github.com/x/z"] }, {}, ["context"]],
    ["by case", { context: ["GitHub.com/x/y"] }, {}, ["context"]],
    ["none", { context: ["github.com/x/y"] }, { context: undefined }, ["context"]],
    ["an empty one is not none", { context: [""] }, { context: undefined }, ["context"]],
    ["an empty one", { context: [""] }, { context: "" }, []],
    // session
    ["the session", { session: ["gs_thKukn9ya3WK"] }, {}, []],
    ["another", { session: ["gs_000000000000"] }, {}, ["session"]],
    ["none", { session: ["gs_thKukn9ya3WK"] }, { sessionId: null }, ["session"]],
    // replayed
    ["all of it", { replayed: ["all"] }, {}, []],
    [
      "one unreplayed",
      { replayed: ["all"] },
      { outcome: "issuer-claimed", counts: { answered: 4, unreplayed: 1 } },
      ["replayed"],
    ],
    ["claimed though nothing is unreplayed", { replayed: ["all"] }, { outcome: "issuer-claimed" }, [
      "replayed",
    ]],
    ["nothing was answered", { replayed: ["all"] }, { counts: { answered: 0, unreplayed: 0 } }, [
      "replayed",
    ]],
    ["nothing is counted", { replayed: ["all"] }, { counts: null }, ["replayed"]],
    // stale
    ["ten days are fewer than thirty", { maxage: ["30d"] }, {}, []],
    ["ten days exactly", { maxage: ["10d"] }, {}, []],
    ["the same in seconds", { maxage: ["864000s"] }, {}, []],
    ["in minutes", { maxage: ["14400m"] }, {}, []],
    ["in hours", { maxage: ["240h"] }, {}, []],
    ["a second less", { maxage: ["863999s"] }, {}, ["stale"]],
    ["nine days", { maxage: ["9d"] }, {}, ["stale"]],
    ["a week", { maxage: ["1w"] }, {}, ["stale"]],
    ["two weeks", { maxage: ["2w"] }, {}, []],
    ["decided now", { maxage: ["1s"] }, { decidedAt: "2026-10-09T17:19:48.823Z" }, []],
    ["decided in a millisecond", { maxage: ["1s"] }, { decidedAt: "2026-10-09T17:19:48.824Z" }, [
      "stale",
    ]],
    ["decided in a hundred years", { maxage: ["30d"] }, { decidedAt: "2126-01-01T00:00:00Z" }, [
      "stale",
    ]],
    ["a lone receipt has no decision", { maxage: ["30d"] }, { decidedAt: undefined }, ["stale"]],
    ["an unreadable time", { maxage: ["999999999w"] }, { decidedAt: "yesterday" }, ["stale"]],
    ["the future without maxage", { replayed: ["all"] }, { decidedAt: "2126-01-01T00:00:00Z" }, []],
  ];
  for (const [name, query, changes, expected] of table) {
    assert.deepEqual(failed(query, changes), expected, name);
  }
});

Deno.test("what fails is told in one order, in every combination", () => {
  const breaks: Record<Requirement, Partial<AcceptanceSubject>> = {
    invalid: { outcome: null },
    sha256: { id: "f".repeat(64) },
    issuer: { issuer: { publicKey: GATE } },
    policy: { policy: { ...FLOOR, challenges: 5 } },
    context: { context: "elsewhere" },
    session: { sessionId: "gs_000000000000" },
    replayed: { counts: { answered: 4, unreplayed: 1 } },
    stale: { decidedAt: "2020-01-01T00:00:00Z" },
  };
  assert.deepEqual(REQUIREMENTS, [
    "invalid",
    "sha256",
    "issuer",
    "policy",
    "context",
    "session",
    "replayed",
    "stale",
  ]);
  for (let set = 0; set < 2 ** REQUIREMENTS.length; set++) {
    const broken: Requirement[] = REQUIREMENTS.filter((_, index) => (set & (1 << index)) !== 0);
    const changes: Partial<AcceptanceSubject> = Object.assign(
      {},
      ...broken.toReversed().map((name) => breaks[name]),
    );
    // What came to no outcome was not replayed either.
    const expected: Requirement[] = REQUIREMENTS.filter((name) =>
      broken.includes(name) || name === "replayed" && broken.includes("invalid")
    );
    assert.deepEqual(failed(EVERYTHING, changes), expected);
  }
});

Deno.test("a benchmark run is unsigned, without policy, context, session or decision", () => {
  const run = {
    id: "0123456789abcdef".repeat(4),
    outcome: "verified",
    issuer: null,
    counts: { answered: 9, unreplayed: 0 },
  } as const;
  const { failed } = acceptanceOf(run, requirementsOf(EVERYTHING), NOW);
  assert.deepEqual(failed, ["issuer", "policy", "context", "session", "stale"]);
});

Deno.test("requirements that can't be read name their parameter", () => {
  const twins: Registry = {
    ...REGISTRY,
    issuers: [
      { name: "One", publicKey: STAGING, keyId: "0123456789abcdef", status: "active" },
      { name: "Two", publicKey: GATE, keyId: "0123456789abcdef", status: "active" },
    ],
  };
  const refused: [RequirementsQuery, code: string, parameter: string, Registry?][] = [
    [{ issuer: ["Nobody"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: [STAGING, "Nobody"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: ["staging"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: [""] }, "issuer-unknown-name", "issuer"],
    [{ issuer: ["0123456789abcdef"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: ["FBEDFCE73B678CF9"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: ["fbedfce73b678cf"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: ["__proto__"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: ["constructor"] }, "issuer-unknown-name", "issuer"],
    [{ issuer: ["0123456789abcdef"] }, "issuer-ambiguous", "issuer", twins],
    // A mistyped key, a key of small order.
    [{ issuer: [STAGING.replace("4_", "5_")] }, "requirement-malformed", "issuer"],
    [{ issuer: ["A".repeat(43)] }, "requirement-malformed", "issuer"],
    [{ issuer: Array(65).fill(STAGING) }, "requirement-malformed", "issuer"],
    [{ policy: ["frontier-floor-v1"] }, "policy-unknown-name", "policy"],
    [{ policy: ["toString"] }, "policy-unknown-name", "policy"],
    [{ policy: [""] }, "policy-unknown-name", "policy"],
    [{ policy: [FLOOR_HASH.toUpperCase()] }, "policy-unknown-name", "policy"],
    [{ policy: [FLOOR_HASH, FLOOR_HASH] }, "requirement-malformed", "policy"],
    [{ context: ["a".repeat(257)] }, "requirement-malformed", "context"],
    [{ context: ["a", "b"] }, "requirement-malformed", "context"],
    [{ session: ["gs_short"] }, "requirement-malformed", "session"],
    [{ session: ["gs_thKukn9ya3WK", "gs_thKukn9ya3WK"] }, "requirement-malformed", "session"],
    [{ replayed: ["some"] }, "requirement-malformed", "replayed"],
    [{ replayed: [""] }, "requirement-malformed", "replayed"],
    [{ replayed: ["all", "all"] }, "requirement-malformed", "replayed"],
    ...["", "30", "d", "0d", "030d", "-1d", "1.5d", "30D", "30 d", "30d ", "1y", "1e3s", "٣d"].map((
      text,
    ): [RequirementsQuery, string, string] => [
      { maxage: [text] },
      "requirement-malformed",
      "maxage",
    ]),
    [{ maxage: ["30d", "1d"] }, "requirement-malformed", "maxage"],
  ];
  for (const [query, code, parameter, registry = REGISTRY] of refused) {
    const read = readRequirements(query, registry);
    assert.ok(!read.ok, JSON.stringify(query));
    assert.equal(read.error.code, code, JSON.stringify(query));
    assert.equal(read.error.parameter, parameter);
    // Names may be anybody's, and messages reach logs and terminals.
    for (const text of Object.values(query).flat()) {
      if (text.length > 8) assert.ok(!read.error.message.includes(text), read.error.message);
    }
  }
  // The same key id is fine as long as the whole key says which one is meant.
  assert.ok(readRequirements({ issuer: [STAGING] }, twins).ok);
  assert.ok(readRequirements({ issuer: ["One"] }, twins).ok);
});

Deno.test("a key that stands twice counts once", () => {
  const { issuers } = requirementsOf({ issuer: [STAGING, "Staging", "fbedfce73b678cf9", GATE] });
  assert.deepEqual(issuers?.map(({ publicKey }) => publicKey), [STAGING, GATE]);
});

Deno.test("why a requirement isn't met, in words", () => {
  const said = (query: RequirementsQuery, changes: Partial<AcceptanceSubject>) => {
    const subject = { ...GOOD, ...changes };
    const requirements = requirementsOf(query);
    return acceptanceOf(subject, requirements, NOW).failed.map((name) => [
      failureWords(name, subject, requirements),
      failureSentence(name, subject, requirements, NOW),
    ]);
  };
  assert.deepEqual(said(EVERYTHING, {}), []);
  assert.deepEqual(said({ issuer: [GATE] }, {}), [
    ["other issuer", "Another key than those asked for signed it."],
  ]);
  assert.deepEqual(said({ issuer: [DEMO] }, { issuer: { publicKey: DEMO } }), [[
    "issuer revoked",
    "The key that signed it is revoked: nothing that it signed counts, whatever time it names.",
  ]]);
  assert.deepEqual(said({ context: ["github.com/x/y"] }, { outcome: null }), [
    ["not finished", "The check is not finished."],
  ]);
  assert.deepEqual(
    said({ replayed: ["all"], maxage: ["1w"] }, {
      outcome: "issuer-claimed",
      counts: { answered: 4, unreplayed: 2 },
    }),
    [
      ["unreplayed", "2 of 4 answers unreplayed."],
      ["stale", "It was decided more than 1w ago."],
    ],
  );
  assert.deepEqual(said({ maxage: ["1w"] }, { decidedAt: "2126-01-01T00:00:00Z" }), [
    ["stale", "It says that it was decided in the future."],
  ]);
});

Deno.test("the row of a stored result decides as its report does", async () => {
  const verifier = createVerifyContext("auto");
  const kv = await Deno.openKv(":memory:");
  const store = createStore(kv, inLineChecker(verifier));
  const now = Date.UTC(2026, 0, 1);
  const minted = await mintAdmission({
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "right"],
    minPass: 2,
    context: "c",
    now,
    references: verifier.references,
  });
  const kept = await store.keep(minted.envelope);
  assert.ok(kept.ok);
  const queries: RequirementsQuery[] = [
    { issuer: [minted.key.publicKey.text], policy: [policyHash(minted.session.policy)] },
    { context: ["c"], session: [minted.session.sessionId], maxage: ["1d"] },
    EVERYTHING,
  ];
  for (const query of queries) {
    const requirements = requirementsOf(query);
    const row = acceptanceOf(kept.result, requirements, now + DAY / 2);
    assert.deepEqual(row, acceptanceOf(kept.report, requirements, now + DAY / 2));
    assert.equal(row.accepted, query !== EVERYTHING);
  }
  kv.close();
});
