/** A request of many documents gives way between them, and is answered as if it hadn't. */
import assert from "node:assert/strict";
import { inLineChecker } from "../../../service/checker.ts";
import type { InputAnswer } from "../../../lib/verify/jobs.ts";
import { createAsker, type Spent, workFor } from "../../../lib/async/asker.ts";
import { plain, verifier } from "../../support/store_fixtures.ts";

const LIMITS = { bytes: 4 * 1024 * 1024, documents: 100 };
const documents = await Promise.all(Array.from({ length: 5 }, () => plain()));
const textOf = (...of: typeof documents) =>
  new TextEncoder().encode(JSON.stringify(of.map(({ envelope }) => envelope)));

function idsOf(answer: InputAnswer): string[] {
  assert.ok(answer.ok);
  if (answer.form === "reports") return answer.checked.map(({ json }) => JSON.parse(json).id);
  const { results } = JSON.parse(new TextDecoder().decode(answer.text));
  return results.map(({ id }: { id: string }) => id);
}

Deno.test("whoever has one document waits for one of another's many", async () => {
  for (const whole of [false, true]) {
    // A turn has no time at all: each document takes one.
    const checker = inLineChecker(verifier, { document: 0, input: 60_000 });
    const order: string[] = [];
    const paid: Spent[] = [];
    const admitted: number[] = [];
    const pay = (spent: Spent) => Promise.resolve(void paid.push(spent));
    const check = (client: string, bytes: Uint8Array) =>
      workFor(createAsker(client, { pay }), async () => {
        const answer = await checker.input(bytes, {
          limits: LIMITS,
          whole,
          admit: (content) => Promise.resolve(void admitted.push(content.documents)),
        });
        order.push(client);
        return answer;
      });
    const [many, single] = await Promise.all([
      check("many", textOf(...documents)),
      check("single", textOf(documents[0]!)),
    ]);
    assert.deepEqual(order, ["single", "many"]);
    assert.deepEqual(idsOf(many), documents.map(({ id }) => id));
    assert.deepEqual(idsOf(single), [documents[0]!.id]);
    assert.ok(many.ok && many.form === "reports" && many.entries === 5);
    assert.deepEqual(admitted, [5, 1], "charged for once");
    assert.equal(paid.length, 6, "and its time with every turn");
    await checker.close();
  }
});

Deno.test("turns have no more time together than a request has", async () => {
  const checker = inLineChecker(verifier, { document: 0, input: 0 });
  const answer = await checker.input(textOf(...documents), { limits: LIMITS });
  assert.ok(answer.ok);
  assert.deepEqual(answer.checked.map(({ code }) => code), Array(5).fill("budget-exceeded"));
  await checker.close();
});

Deno.test("some of the documents, in the order in which they are wanted", async () => {
  const checker = inLineChecker(verifier, { document: 0, input: 60_000 });
  const answer = await checker.input(textOf(...documents), { limits: LIMITS, only: [3, 0, 4] });
  assert.deepEqual(idsOf(answer), [3, 0, 4].map((index) => documents[index]!.id));
  await checker.close();
});
