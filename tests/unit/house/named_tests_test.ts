/** The tests that the documents name as their proof: each of them is there. */
import assert from "node:assert/strict";

const ROOT = new URL("../../../", import.meta.url);
const DOCUMENTS = [
  "SECURITY.md",
  "CONTRIBUTING.md",
  "docs/threat-model.md",
  "docs/architecture.md",
];

function exists(path: string): boolean {
  try {
    return Deno.statSync(new URL(path, ROOT)).isFile;
  } catch {
    return false;
  }
}

Deno.test("every test that a document names is there", async () => {
  const named = new Set<string>();
  for (const document of DOCUMENTS) {
    const text = await Deno.readTextFile(new URL(document, ROOT));
    for (const [test] of text.matchAll(/[a-z0-9_/]+_test\.ts/g)) named.add(test);
  }
  assert.ok(named.size > 20, `only ${named.size} tests are named`);
  const missing = [...named].filter((test) => !exists(test) && !exists(`tests/${test}`));
  // A pattern such as families_*_test.ts names several.
  assert.deepEqual(missing.filter((test) => !test.startsWith("_")), []);
});
