/** `/api`: the API description to read, made from the same source as `/api/openapi.json`. */
import { html } from "hono/html";
import { type OpenApi, openApi, type Operation, type Parameter } from "../../api/openapi.ts";
import type { Site } from "../../http/site.ts";
import type { Html, Page } from "./layout.ts";

export function apiPage(site: Site): Page {
  const description = openApi(site.url);
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  );
  return {
    title: "API",
    section: "api",
    body: html`<h1>API</h1>
<p class="lead">${description.info.description}</p>
<p>For programs: <a href="${site.path}/api/openapi.json">OpenAPI 3.1</a>. Errors are problem details (RFC 9457) with a stable <code>code</code>. No key is needed.</p>
${operations.map((entry) => operationHtml(site, entry))}
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${Object.entries(description.components.schemas).map(([name, schema]) => schemaHtml(name, schema))}
</section>`,
  };
}

function operationHtml(
  site: Site,
  { path, method, operation }: { path: string; method: string; operation: Operation },
): Html {
  return html`
    <section class="operation">
      <h2><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h2>
      <p><strong>${operation.summary}.</strong> ${operation.description ?? ""}</p>
      <dl class="facts">
    ${(operation.parameters ?? []).filter(({ in: where }) => where !== "path").map(parameterHtml)}
    ${operation.requestBody === undefined ? "" : html`
      <dt>Body</dt>
      <dd>${codes(Object.keys(operation.requestBody.content))}</dd>
    `}
    ${Object.entries(operation.responses).map(([status, { description, content }]) =>
      html`
        <dt>${status}</dt>
        <dd>${described(site, description)} ${contentHtml(content)}</dd>
      `
    )}
      </dl>
    </section>
  `;
}

function parameterHtml({ name, in: where, description }: Parameter): Html {
  return html`
    <dt><code>${where === "query" ? `?${name}` : name}</code></dt>
    <dd>${description}</dd>
  `;
}

function contentHtml(content: Operation["responses"][string]["content"]): Html {
  if (content === undefined || "application/problem+json" in content) return html``;
  const names = Object.entries(content).map(([type, { schema }]) => {
    const name = nameOf(schema);
    return name === null
      ? html`<code>${type}</code>`
      : html`<code>${type}</code>, <a href="#schema-${name}">${name}</a>`;
  });
  return html`<small>${names}</small>`;
}

/** Codes of problems stand in backticks, and link to their pages. */
function described(site: Site, description: string): Html[] {
  return description.split("`").map((part, index) =>
    index % 2 === 0
      ? html`${part}`
      : html`<a href="${site.path}/problems/${part}"><code>${part}</code></a>`
  );
}

function codes(names: readonly string[]): Html[] {
  return names.map((name, index) => html`${index === 0 ? "" : ", "}<code>${name}</code>`);
}

function schemaHtml(name: string, schema: OpenApi["components"]["schemas"][string]): Html {
  const { description, properties, required } = schema;
  const needed = Array.isArray(required) ? required : [];
  const members = typeof properties === "object" && properties !== null
    ? Object.entries(properties)
    : [];
  return html`<section id="schema-${name}" class="schema">
<h3>${name}</h3>
${typeof description === "string" ? html`<p>${description}.</p>` : ""}
<dl class="facts">
${
    members.map(([member, shape]) =>
      html`
        <dt><code>${member}</code>${needed.includes(member) ? "" : html`
          <small>optional</small>
        `}</dt>
        <dd>${typeHtml(shape)}${noteHtml(shape)}</dd>
      `
    )
  }
</dl>
</section>`;
}

function noteHtml(shape: unknown): Html {
  return isSchema(shape) && typeof shape.description === "string"
    ? html`. ${shape.description}`
    : html``;
}

/** A schema's type in a few words. */
function typeHtml(shape: unknown): Html {
  if (!isSchema(shape)) return html`any value`;
  const name = nameOf(shape);
  if (name !== null) return html`<a href="#schema-${name}">${name}</a>`;
  if (Array.isArray(shape.anyOf)) {
    return html`${
      shape.anyOf.map((one, index) => html`${index === 0 ? "" : " or "}${typeHtml(one)}`)
    }`;
  }
  if (Array.isArray(shape.enum)) {
    return html`${codes(shape.enum.map((one) => JSON.stringify(one)))}`;
  }
  if (shape.const !== undefined) return html`<code>${JSON.stringify(shape.const)}</code>`;
  if (shape.type === "array") return html`list of ${typeHtml(shape.items)}`;
  if (shape.type === "object" && isSchema(shape.properties)) {
    return html`object with ${codes(Object.keys(shape.properties))}`;
  }
  return html`${String(shape.type ?? "any value")}`;
}

function nameOf(shape: unknown): string | null {
  if (!isSchema(shape) || typeof shape.$ref !== "string") return null;
  return shape.$ref.replace(/^.*\//, "");
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
