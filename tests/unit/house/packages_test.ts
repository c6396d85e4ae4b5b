/** What a start installs: the packages of the import map, and none that only tests and benchmarks need. */
import assert from "node:assert/strict";
import { z } from "zod";
import config from "../../../deno.json" with { type: "json" };

const lockSchema = z.object({
  specifiers: z.record(z.string(), z.string()),
  npm: z.record(z.string(), z.object({ integrity: z.string() })),
});

const read = async (path: string) =>
  lockSchema.parse(JSON.parse(await Deno.readTextFile(new URL(path, import.meta.url))));

const own = await read("../../../deno.lock");
const all = await read("../../deno.lock");

/** Named in tests/support/npm and bench/servers alone. */
const FOR_TESTS = [
  "npm:badge-maker@6.0.0",
  "npm:fast-check@4.11.0",
  "npm:pixelmatch@8.0.0",
  "npm:pngjs@7.0.0",
];

Deno.test("the import map and its lock file hold the same packages, and none of the tests'", () => {
  const mapped = Object.values(config.imports).toSorted();
  assert.deepEqual(Object.keys(own.specifiers).toSorted(), mapped);
  assert.ok(mapped.every((specifier) => !FOR_TESTS.includes(specifier)));
});

Deno.test("the tests' lock file holds the same and those of the tests, with equal hashes", () => {
  const specifiers = Object.keys(own.specifiers);
  assert.deepEqual(
    Object.keys(all.specifiers).toSorted(),
    [...specifiers, ...FOR_TESTS].toSorted(),
  );
  for (const [id, { integrity }] of Object.entries(own.npm)) {
    assert.equal(all.npm[id]?.integrity, integrity, id);
  }
  assert.ok(Object.keys(all.npm).length >= Object.keys(own.npm).length + FOR_TESTS.length);
});

Deno.test("what a task may read and write holds neither the history nor the sources", () => {
  const command = (name: keyof typeof config.tasks) => config.tasks[name].command;
  for (const name of ["start", "start:strict", "dev"] as const) {
    assert.match(command(name), / --allow-read=\. --deny-read=\.git,\S+ --allow-write=data /, name);
  }
  for (const name of ["issuer", "store", "demo"] as const) {
    assert.match(command(name), / --deny-read=\.git /, name);
    assert.match(command(name), / --deny-write=\.git,lib,cli,routes,\S+ /, name);
  }
  assert.ok(!command("verify").includes("--allow-write"));
});
