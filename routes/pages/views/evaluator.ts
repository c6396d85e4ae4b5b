/** `/evaluator`: which evaluator decides here, and the language's worked example, computed live. */
import { html } from "hono/html";
import { workedExample } from "../../../service/example.ts";
import type { Json } from "../../../lib/evaluator/module.ts";
import { EvaluatorUnavailable, type References } from "../../../lib/evaluator/reference.ts";
import { OFFICIAL, OWN } from "../../../wasm/pins.ts";
import type { Html, Page } from "./layout.ts";

export async function evaluatorPage(references: References): Promise<Page> {
  return {
    title: "Evaluator",
    section: "evaluator",
    body: html`
      <h1>Evaluator</h1>
      <p
        class="lead">Puzzles of the <code>algal</code> family are programs in ALGAL's expression language, <code>algal.expr.v1</code>. Their expected answers come from running them, within 10,000 units of fuel, in a WebAssembly module that is pinned by its SHA-256.</p>
      <section aria-labelledby="used">
      <h2 id="used">In use here</h2>
      ${await usedHtml(references)}
      <dl class="facts">
      <dt>Official module</dt><dd><code>${OFFICIAL.sha256}</code></dd>
      <dt>Touchstone's own module</dt><dd><code>${OWN.sha256}</code></dd>
      </dl>
      </section>
      <section aria-labelledby="example">
      <h2 id="example">Worked example</h2>
      <p>The sum of the squares of all values above 2, computed for this page a moment ago.</p>
      ${await exampleHtml(references)}
      </section>
    `,
  };
}

async function usedHtml(references: References): Promise<Html> {
  try {
    const { official } = await references.use(OFFICIAL.sha256);
    return official
      ? html`<p>For Clankdar's suites <strong>ALGAL's official module</strong> decides. Touchstone's own module runs beside it: if the two ever differ, the check stops without an outcome.</p>`
      : html`<p>For Clankdar's suites <strong>Touchstone's own module</strong> decides, because the official one is not installed. Every report says so.</p>`;
  } catch (error) {
    if (!(error instanceof EvaluatorUnavailable)) throw error;
    return html`<p>For Clankdar's suites <strong>no evaluator</strong> can decide at the moment (<code>${error.code}</code>): checks that need one are not finished.</p>`;
  }
}

async function exampleHtml(references: References): Promise<Html> {
  try {
    const { program, env, response, evaluator } = await workedExample(references);
    return html`
      <pre tabindex="0" aria-label="Program">${layOut(program)}</pre>
      <dl class="facts">
        <dt>Inputs</dt>
        <dd><code>${JSON.stringify(env)}</code></dd>
        <dt>Answer</dt>
        <dd><code>${JSON.stringify(response.ok ? response.value : response.err)}</code></dd>
        <dt>Fuel used</dt>
        <dd>${response.fuel}</dd>
        <dt>Module</dt>
        <dd><code>${evaluator.used}</code></dd>
      </dl>
    `;
  } catch (error) {
    if (!(error instanceof EvaluatorUnavailable)) throw error;
    return html`<p class="reason">The example could not be computed (<code>${error.code}</code>).</p>`;
  }
}

/** Characters of a call that still stands on one line. */
const LINE = 60;

/** JSON with calls on one line where they fit. */
function layOut(value: Json, indent = ""): string {
  const line = JSON.stringify(value);
  if (!Array.isArray(value) || line.length <= LINE) return line;
  const inner = `${indent}  `;
  const items = value.map((item) => `${inner}${layOut(item, inner)}`);
  return `[\n${items.join(",\n")}\n${indent}]`;
}
