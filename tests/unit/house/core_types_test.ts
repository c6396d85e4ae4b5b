/**
 * The core runs unchanged in a browser: it is type-checked with the web's standards alone, without the
 * globals of Deno, Node or a page. Source: docs/architecture.md, "The layers".
 */
import assert from "node:assert/strict";
import own from "../../../deno.json" with { type: "json" };
import core from "../../core/deno.json" with { type: "json" };

const ROOT = new URL("../../../", import.meta.url);

/** The folders that do no input or output. */
const CORE = [
  "base",
  "encoding",
  "crypto",
  "suites",
  "evaluator",
  "protocol",
  "issuer",
  "verify",
  "trust",
  "words",
];

/** Type-checks files as the core is; the messages of what doesn't compile. */
async function check(...paths: string[]): Promise<{ ok: boolean; messages: string }> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--config", "tests/core/deno.json", ...paths],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  return { ok: success, messages: new TextDecoder().decode(stderr) };
}

Deno.test("the core compiles with the web's standards alone", async () => {
  const { ok, messages } = await check(...CORE.map((room) => `lib/${room}`));
  assert.ok(ok, messages);
});

Deno.test("the core would not compile with a global of Deno, Node or a page", async () => {
  const foreign = ["Deno", "document", "window", "localStorage", "process", "Buffer", "require"];
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/foreign.ts`,
      // With the whole core beside them: no import of it may bring such a global along.
      `import ${JSON.stringify(new URL("lib/verify/jobs.ts", ROOT).href)};\n` +
        `import ${JSON.stringify(new URL("lib/issuer/session.ts", ROOT).href)};\n` +
        foreign.map((name) => `export const of_${name}: unknown = ${name};\n`).join(""),
    );
    const { ok, messages } = await check(`${folder}/foreign.ts`);
    assert.ok(!ok);
    for (const name of foreign) assert.ok(messages.includes(`'${name}'`), `${name}: ${messages}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the core is checked with the packages that the service uses", () => {
  const packages: Record<string, string> = own.imports;
  for (const [name, version] of Object.entries(core.imports)) assert.equal(packages[name], version);
});
