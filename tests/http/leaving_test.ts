/** Requests whose client left before the answer: what of them is told to the operator. */
import assert from "node:assert/strict";
import { inLineChecker } from "../../service/checker.ts";
import { createApp } from "../../routes/app.ts";
import { createServices } from "../../service/services.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

async function loggedAfter(fault: Error, times: number): Promise<string[]> {
  const logs: string[] = [];
  const kv = await Deno.openKv(":memory:");
  const verifier = createVerifyContext("auto");
  const app = createApp(createServices({
    kv,
    checker: { ...inLineChecker(verifier), input: () => Promise.reject(fault) },
    references: verifier.references,
    publicUrl: null,
    log: (text) => void logs.push(text),
  }));
  for (let n = 0; n < times; n++) {
    const request = new Request("http://127.0.0.1/api/verify", {
      method: "POST",
      headers: { host: "127.0.0.1", "content-type": "application/json" },
      body: "{}",
      signal: AbortSignal.abort(),
    });
    const answer = await app.fetch(request);
    assert.equal(answer.status, 500);
    await answer.body?.cancel();
  }
  await app.close();
  kv.close();
  return logs;
}

Deno.test("a fault of ours is told once with its stack, though the client left", async () => {
  const logs = await loggedAfter(new TypeError("a document"), 3);
  assert.equal(logs.length, 1, logs.join("\n"));
  assert.match(logs[0]!, /^POST \/api\/verify: TypeError\n {4}at .*leaving_test\.ts/);
  assert.doesNotMatch(logs[0]!, /a document/);
});

for (
  const kind of ["BadResource", "BrokenPipe", "ConnectionReset", "Http", "Interrupted"] as const
) {
  Deno.test(`a client that leaves is one line in a while, and no fault: ${kind}`, async () => {
    const logs = await loggedAfter(new Deno.errors[kind]("gone"), 3);
    assert.deepEqual(logs, ["POST /api/verify: the client left before its answer"]);
  });
}
