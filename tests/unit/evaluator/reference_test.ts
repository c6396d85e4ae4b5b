/** Which evaluator decides, and what happens when one is missing, corrupt or contradicted. */
import assert from "node:assert/strict";
import { sha256Hex } from "../../../lib/encoding/digest.ts";
import { workedExample } from "../../../lib/evaluator/example.ts";
import {
  createReferences,
  type Disagreement,
  type EvaluatorSource,
  EvaluatorUnavailable,
} from "../../../lib/evaluator/reference.ts";
import { run as runExample } from "../../../cli/example.ts";
import { ownModule } from "../../../wasm/load.ts";
import { OFFICIAL, OWN } from "../../../wasm/pins.ts";
import { standIn } from "../../support/evaluator_standin.ts";

const OWN_MODULE = standIn({ response: '{"fuel":5,"ok":true,"value":1}' });
const OWN_PIN = sha256Hex(OWN_MODULE);
/** Other bytes, same answers. */
const AGREEING = standIn({ response: '{"fuel":5,"ok":true,"value":1}', pages: 3 });

function source(
  official: Uint8Array | null,
  more: Partial<EvaluatorSource> = {},
): EvaluatorSource {
  return {
    own: () => Promise.resolve(OWN_MODULE),
    official: () => Promise.resolve(official),
    mode: "auto",
    ownPin: OWN_PIN,
    officialPin: official === null ? OFFICIAL.sha256 : sha256Hex(official),
    ...more,
  };
}

function unavailable(code: string) {
  return (error: unknown) => error instanceof EvaluatorUnavailable && error.code === code;
}

const answer = { ok: true, value: 1, fuel: 5 };

Deno.test("without the official module our own decides, and says so", async () => {
  const references = createReferences(source(null));
  assert.deepEqual(await references.evaluate(OFFICIAL.sha256, 1, {}), answer);
  assert.deepEqual(await references.use(OFFICIAL.sha256), {
    pinned: OFFICIAL.sha256,
    used: OWN_PIN,
    official: false,
  });
});

Deno.test("with the official module it decides and our own cross-checks", async () => {
  const pin = sha256Hex(AGREEING);
  for (const mode of ["auto", "official"] as const) {
    const references = createReferences(source(AGREEING, { mode }));
    assert.deepEqual(await references.evaluate(pin, 1, {}), answer);
    assert.deepEqual(await references.use(pin), { pinned: pin, used: pin, official: true });
  }
});

Deno.test("mode official refuses to decide without the official module", async () => {
  const references = createReferences(source(null, { mode: "official" }));
  const missing = unavailable("evaluator-missing");
  await assert.rejects(references.evaluate(OFFICIAL.sha256, 1, {}), missing);
  await assert.rejects(references.use(OFFICIAL.sha256), missing);
  assert.deepEqual(await references.evaluate(OWN_PIN, 1, {}), answer, "the house suite goes on");
});

Deno.test("any difference in value, error or fuel is a disagreement", async () => {
  const responses = [
    '{"fuel":5,"ok":true,"value":2}',
    '{"fuel":6,"ok":true,"value":1}',
    '{"err":{"code":"EXPR_DIV_ZERO","op":"div"},"fuel":5,"ok":false}',
  ];
  for (const response of responses) {
    const official = standIn({ response });
    const seen: Disagreement[] = [];
    const references = createReferences(
      source(official, { onDisagreement: (details) => seen.push(details) }),
    );
    await assert.rejects(
      references.evaluate(sha256Hex(official), ["add", 1], { x: 1 }, 9),
      unavailable("evaluator-disagreement"),
    );
    assert.deepEqual(seen, [{
      program: ["add", 1],
      env: { x: 1 },
      fuel: 9,
      official: JSON.parse(response),
      own: answer,
    }]);
  }
});

Deno.test("the house suite always runs our own module, whatever is installed", async () => {
  const official = standIn({ response: '{"fuel":5,"ok":true,"value":2}' });
  for (const mode of ["auto", "official"] as const) {
    const references = createReferences(
      source(official, { mode, official: () => Promise.reject(new Error("not to be read")) }),
    );
    assert.deepEqual(await references.evaluate(OWN_PIN, 1, {}), answer);
    assert.deepEqual(await references.use(OWN_PIN), {
      pinned: OWN_PIN,
      used: OWN_PIN,
      official: false,
    });
  }
});

Deno.test("a corrupt official module is never used, nor our own instead", async () => {
  const corrupt = AGREEING.slice();
  corrupt[20] = (corrupt[20] ?? 0) ^ 1;
  const references = createReferences(source(corrupt, { officialPin: OFFICIAL.sha256 }));
  const mismatch = unavailable("evaluator-hash-mismatch");
  await assert.rejects(references.evaluate(OFFICIAL.sha256, 1, {}), mismatch);
  await assert.rejects(references.use(OFFICIAL.sha256), mismatch);
});

Deno.test("other pins, unreadable modules and failing modules are typed errors", async () => {
  await assert.rejects(
    createReferences(source(null)).evaluate("0".repeat(64), 1, {}),
    unavailable("evaluator-unknown"),
  );
  await assert.rejects(
    createReferences(source(null, { own: () => Promise.reject(new Error("disk")) }))
      .evaluate(OWN_PIN, 1, {}),
    unavailable("evaluator-unreadable"),
  );
  const trapping = standIn({ mishap: "trap" });
  await assert.rejects(
    createReferences(source(trapping)).evaluate(sha256Hex(trapping), 1, {}, 7),
    unavailable("evaluator-trap"),
  );
  const growing = standIn({ mishap: "grow" });
  await assert.rejects(
    createReferences(source(null, {
      own: () => Promise.resolve(growing),
      ownPin: sha256Hex(growing),
    })).evaluate(OFFICIAL.sha256, 1, {}, 7),
    unavailable("evaluator-memory"),
  );
});

Deno.test("modules are read on first use, once; a failed read is tried again", async () => {
  let reads = 0;
  const references = createReferences(source(null, {
    own: () => {
      reads++;
      return reads === 1 ? Promise.reject(new Error("busy")) : Promise.resolve(OWN_MODULE);
    },
  }));
  assert.equal(reads, 0);
  await assert.rejects(references.evaluate(OWN_PIN, 1, {}), EvaluatorUnavailable);
  await Promise.all([1, 2, 3].map(() => references.evaluate(OWN_PIN, 1, {})));
  assert.equal(reads, 2);
});

const live = () =>
  createReferences({
    own: ownModule,
    official: () => Promise.resolve(null),
    mode: "auto",
    ownPin: OWN.sha256,
    officialPin: OFFICIAL.sha256,
  });

Deno.test("the worked example gives 34 for 87 fuel", async () => {
  const example = await workedExample(live());
  assert.deepEqual(example.env, { values: [1, 3, 2, 5] });
  assert.deepEqual(example.response, { ok: true, value: 34, fuel: 87 });
  assert.deepEqual(example.evaluator, {
    pinned: OWN.sha256,
    used: OWN.sha256,
    official: false,
  });
});

Deno.test("the command example prints program, inputs, answer, fuel and evaluator", async () => {
  const io = { text: "", out: (text: string) => void (io.text += text) };
  const streams = {
    ...io,
    out: io.out,
    err: io.out,
    stdin: () => Promise.resolve(new Uint8Array()),
    terminal: false,
  };
  assert.equal(await runExample([], streams, { references: live() }), 0);
  for (const part of ['["get","values"]', '{"values":[1,3,2,5]}', "34\n", "87\n", OWN.sha256]) {
    assert.ok(io.text.includes(part), part);
  }
  io.text = "";
  assert.equal(await runExample(["--json"], streams, { references: live() }), 0);
  assert.equal(JSON.parse(io.text).response.value, 34);
  const missing = createReferences(source(null, { mode: "official" }));
  assert.equal(
    await runExample(["--pinned", "official"], streams, { references: missing }),
    3,
  );
});
