/** @jsxImportSource hono/jsx */
/** `/api`: the API description to read, made from the same source as `/api/openapi.json`. */
import type { Child } from "hono/jsx";
import { type OpenApi, openApi, type Operation, type Parameter } from "../../api/openapi.ts";
import type { Site } from "../../http/site.ts";
import type { Page } from "./layout.tsx";
import { Fact } from "./parts/facts.tsx";
import { Section } from "./parts/section.tsx";

/** The page that describes the API. */
export function apiPage(site: Site): Page {
  const { info, paths, components } = openApi(site.url);
  return {
    title: "API",
    section: "api",
    body: (
      <>
        <h1>API</h1>
        <p class="lead">{info.description}</p>
        <p>
          For programs:{" "}
          <a href={`${site.path}/api/openapi.json`}>OpenAPI 3.1</a>. Errors are problem details (RFC
          9457) with a stable <code>code</code>. No key is needed.
        </p>
        {Object.entries(paths).map(([path, methods]) =>
          Object.entries(methods).map(([method, operation]) => (
            <Described site={site} path={path} method={method} operation={operation} />
          ))
        )}
        <Section id="schemas" title="Schemas">
          {Object.entries(components.schemas).map(([name, schema]) => (
            <Schema name={name} schema={schema} />
          ))}
        </Section>
      </>
    ),
  };
}

interface DescribedProps {
  site: Site;
  path: string;
  method: string;
  operation: Operation;
}

function Described({ site, path, method, operation }: DescribedProps) {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return (
    <section class="operation">
      <h2>
        <span class="method">{method.toUpperCase()}</span> <code>{path}</code>
      </h2>
      <p>
        <strong>{summary}.</strong> {description ?? ""}
      </p>
      <dl class="facts">
        {parameters.filter(({ in: where }) => where !== "path").map((parameter) => (
          <ParameterFact parameter={parameter} />
        ))}
        {requestBody !== undefined && (
          <Fact name="Body">
            <Codes names={Object.keys(requestBody.content)} />
          </Fact>
        )}
        {Object.entries(responses).map(([status, { description, content }]) => (
          <Fact name={status}>
            <WithProblems site={site} text={description} /> <ContentTypes content={content} />
          </Fact>
        ))}
      </dl>
    </section>
  );
}

function ParameterFact({ parameter }: { parameter: Parameter }) {
  const { name, in: where, description } = parameter;
  return <Fact name={<code>{where === "query" ? `?${name}` : name}</code>}>{description}</Fact>;
}

function ContentTypes({ content }: { content: Operation["responses"][string]["content"] }) {
  if (content === undefined || "application/problem+json" in content) return null;
  return (
    <small>
      {Object.entries(content).map(([type, { schema }]) => {
        const name = nameOf(schema);
        return (
          <>
            <code>{type}</code>
            {name !== null && (
              <>
                , <SchemaLink name={name} />
              </>
            )}
          </>
        );
      })}
    </small>
  );
}

/** A text in which each code between backticks becomes a link to the problem's page. */
function WithProblems({ site, text }: { site: Site; text: string }) {
  return (
    <>
      {text.split("`").map((part, index) =>
        index % 2 === 0 ? part : (
          <a href={`${site.path}/problems/${part}`}>
            <code>{part}</code>
          </a>
        )
      )}
    </>
  );
}

/** Parts one after the other, with a text between them. */
function joined(parts: readonly Child[], between: string): Child[] {
  return parts.flatMap((part, index) => index === 0 ? [part] : [between, part]);
}

function Codes({ names }: { names: readonly string[] }) {
  return <>{joined(names.map((name) => <code>{name}</code>), ", ")}</>;
}

function SchemaLink({ name }: { name: string }) {
  return <a href={`#schema-${name}`}>{name}</a>;
}

interface SchemaProps {
  name: string;
  schema: OpenApi["components"]["schemas"][string];
}

function Schema({ name, schema }: SchemaProps) {
  const { description, properties, required } = schema;
  const needed = Array.isArray(required) ? required : [];
  const members = isSchema(properties) ? Object.entries(properties) : [];
  return (
    <section id={`schema-${name}`} class="schema">
      <h3>{name}</h3>
      {typeof description === "string" && <p>{description}.</p>}
      <dl class="facts">
        {members.map(([member, shape]) => (
          <Member name={member} shape={shape} optional={!needed.includes(member)} />
        ))}
      </dl>
    </section>
  );
}

interface MemberProps {
  name: string;
  shape: unknown;
  optional: boolean;
}

function Member({ name, shape, optional }: MemberProps) {
  return (
    <Fact
      name={
        <>
          <code>{name}</code>
          {optional && (
            <>
              {" "}
              <small>optional</small>
            </>
          )}
        </>
      }
    >
      <Type shape={shape} />
      {isSchema(shape) && typeof shape.description === "string" && `. ${shape.description}`}
    </Fact>
  );
}

/** A schema's type in a few words. */
function Type({ shape }: { shape: unknown }) {
  if (!isSchema(shape)) return <>any value</>;
  const name = nameOf(shape);
  if (name !== null) return <SchemaLink name={name} />;
  if (Array.isArray(shape.anyOf)) {
    return <>{joined(shape.anyOf.map((one) => <Type shape={one} />), " or ")}</>;
  }
  if (Array.isArray(shape.enum)) {
    return <Codes names={shape.enum.map((one) => JSON.stringify(one))} />;
  }
  if (shape.const !== undefined) return <code>{JSON.stringify(shape.const)}</code>;
  if (shape.type === "array") {
    return (
      <>
        list of <Type shape={shape.items} />
      </>
    );
  }
  if (shape.type === "object" && isSchema(shape.properties)) {
    return (
      <>
        object with <Codes names={Object.keys(shape.properties)} />
      </>
    );
  }
  return <>{String(shape.type ?? "any value")}</>;
}

function nameOf(shape: unknown): string | null {
  if (!isSchema(shape) || typeof shape.$ref !== "string") return null;
  return shape.$ref.replace(/^.*\//, "");
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
