import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { run } from "../../cli/verify.ts";
import { UsageError } from "../../cli/usage.ts";
import { mintAdmission } from "../../lib/issuer/mint.ts";
import type { Pool } from "../../lib/protocol/pool.ts";
import { policyHash } from "../../lib/trust/registry.ts";
import type { AcceptedReport } from "../../lib/trust/acceptance.ts";
import type { Report } from "../../lib/verify/report.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { memoryIo } from "../support/io.ts";

const { references } = createVerifyContext("auto");
const good = await mint(["right", "right"]);
const failed = await mint(["wrong", "right"]);
const heldout = await mintAdmission({
  cells: ["algal:t1", "h:algal:t2"],
  answers: ["right", "right"],
  minPass: 2,
  references,
});
const tampered = {
  ...good.envelope,
  payload: good.envelope.payload.replace(/"passed":2/, '"passed":1'),
};

async function mint(answers: ("right" | "wrong")[]) {
  return await mintAdmission({ cells: ["algal:t1"], answers, minPass: 2, references });
}

/** Runs the command on a document given on standard input. */
async function verify(document: unknown, ...options: string[]) {
  const io = memoryIo(typeof document === "string" ? document : JSON.stringify(document));
  const status = await run(["-", ...options], io);
  return { status, text: io.written };
}

Deno.test("exit status: 0 only for verified and pass", async () => {
  assert.equal((await verify(good.envelope)).status, 0);
  assert.equal((await verify(failed.envelope)).status, 1, "a verified fail");
  assert.equal((await verify(heldout.envelope)).status, 1, "issuer-claimed");
  assert.equal((await verify(tampered)).status, 2);
  assert.equal((await verify(null)).status, 3);
  assert.equal((await verify("no JSON")).status, 3);
  assert.equal((await verify({ protocol: "clankdar-badge-v1" })).status, 3, "not finished");
});

Deno.test("several documents: the highest status, a report each", async () => {
  const { status, text } = await verify([good.envelope, tampered, failed.envelope], "--json");
  assert.equal(status, 2);
  const reports = JSON.parse(text) as Report[];
  assert.deepEqual(reports.map((r) => r.outcome), ["verified", "invalid", "verified"]);
  assert.deepEqual(reports.map((r) => r.verdict), ["pass", null, "fail"]);
});

Deno.test("--issuer: the whole key must have signed", async () => {
  const other = await mint(["right", "right"]);
  assert.equal((await verify(good.envelope, "--issuer", good.key.publicKey.text)).status, 0);
  const { status, text } = await verify(good.envelope, "--issuer", other.key.publicKey.text);
  assert.equal(status, 1);
  assert.match(text, /NOT the issuer you asked for/);
  const asked = await verify(good.envelope, "--issuer", good.key.publicKey.text);
  assert.match(asked.text, /; the issuer you asked for/);
  assert.match(
    asked.text,
    /signed by an unknown issuer, key [0-9a-f]{8}…, the issuer you asked for/,
  );
  await assert.rejects(verify(good.envelope, "--issuer", "short"), UsageError);
});

Deno.test("requirements: accepted or not, in words, in the JSON and in the status", async () => {
  const { key, session } = good;
  const hash = policyHash(session.policy);
  const asked = [
    ["--issuer", "Clankdar staging", "--issuer", key.publicKey.text],
    ["--policy", hash],
    ["--session", session.sessionId],
    ["--replayed", "all"],
    ["--maxage", "1h"],
  ].flat();
  const accepted = await verify(good.envelope, ...asked);
  assert.equal(accepted.status, 0, accepted.text);
  assert.match(accepted.text, /^ {2}accepted: it meets every requirement$/m);
  assert.match(accepted.text, new RegExp(`policy +${hash}`));

  const other = await verify(
    heldout.envelope,
    ...["--issuer", "fbedfce73b678cf9", "--policy", "algal-floor-v1"],
    ...["--context", "x", "--session", session.sessionId, "--replayed", "all", "--maxage=1s"],
  );
  assert.equal(other.status, 1);
  assert.match(
    other.text,
    /NOT accepted: other issuer · other policy · other context · other session · unreplayed/,
  );
  assert.match(other.text, /^ {4}It has no context\.$/m);

  const json = await verify([good.envelope, tampered, failed.envelope], "--json", ...asked);
  assert.equal(json.status, 2);
  assert.deepEqual(
    (JSON.parse(json.text) as AcceptedReport[]).map((r) => [r.outcome, r.verdict, r.acceptance]),
    [
      ["verified", "pass", { accepted: true, failed: [] }],
      // Before its signature has verified nothing is known of a document.
      ["invalid", null, {
        accepted: false,
        failed: ["invalid", "issuer", "policy", "session", "replayed", "stale"],
      }],
      ["verified", "fail", { accepted: false, failed: ["issuer", "session"] }],
    ],
  );
  const none = JSON.parse((await verify(good.envelope, "--json")).text) as Report[];
  assert.ok(!Object.hasOwn(none[0]!, "acceptance"));
});

Deno.test("accepted is not passed: the status tells a verified fail apart all the same", async () => {
  const { status, text } = await verify(failed.envelope, "--issuer", failed.key.publicKey.text);
  assert.match(text, /accepted: it meets every requirement/);
  assert.equal(status, 1);
});

Deno.test("requirements that can't be read are usage, with the option and the code", async () => {
  const refused: [options: string[], message: RegExp][] = [
    [["--issuer", "Nobody"], /^--issuer: issuer-unknown-name: /],
    [["--policy", "nosuch"], /^--policy: policy-unknown-name: /],
    [["--maxage", "soon"], /^--maxage: requirement-malformed: /],
    [["--maxage", "1d", "--maxage", "2d"], /^--maxage: requirement-malformed: .*twice/],
    [["--replayed", "some"], /^--replayed: requirement-malformed: /],
    [["--session", "x"], /^--session: requirement-malformed: /],
  ];
  for (const [options, message] of refused) {
    await assert.rejects(verify(good.envelope, ...options), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("--pool: disclosure turns issuer-claimed into verified", async () => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, JSON.stringify(poolFile(heldout.pool!)));
  const claimed = await verify(heldout.envelope);
  assert.match(
    claimed.text,
    /Passed: 2 of 2, 2 required {2}admission\n.*1 of 2 answers unreplayed/,
  );
  const { status, text } = await verify(heldout.envelope, "--pool", file);
  assert.equal(status, 0);
  assert.match(text, /Passed: 2 of 2, 2 required {2}admission\n.*every answer was replayed/);
  assert.doesNotMatch(text, /unreplayed/);

  await Deno.writeTextFile(file, JSON.stringify({ ...poolFile(heldout.pool!), poolKey: "0" }));
  await assert.rejects(verify(heldout.envelope, "--pool", file), /pool-key-mismatch/);
  await Deno.remove(file);
  await assert.rejects(verify(heldout.envelope, "--pool", file), /no such file/);
});

Deno.test("a bundle with its pool, JSON lines and gzip", async () => {
  const bundle = { documents: [heldout.envelope], pools: [poolFile(heldout.pool!)] };
  assert.equal((await verify(bundle)).status, 0);
  const lines = [good.envelope, good.envelope].map((line) => JSON.stringify(line)).join("\n");
  assert.equal((await verify(lines)).status, 0);
  const io = memoryIo(gzipSync(lines));
  assert.equal(await run(["-"], io), 0);
  const pools = [{ ...poolFile(heldout.pool!), suite: "nosuch" }];
  const refused = await verify({ documents: [heldout.envelope], pools });
  assert.equal(refused.status, 3);
  assert.match(refused.text, /pool-suite-unknown.*\(pools\[0\]\.suite\)/);
});

Deno.test("a file that can't be used does not hide the others", async () => {
  const [bad, fine] = await Promise.all([Deno.makeTempFile(), Deno.makeTempFile()]);
  await Deno.writeTextFile(bad, "nonsense");
  await Deno.writeTextFile(fine, JSON.stringify(good.envelope));
  const io = memoryIo();
  assert.equal(await run([bad, fine, "--json"], io), 3);
  const reports = JSON.parse(io.written) as Report[];
  assert.deepEqual(reports.map((r) => [r.kind, r.outcome, r.reason?.code]), [
    ["unknown", "invalid", "document-not-json"],
    ["admission", "verified", undefined],
  ]);
  await Promise.all([Deno.remove(bad), Deno.remove(fine)]);
});

Deno.test("a file that can't be opened has its own report beside the others", async () => {
  const fine = await Deno.makeTempFile();
  await Deno.writeTextFile(fine, JSON.stringify(good.envelope));
  const io = memoryIo();
  assert.equal(await run([fine, "/nonexistent/file.json", fine, "--json"], io), 3);
  const reports = JSON.parse(io.written) as Report[];
  assert.deepEqual(reports.map((r) => r.reason?.code), [undefined, "file-unreadable", undefined]);
  assert.deepEqual(reports.map((r) => r.outcome), ["verified", null, "verified"]);
  await Deno.remove(fine);
});

Deno.test("very many documents: the status is right, and nothing overflows", async () => {
  const lines = "0\n".repeat(100_000);
  assert.equal((await verify(lines, "--json")).status, 3);
});

Deno.test("an endless input is read no further than its limit", async () => {
  const process = new Deno.Command("sh", {
    args: ["-c", `"${Deno.execPath()}" task verify - < /dev/zero`],
    stdout: "piped",
    stderr: "null",
  });
  const { code, stdout } = await process.output();
  assert.equal(code, 3);
  assert.match(new TextDecoder().decode(stdout), /document-too-large/);
});

Deno.test("a reader that goes away ends the command quietly", async () => {
  const process = new Deno.Command("bash", {
    args: [
      "-c",
      `set -o pipefail; yes 0 | head -n 50000 | ` +
      `"${Deno.execPath()}" run --allow-env --allow-read cli/main.ts verify --json - | head -c 10`,
    ],
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stderr } = await process.output();
  assert.equal(code, 141);
  assert.doesNotMatch(new TextDecoder().decode(stderr), /rror/);
});

Deno.test("bad usage is told apart from bad input", async () => {
  await assert.rejects(run([], memoryIo()), UsageError);
  await assert.rejects(run(["-", "--nosuch"], memoryIo()), UsageError);
  const io = memoryIo();
  assert.equal(await run(["--help"], io), 0);
  assert.match(io.written, /Exit status/);
});

Deno.test("a stranger's text reaches the terminal without control characters", async () => {
  const minted = await mintAdmission({
    cells: ["algal:t1"],
    answers: ["right"],
    minPass: 1,
    context: "\u001b[31mred\u202e\nline",
    references,
  });
  const { text } = await verify(minted.envelope);
  assert.match(text, /\[31mred/);
  assert.ok(!text.includes("\u001b") && !text.includes("\u202e"));
});

function poolFile({ protocol, suite, poolKey, cells }: Pool) {
  return { protocol, suite, poolKey, cells };
}
