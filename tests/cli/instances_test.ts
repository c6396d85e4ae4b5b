import assert from "node:assert/strict";
import { run, runOne } from "../../cli/instances.ts";
import { UsageError } from "../../cli/usage.ts";
import { memoryIo } from "../support/io.ts";

async function instances(...lines: string[]): Promise<unknown[]> {
  const io = memoryIo(lines.join("\n"));
  assert.equal(await run([], io), 0);
  return io.written.trim().split("\n").map((line) => JSON.parse(line));
}

const request = (members: object) =>
  JSON.stringify({ suite: "clankdar-algal-v1", family: "algal", tier: 2, seed: 1, ...members });

Deno.test("instances: one answer a line, in order", async () => {
  // Worked example of docs/specification/suites/algal.md, tier 2, seed 1.
  const inputs =
    '{"values":[15,3,4,14,18,19,2,17,8,6],"start":[2,6,5],"coefficients":[1,7,1],"modulus":97}';
  const [first, second] = await instances(request({}), "", request({ tier: 9 })) as [
    { parts: ({ text: string } | { phrase: string })[]; answer: string; expected: string },
    unknown,
  ];
  assert.equal(first.answer, "62");
  assert.equal(first.expected, "62");
  assert.deepEqual(first.parts[0], { phrase: "algal.intro" });
  assert.ok((first.parts[1] as { text: string }).text.includes(`\nInputs: ${inputs}\n`));
  assert.deepEqual(second, { error: "cell-unknown" });
});

Deno.test("instances: what can't be regenerated has a code", async () => {
  assert.deepEqual(
    await instances(
      request({ suite: "clankdar-suite-v9" }),
      request({ family: "constructor" }),
      request({ tier: "2" }),
      request({ tier: 1.5 }),
      request({ seed: -1 }),
      request({ seed: 4294967296 }),
      request({ seed: 0.5 }),
      request({ label: 7 }),
      "nonsense",
      "[]",
    ),
    [
      "suite-unknown",
      "cell-unknown",
      "request-malformed",
      "request-malformed",
      "seed-out-of-range",
      "seed-out-of-range",
      "seed-out-of-range",
      "request-malformed",
      "request-not-json",
      "request-malformed",
    ].map((error) => ({ error })),
  );
});

Deno.test("instances: a label gives the held-out instance", async () => {
  // mixSeed is an XOR: the label's constant, seen at seed 0 of rng.jsonl's kind of row.
  const label = "A".repeat(22); // constant 344691099, protocols spec 8.2
  const seed = 1;
  const mixed = (344691099 ^ seed) >>> 0;
  const [heldout, published] = await instances(request({ label }), request({ seed: mixed }));
  assert.deepEqual(heldout, published);
});

Deno.test("instance: readable, and a clear refusal", async () => {
  const io = memoryIo();
  assert.equal(await runOne(["clankdar-algal-v1", "algal", "1", "1"], io), 0);
  assert.match(io.written, /phrase algal\.intro: 578 characters/);
  assert.match(io.written, /answer: {3}1672/);
  const refused = memoryIo();
  assert.equal(await runOne(["clankdar-algal-v1", "algal", "7", "1"], refused), 3);
  assert.match(refused.errors, /cell-unknown/);
  await assert.rejects(runOne(["clankdar-algal-v1", "algal", "one", "1"], io), UsageError);
  await assert.rejects(runOne(["clankdar-algal-v1"], io), UsageError);
});
