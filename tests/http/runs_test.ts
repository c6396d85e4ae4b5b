/** Benchmark runs over HTTP: the same report as on the command line, and a page. */
import assert from "node:assert/strict";
import { verificationSchema } from "../../routes/schemas/index.ts";
import { bytesOf, linesOf, rowOf, summaryOf } from "../support/runs.ts";
import { serverTest, upload } from "../support/server.ts";

const rows = [
  rowOf("bitmatrix", 4, 1),
  rowOf("bitmatrix", 4, 2, { response: "1111", pass: false, finalAnswerMatch: false }),
  rowOf("sat", 4, 1),
];

serverTest("a run without manifest: the reporter's word, row by row", async (server) => {
  const body = bytesOf([...rows, summaryOf(rows)]).slice();
  const answer = await server.fetch("/api/verify", upload(body));
  const { results: [report], summary } = verificationSchema.parse(await answer.json());
  assert.equal(report!.kind, "run");
  assert.equal(report!.outcome, "issuer-claimed");
  assert.equal(report!.reason?.code, "no-manifest");
  assert.deepEqual(report!.observations, ["unsigned"]);
  assert.equal(report!.counts?.unreplayed, 3);
  assert.deepEqual(
    report!.run?.cells.map(({ cell, rows, passed }) => [cell, rows, passed]),
    [["bitmatrix:t4", 2, 1], ["sat:t4", 1, 1]],
  );
  assert.equal(summary.unreplayed, 3);
});

serverTest("a run whose puzzles are not the regenerated ones is invalid", async (server) => {
  const body = bytesOf(linesOf("clankdar-frontier-v1", rows)).slice();
  const answer = await server.fetch("/api/verify", upload(body));
  const { results: [report] } = verificationSchema.parse(await answer.json());
  assert.equal(report!.outcome, "invalid");
  assert.equal(report!.reason?.code, "instance-mismatch");
  assert.match(report!.reason!.message, /^row bitmatrix:t4:s1: /);
  assert.equal(report!.counts, null);
});

serverTest("a run's page: a table by cell, and no talk of signatures that hold", async (server) => {
  const form = new FormData();
  form.set("document", new TextDecoder().decode(bytesOf([...rows, summaryOf(rows)])));
  form.set("action", "verify");
  const page = await (await server.fetch("/verify", { method: "POST", body: form })).text();
  assert.match(page, /Rows by cell/);
  assert.match(page, /<code>bitmatrix:t4<\/code>/);
  assert.match(page, /3 rows\s+unreplayed/);
  assert.doesNotMatch(page, /what was signed/);
});
