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
  assert.deepEqual(unused.sort(), []);
});

Deno.test("the stable surface is where it is said to be", () => {
  for (const [path, names] of Object.entries(STABLE)) {
    const file = sourceFiles(PRODUCT).find((one) => one.path === path);
    assert.ok(file !== undefined, path);
    const found = exportsOf(file);
    for (const name of names) assert.ok(found.includes(name), `${path}: ${name}`);
  }
});
