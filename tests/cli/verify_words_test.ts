/** What the command line says of each state, which file it read, and how it ends. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { showReport } from "../../cli/show_report.ts";
import { run } from "../../cli/verify.ts";
import { mintAdmission } from "../../lib/issuer/mint.ts";
import type { Report } from "../../lib/verify/report.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { TRUST } from "../support/badges.ts";
import { memoryIo } from "../support/io.ts";
import { STATES } from "../support/states.ts";

const { references } = createVerifyContext("auto");
const { envelope } = await mintAdmission({
  cells: ["algal:t1"],
  answers: ["right"],
  minPass: 1,
  references,
});

for (const state of STATES.filter(({ asked }) => asked === undefined)) {
  Deno.test(`the command line's words: ${state.name}`, () => {
    const report = { ...state.report, source: "x.json" };
    const options = { colour: false, asked: null, trust: TRUST, now: Date.UTC(2026, 0, 31) };
    const lines = showReport(report, options).split("\n");
    const { verdict, replayed, signer, floor } = state.headline;
    assert.equal(lines[0]!.slice(2).replace(/ {2}\w+$/, ""), verdict);
    const rest = [replayed, signer, floor].filter((part) => part !== null).join(" · ");
    if (rest !== "") assert.equal(lines[1], `  ${rest}`);
    assert.ok(lines.includes("  file              x.json"), lines.join("\n"));
    assert.ok(lines.some((line) => /^ {2}checked +2026-01-31T00:00:00\.000Z, by /.test(line)));
  });
}

async function verify(document: unknown, ...options: string[]) {
  const io = memoryIo(typeof document === "string" ? document : JSON.stringify(document));
  return { status: await run(["-", ...options], io), text: io.written };
}

Deno.test("nothing to verify is no success, whatever is asked of it", async () => {
  const asked = ["--issuer", "Clankdar staging", "--replayed", "all"];
  for (
    const text of ["", " \n", "\ufeff", "[]", '{"documents":[]}', '{"documents":[],"pools":[]}']
  ) {
    for (const options of [[], asked]) {
      const { status, text: json } = await verify(text, "--json", ...options);
      assert.equal(status, 3, JSON.stringify(text));
      const [report] = JSON.parse(json) as Report[];
      assert.equal(report!.reason!.code, "documents-empty");
    }
  }
});

Deno.test("a file that can't be read has no outcome, and is named", async () => {
  const io = memoryIo();
  assert.equal(await run(["--json", "/nonexistent/x.json", "/"], io), 3);
  const reports = JSON.parse(io.written) as (Report & { source: string })[];
  assert.deepEqual(
    reports.map(({ source, kind, outcome, reason }) => [source, kind, outcome, reason?.code]),
    [
      ["/nonexistent/x.json", "unknown", null, "file-unreadable"],
      ["/", "unknown", null, "file-unreadable"],
    ],
  );
  const shown = memoryIo();
  await run(["/nonexistent/x.json"], shown);
  assert.match(shown.written, /^… Not read\n {2}file +\/nonexistent\/x\.json$/m);
});

Deno.test("--sha256 is a requirement like the others", async () => {
  const [report] = JSON.parse((await verify(envelope, "--json")).text) as Report[];
  assert.equal((await verify(envelope, "--sha256", report!.id!)).status, 0);
  const other = await verify(envelope, "--sha256", "0".repeat(64));
  assert.equal(other.status, 1);
  assert.match(other.text, /^⊘ Not accepted: other document/);
});

Deno.test("a run that nobody signed gives 0 only with --allow-unsigned", async () => {
  const { text: json } = await verify(envelope, "--json");
  assert.ok(!json.includes('"unsigned"'));
  const { status } = await verify(envelope, "--allow-unsigned");
  assert.equal(status, 0);
});

Deno.test("the task reads the caller's file, not the project's of the same name", async () => {
  const folder = await Deno.makeTempDir();
  const verifyThere = async (file: string) => {
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--config", join(Deno.cwd(), "deno.json"), "verify", "--json", file],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    const [report] = JSON.parse(new TextDecoder().decode(stdout));
    return { code, report };
  };
  await Deno.writeTextFile(join(folder, "x.json"), JSON.stringify(envelope));
  const there = await Deno.realPath(folder);
  const own = await verifyThere("x.json");
  assert.equal(own.code, 0);
  assert.equal(await Deno.realPath(own.report.source), join(there, "x.json"));
  // The project's README.md isn't the caller's, who has none.
  const missing = await verifyThere("README.md");
  assert.equal(missing.code, 3);
  assert.deepEqual([missing.report.outcome, missing.report.reason.code], [null, "file-unreadable"]);
  await Deno.remove(folder, { recursive: true });
});
