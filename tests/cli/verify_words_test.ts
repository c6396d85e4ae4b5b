/** What the command line says of each state, which file it read, and how it ends. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { showReport } from "../../cli/show_report.ts";
import { UsageError } from "../../cli/usage.ts";
import { run } from "../../cli/verify.ts";
import { mintAdmission } from "../../lib/issuer/mint.ts";
import { type Requirement, type Requirements, withAcceptance } from "../../lib/trust/acceptance.ts";
import type { Report } from "../../lib/verify/report.ts";
import { exitStatusOf } from "../../lib/words/exit.ts";
import { reportSchema } from "../../routes/schemas/report.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { TRUST } from "../support/badges.ts";
import { memoryIo } from "../support/io.ts";
import { bytesOf, rowOf, summaryOf } from "../support/runs.ts";
import { STATES, type StateWords } from "../support/states.ts";
import { conformanceDir, conformanceTest } from "../conformance/vectors.ts";

const { references } = createVerifyContext("auto");
const { envelope } = await mintAdmission({
  cells: ["algal:t1"],
  answers: ["right"],
  minPass: 1,
  references,
});

/** Nothing asked for. */
const NOTHING: Requirements = {
  issuers: null,
  policy: null,
  context: null,
  sessionId: null,
  sha256: null,
  replayed: false,
  maxAge: null,
};

/** For each requirement one that no report of the table meets. */
const UNMET: Record<Exclude<Requirement, "invalid">, Partial<Requirements>> = {
  sha256: { sha256: "f".repeat(64) },
  issuer: { issuers: [{ publicKey: "Z".repeat(43), name: null, status: null }] },
  policy: { policy: { hash: "f".repeat(64), name: null } },
  context: { context: "another" },
  session: { sessionId: "gs_anotheronee" },
  replayed: { replayed: true },
  stale: { maxAge: { ms: 1, text: "1s" } },
};

/** Requirements of which a report meets what the table says. */
function requirementsOf({ asked, report }: StateWords): Requirements | null {
  if (asked === undefined) return null;
  const { failed = [], issuer = false } = asked;
  const publicKey = report.issuer?.publicKey ?? "";
  // The key that was asked for is the document's own, and met by nothing once it is revoked.
  const revoked = report.observations.includes("issuer-revoked");
  const own = { issuers: [{ publicKey, name: null, status: revoked ? "revoked" : null }] } as const;
  return Object.assign(
    { ...NOTHING },
    issuer ? own : {},
    ...failed.map((name) => name === "invalid" || name === "issuer" && revoked ? {} : UNMET[name]),
  );
}

// No command is run with options that can't be understood: that is a test of its own below.
for (const state of STATES.filter(({ asked }) => asked?.problem === undefined)) {
  Deno.test(`the command line's words: ${state.name}`, () => {
    const now = Date.UTC(2026, 1, 28);
    const requirements = requirementsOf(state);
    const report = { ...withAcceptance(state.report, requirements, now), source: "x.json" };
    const asked = requirements && { requirements, now };
    const lines = showReport(report, { colour: false, asked, trust: TRUST, now }).split("\n");
    const { verdict, replayed, signer, floor } = state.headline;
    assert.equal(lines[0]!.slice(2).replace(/ {2}\w+$/, ""), verdict);
    const rest = [replayed, signer, floor].filter((part) => part !== null).join(" · ").replace(
      "the key this link asks for",
      "the issuer you asked for",
    );
    // Where it isn't accepted, what it is by itself stands first.
    if (rest !== "") {
      assert.ok(lines[1] === `  ${rest}` || lines[1]!.endsWith(` · ${rest}`), lines[1]);
    }
    assert.ok(lines.includes("  file              x.json"), lines.join("\n"));
    assert.ok(lines.some((line) => /^ {2}checked +2026-02-28T00:00:00\.000Z, by /.test(line)));
    if (requirements !== null) {
      const { failed = [] } = state.asked!;
      assert.deepEqual(report.acceptance, { accepted: failed.length === 0, failed });
      const told = lines.findIndex((line) => /^ {2}(?:NOT )?accepted: /.test(line));
      assert.equal(lines[told]!.startsWith("  NOT"), failed.length > 0);
      assert.equal(lines.slice(told + 1).filter((line) => line !== "").length, failed.length);
    }
    assert.equal(exitStatusOf(report, { allowUnsigned: false }), state.exit);
  });
}

Deno.test("options that can't be understood run nothing", async () => {
  for (const option of [["--issuer", "nobody"], ["--maxage", "soon"], ["--isuer", "x"]]) {
    await assert.rejects(run(["-", ...option], memoryIo("[]")), UsageError);
  }
});

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

Deno.test("--json gives reports as the API does, each with its source", async () => {
  const sourced = reportSchema.extend({ source: z.string() });
  for (
    const document of [envelope, { receipt: envelope }, {}, "x", [envelope, 7], {
      protocol: "clankdar-gate-v1",
    }]
  ) {
    for (const options of [[], ["--replayed", "all"]]) {
      const { text } = await verify(document, "--json", ...options);
      for (const report of z.array(sourced).min(1).parse(JSON.parse(text))) {
        assert.equal(report.source, "-");
      }
    }
  }
});

Deno.test("--sha256 is a requirement like the others", async () => {
  const [report] = JSON.parse((await verify(envelope, "--json")).text) as Report[];
  assert.equal((await verify(envelope, "--sha256", report!.id!)).status, 0);
  const other = await verify(envelope, "--sha256", "0".repeat(64));
  assert.equal(other.status, 1);
  assert.match(other.text, /^⊘ Not accepted: other document/);
});

Deno.test("--allow-unsigned changes nothing for what is signed, or for a run that wasn't replayed", async () => {
  assert.equal((await verify(envelope, "--allow-unsigned")).status, 0);
  const rows = [rowOf("sat", 4, 1), rowOf("sat", 4, 2)];
  const legacy = new TextDecoder().decode(bytesOf([...rows, summaryOf(rows)]));
  for (const options of [[], ["--allow-unsigned"]]) {
    const { status, text } = await verify(legacy, ...options);
    assert.equal(status, 1);
    assert.match(text, /^\? Unreplayed · self-reported: 2 of 2 passed {2}run\n/);
  }
});

conformanceTest("a run that was replayed gives 0 only with --allow-unsigned", async () => {
  const file = `${conformanceDir}/fixtures/runs/frontier-good.jsonl`;
  for (const [options, status] of [[[], 1], [["--allow-unsigned"], 0]] as const) {
    const io = memoryIo();
    assert.equal(await run([file, ...options], io), status);
    assert.match(io.written, /^○ Replayed · self-reported: /);
  }
});

Deno.test("the task reads the caller's file, not the project's of the same name", async () => {
  const folder = await Deno.makeTempDir();
  const { INIT_CWD: _, ...environment } = Deno.env.toObject();
  const verifyThere = async (file: string) => {
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--config", join(Deno.cwd(), "deno.json"), "verify", "--json", file],
      cwd: folder,
      // Whoever started the tests by npm has one too, and a task leaves that as it is.
      clearEnv: true,
      env: { ...environment, NO_COLOR: "1" },
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
