/** The codes of reasons are those of the specification, and each is given somewhere. */
import assert from "node:assert/strict";
import {
  FETCH_CODES,
  INPUT_CODES,
  OPEN_CODES,
  PROTOCOL_CODES,
  RUN_CODES,
  SET_CODES,
} from "../../../lib/protocol/codes.ts";
import { reason } from "../../../lib/protocol/reason.ts";
import { GenerationError } from "../../../lib/suites/instance.ts";
import { sourceFiles } from "../../support/sources.ts";

function section(page: string, from: string, to: string): string {
  const text = Deno.readTextFileSync(
    new URL(`../../../docs/specification/${page}`, import.meta.url),
  );
  const start = text.indexOf(`\n## ${from}`);
  const end = text.indexOf(`\n## ${to}`, start + 1);
  assert.ok(start >= 0 && end > start, `${page} ${from}`);
  return text.slice(start, end);
}

const codesIn = (text: string) => [...text.matchAll(/`([a-z0-9-]+)`/g)].map(([, code]) => code!);

/** Headings of documents that this version has no checker for (`checker-missing`). */
const WITHOUT_CHECKER = new Set(["Dossier", "Log"]);

/** In the specification for implementations that take pools as a list: here a later one wins. */
const NOT_GIVEN = new Set(["pool-duplicate"]);

Deno.test("the codes of documents and pools are those of protocols 16, under its headings", () => {
  const [codes] = section("protocols.md", "16.", "17.").split("Not outcomes:");
  const groups = Object.fromEntries(
    codes!.slice(codes!.indexOf("Document:")).split(" · ").flatMap((group) =>
      group.split(/·/).map((one) => {
        const [name, list] = one.split(/:\s/);
        return [name!.trim(), codesIn(list!)] as const;
      })
    ).map(([name, list]) => [name, list.filter((code) => !NOT_GIVEN.has(code))]),
  );
  for (const name of WITHOUT_CHECKER) {
    assert.ok(groups[name]!.length > 0);
    delete groups[name];
  }
  assert.deepEqual(groups, PROTOCOL_CODES);
});

Deno.test("the codes of runs are those of runs 2 and 3, in their order", () => {
  const parsing = section("runs.md", "2.", "3.");
  // Each code stands behind an arrow; two more codes may follow with their own arrows in one line.
  const given = [...parsing.matchAll(/→\s+`([a-z-]+)`/g)].map(([, code]) => code!);
  assert.deepEqual([...new Set(given)], RUN_CODES.parsing);
  const replay = codesIn(section("runs.md", "3.", "4.")).filter((code) => code.includes("-"));
  assert.deepEqual([...new Set(replay)], RUN_CODES.replay);
});

Deno.test("every code is given somewhere, and every code that the specification leaves open is known", () => {
  const sources = sourceFiles(["lib", "routes", "cli", "service"])
    .filter(({ path }) => path !== "lib/protocol/codes.ts").map(({ text }) => text).join("\n");
  const all = [
    ...Object.values(PROTOCOL_CODES).flat(),
    ...Object.values(RUN_CODES).flat(),
    ...INPUT_CODES,
    ...SET_CODES,
    ...FETCH_CODES,
    ...OPEN_CODES,
  ];
  /** Codes that are put together: whose key it is and what is wrong with it; what isn't JSON. */
  const built = /^(?:issuer|subject)-(key-malformed|key-weak)$|^(?:payload|document)(-not-json)$/;
  const missing = all.filter((code) => {
    const [, key, json] = built.exec(code) ?? [];
    const needle = key !== undefined ? `"${key}"` : json !== undefined ? `}${json}\`` : `"${code}"`;
    return !sources.includes(needle);
  });
  assert.deepEqual(missing, []);
  for (const code of ["budget-exceeded", "evaluator-missing", "evaluator-disagreement"]) {
    assert.ok(codesIn(section("protocols.md", "19.", "20.")).includes(code));
    assert.ok((OPEN_CODES as readonly string[]).includes(code));
  }
});

Deno.test("a misspelt code doesn't compile, and a code is kept as it was given", () => {
  // @ts-expect-error: the code has a typing error in it.
  assert.equal(reason("signature-invalld", "…").code, "signature-invalld");
  // @ts-expect-error: no generator has this code.
  assert.equal(new GenerationError("generation-faild", "…").code, "generation-faild");
  const error = new GenerationError("generation-failed", "no such puzzle");
  assert.equal(error.name, "GenerationError");
  assert.equal(error.message, "no such puzzle");
  assert.ok(error instanceof Error);
});
