/** @jsxImportSource hono/jsx */
/** `/evaluator`: which evaluator decides here, and the language's worked example, computed live. */
import type { Json } from "../../../lib/evaluator/module.ts";
import { OFFICIAL, OWN } from "../../../wasm/pins.ts";
import type { EvaluatorView } from "../evaluator_view.ts";
import type { Page } from "./layout.tsx";
import { Fact } from "./parts/facts.tsx";
import { Section } from "./parts/section.tsx";

/** The page about the evaluator. */
export function evaluatorPage({ use, example }: EvaluatorView): Page {
  return {
    title: "Evaluator",
    section: "evaluator",
    body: (
      <>
        <h1>Evaluator</h1>
        <p class="lead">
          Puzzles of the <code>algal</code> family are programs in ALGAL's expression language,{" "}
          <code>algal.expr.v1</code>. Their expected answers come from running them, within 10,000
          units of fuel, in a WebAssembly module that is pinned by its SHA-256.
        </p>
        <Section id="used" title="In use here">
          <Used use={use} />
          <dl class="facts">
            <Fact name="Official module">
              <code>{OFFICIAL.sha256}</code>
            </Fact>
            <Fact name="Touchstone's own module">
              <code>{OWN.sha256}</code>
            </Fact>
          </dl>
        </Section>
        <Section id="example" title="Worked example">
          <p>
            The sum of the squares of all values above 2, computed for this page a moment ago.
          </p>
          <Example example={example} />
        </Section>
      </>
    ),
  };
}

function Used({ use }: Pick<EvaluatorView, "use">) {
  if (!use.ok) {
    return (
      <p>
        For Clankdar's suites <strong>no evaluator</strong> can decide at the moment (<code>
          {use.code}
        </code>): checks that need one are not finished.
      </p>
    );
  }
  if (use.value.official) {
    return (
      <p>
        For Clankdar's suites <strong>ALGAL's official module</strong>{" "}
        decides. Touchstone's own module runs beside it: if the two ever differ, the check stops
        without an outcome.
      </p>
    );
  }
  return (
    <p>
      For Clankdar's suites <strong>Touchstone's own module</strong>{" "}
      decides, because the official one is not installed. Every report says so.
    </p>
  );
}

function Example({ example }: Pick<EvaluatorView, "example">) {
  if (!example.ok) {
    return (
      <p class="reason">
        The example could not be computed (<code>{example.code}</code>).
      </p>
    );
  }
  const { program, env, response, evaluator } = example.value;
  return (
    <>
      <pre tabindex={0} aria-label="Program">{layOut(program)}</pre>
      <dl class="facts">
        <Fact name="Inputs">
          <code>{JSON.stringify(env)}</code>
        </Fact>
        <Fact name="Answer">
          <code>{JSON.stringify(response.ok ? response.value : response.err)}</code>
        </Fact>
        <Fact name="Fuel used">{response.fuel}</Fact>
        <Fact name="Module">
          <code>{evaluator.used}</code>
        </Fact>
      </dl>
    </>
  );
}

/** Characters of a call that is still written on one line. */
const LINE = 60;

/** JSON with calls on one line where they fit. */
function layOut(value: Json, indent = ""): string {
  const line = JSON.stringify(value);
  if (!Array.isArray(value) || line.length <= LINE) return line;
  const inner = `${indent}  `;
  const items = value.map((item) => `${inner}${layOut(item, inner)}`);
  return `[\n${items.join(",\n")}\n${indent}]`;
}
