/** The documentation's links and commands exist. */
import assert from "node:assert/strict";
import config from "../../../deno.json" with { type: "json" };

const FILES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "bench/README.md"];

Deno.test("every relative link of the documentation leads to a file", async () => {
  for (const file of FILES) {
    const text = await Deno.readTextFile(file);
    const folder = new URL(file, `file://${Deno.cwd()}/`);
    for (const [, target] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (/^https?:/.test(target!)) continue;
      await assert.doesNotReject(Deno.stat(new URL(target!, folder)), `${file}: ${target}`);
    }
  }
});

Deno.test("every task that the documentation names exists", async () => {
  for (const file of FILES) {
    const text = await Deno.readTextFile(file);
    for (const [, task] of text.matchAll(/\bdeno(?:@[0-9.]+)? task ([a-z][a-z:]*)/g)) {
      assert.ok(Object.hasOwn(config.tasks, task!), `${file}: deno task ${task}`);
    }
  }
});
