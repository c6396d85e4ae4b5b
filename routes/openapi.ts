/** The API description (OpenAPI 3.1), generated from the schemas. */
import { z } from "zod";
import { type ProblemCode, PROBLEMS } from "./problems.ts";
import * as schemas from "./schemas.ts";
import { VERSION } from "./version.ts";

type JsonSchema = Record<string, unknown>;

interface MediaType {
  schema: JsonSchema;
}

export interface Operation {
  summary: string;
  description?: string;
  parameters?: {
    name: string;
    in: "path";
    required: true;
    description: string;
    schema: JsonSchema;
  }[];
  requestBody?: { required: true; content: Record<string, MediaType> };
  responses: Record<string, { description: string; content?: Record<string, MediaType> }>;
}

export interface OpenApi {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  paths: Record<string, Partial<Record<"get" | "post", Operation>>>;
  components: { schemas: Record<string, JsonSchema> };
}

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const json = (name: string) => ({ "application/json": { schema: ref(name) } });
const text = { "text/plain": { schema: { type: "string" } } };

const ID = {
  name: "id",
  in: "path",
  required: true,
  description: "SHA-256 of the document's canonical bytes, lower-case hex",
  schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
} as const;

const DOCUMENTS = {
  "application/json": {
    schema: {
      anyOf: [ref("Envelope"), { type: "array", items: ref("Envelope") }, ref("Bundle")],
    },
  },
  "application/x-ndjson": { schema: { type: "string" } },
  "application/gzip": { schema: { type: "string", format: "binary" } },
};

const BODY_PROBLEMS: ProblemCode[] = [
  "document-not-utf8",
  "document-not-json",
  "document-too-deep",
  "gzip-malformed",
  "body-unreadable",
  "document-too-large",
  "too-many-documents",
  "content-type-unsupported",
  "pools-malformed",
  "too-many-pools",
  "pool-invalid",
];

/** Makes the description; `url` is where the service is reached. */
export function openApi(url: string): OpenApi & { servers: { url: string }[] } {
  return {
    openapi: "3.1.0",
    info: {
      title: "Touchstone",
      version: VERSION,
      description: "Verifies Clankdar receipts and admissions, and makes badges for them. Three " +
        "outcomes: verified, invalid, issuer-claimed (unreplayed: the issuer's word only).",
    },
    servers: [{ url }],
    paths: paths(),
    components: { schemas: components() },
  };
}

function paths(): OpenApi["paths"] {
  return {
    "/api/verify": {
      post: {
        summary: "Verify documents",
        description: "Takes one document, an array, a bundle with pools, JSON lines, or gzip of " +
          "any of these; at most 4 MiB and 1,000 documents. Nothing is stored; pools are used for " +
          "this request only. Invalid documents are results, not errors.",
        requestBody: { required: true, content: DOCUMENTS },
        responses: {
          "200": { description: "A report a document, in order", content: json("Verification") },
          ...problems(BODY_PROBLEMS),
        },
      },
    },
    "/api/results": {
      post: {
        summary: "Store a document",
        description: "Stores one receipt or admission under the SHA-256 of its canonical bytes, " +
          "invalid ones too. Storing it again, however formatted, gives the same id.",
        requestBody: { required: true, content: json("Envelope") },
        responses: {
          "201": { description: "Stored", content: json("Result") },
          "200": { description: "Stored already", content: json("Result") },
          ...problems([
            ...BODY_PROBLEMS,
            "document-unrecognised",
            "not-one-document",
            "pools-not-kept",
            "check-unfinished",
            "storage-unavailable",
          ]),
        },
      },
    },
    "/api/results/{id}": {
      get: {
        summary: "Report on a stored document",
        parameters: [ID],
        responses: {
          "200": { description: "The report as of now", content: json("Result") },
          ...problems(["result-unknown", "storage-unavailable"]),
        },
      },
    },
    "/api/results/{id}/document": {
      get: {
        summary: "A stored document",
        description: "The canonical bytes, whose SHA-256 is the id and the ETag.",
        parameters: [ID],
        responses: {
          "200": { description: "The document", content: json("Envelope") },
          ...problems(["result-unknown", "storage-unavailable"]),
        },
      },
    },
    "/badge/{id}.svg": badge("The badge as SVG", {
      "image/svg+xml": { schema: { type: "string" } },
    }),
    "/badge/{id}.png": badge("The badge as PNG, at double size", {
      "image/png": { schema: { type: "string", format: "binary" } },
    }),
    "/badge/{id}.json": badge("The badge for the shields.io endpoint", json("ShieldsBadge")),
    "/api/openapi.json": {
      get: {
        summary: "This description",
        responses: {
          "200": {
            description: "OpenAPI 3.1",
            content: { "application/json": { schema: { type: "object" } } },
          },
        },
      },
    },
    "/problems/{code}": {
      get: {
        summary: "What a problem code means",
        parameters: [{
          name: "code",
          in: "path",
          required: true,
          description: "The code of a problem",
          schema: { type: "string", enum: Object.keys(PROBLEMS) },
        }],
        responses: {
          "200": {
            description: "A page",
            content: { "text/html": { schema: { type: "string" } } },
          },
          ...problems(["route-unknown"]),
        },
      },
    },
    "/healthz": {
      get: {
        summary: "Whether the service runs",
        responses: { "200": { description: "It does", content: json("Health") } },
      },
    },
    "/robots.txt": {
      get: {
        summary: "For crawlers",
        responses: { "200": { description: "Rules", content: text } },
      },
    },
  };
}

function badge(summary: string, content: Record<string, MediaType>): { get: Operation } {
  return {
    get: {
      summary,
      description: "May be cached for 300 s, with a strong ETag; a disclosed pool changes it.",
      parameters: [ID],
      responses: {
        "200": { description: "The badge", content },
        "304": { description: "Unchanged" },
        "404": { description: "A grey badge that says not found", content },
      },
    },
  };
}

/** The problems by status, in the order of the statuses. */
function problems(codes: readonly ProblemCode[]): Operation["responses"] {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort();
  return Object.fromEntries(statuses.map((status) => {
    const described = codes.filter((code) => PROBLEMS[code].status === status)
      .map((code) => `\`${code}\``).join(", ");
    return [`${status}`, {
      description: described,
      content: { "application/problem+json": { schema: ref("Problem") } },
    }];
  }));
}

function components(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const schema of Object.values(schemas)) {
    const id = schema.meta()?.id;
    if (id !== undefined) registry.add(schema, { id });
  }
  const { schemas: made } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(made).map((
      [name, { $schema: _, $id: __, id: ___, ...schema }],
    ) => [name, schema]),
  );
}
