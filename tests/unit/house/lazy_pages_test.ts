/**
 * Badges don't pay for pages: what a start loads at once reaches no view. Views are reached by
 * imports in functions, which load them with the first page.
 */
import assert from "node:assert/strict";
import { importsOf, sourceFiles } from "../../support/sources.ts";

Deno.test("a start loads no view", () => {
  // Imports in functions are taken out, so that only those of the start are left.
  const files = new Map(
    sourceFiles().map(({ path, text }) => [
      path,
      { path, text: text.replace(/\bimport\(\s*"[^"]+"\s*\)/g, "0") },
    ]),
  );
  const reached = new Set(["main.ts", "routes/app.ts"]);
  for (const path of reached) {
    const file = files.get(path);
    if (file === undefined) continue;
    for (const { from, typeOnly } of importsOf(file)) if (!typeOnly) reached.add(from);
  }
  assert.ok(reached.has("routes/pages/pages.ts"), "the handlers are loaded");
  const views = [...reached].filter((path) => path.startsWith("routes/pages/views/"));
  assert.deepEqual(views, []);
});
