/** The API description (OpenAPI 3.1), generated from the schemas. */
import { z } from "zod";
import { COLOUR_THEMES, STYLES } from "../../lib/badge/svg.ts";
import { MAX_PAGE } from "../../lib/store/store.ts";
import { CACHE_SECONDS } from "../http/badge_bounds.ts";
import { type ProblemCode, PROBLEMS } from "../http/problems.ts";
import * as schemas from "../schemas/index.ts";
import { PUBLISHING_NOTICE } from "./representations.ts";
import type { Described } from "../table.ts";
import { VERSION } from "../../lib/base/release.ts";

type JsonSchema = Record<string, unknown>;

interface MediaType {
  schema: JsonSchema;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: JsonSchema;
}

export interface Operation {
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required: true; content: Record<string, MediaType> };
  responses: Record<string, {
    description: string;
    headers?: Record<string, { description: string; schema: JsonSchema }>;
    content?: Record<string, MediaType>;
  }>;
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

const HEX = { type: "string", pattern: "^[0-9a-f]{64}$" };

const SESSION: Parameter = {
  name: "sessionId",
  in: "path",
  required: true,
  description: "Of one issuer: without the parameter issuer, several that used it are ambiguous",
  schema: { type: "string" },
};
const ID: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "SHA-256 of the document's canonical bytes, lower-case hex",
  schema: HEX,
};

const POOL_KEY: Parameter = {
  name: "poolKey",
  in: "path",
  required: true,
  description: "The hash that commits to the pool's cells, lower-case hex",
  schema: HEX,
};

const PAGING: Parameter[] = [
  query("limit", "Entries of a page, default 20", {
    type: "integer",
    minimum: 1,
    maximum: MAX_PAGE,
  }),
  query("cursor", "Of the page before"),
];

/** What a result can be asked to be; a document that isn't is not accepted, and its outcome stands. */
export const ACCEPTANCE: Parameter[] = [
  query(
    "issuer",
    "Who must have signed: a whole public key, or a known issuer's name or key id. Given several " +
      "times, one of them. A revoked key never counts",
    { type: "array", items: { type: "string" } },
  ),
  query("policy", "The policy it must be under: a name, or the SHA-256 of its canonical JSON"),
  query("context", "The context that it must have"),
  query("session", "The session that it must belong to"),
  query("replayed", "all: every answer was replayed, and there is one at least", {
    type: "string",
    enum: ["all"],
  }),
  query("maxage", "How long ago it may have been decided: a number and s, m, h, d or w, as 30d"),
];

const ACCEPTANCE_PROBLEMS: ProblemCode[] = [
  "query-malformed",
  "issuer-unknown-name",
  "issuer-ambiguous",
  "policy-unknown-name",
  "requirement-malformed",
];

function query(
  name: string,
  description: string,
  schema: JsonSchema = { type: "string" },
): Parameter {
  return { name, in: "query", required: false, description, schema };
}

const DOCUMENTS = {
  "application/json": {
    schema: {
      anyOf: [ref("Envelope"), { type: "array", items: ref("Envelope") }, ref("Bundle")],
    },
  },
  "application/x-ndjson": { schema: { type: "string" } },
  "application/gzip": { schema: { type: "string", format: "binary" } },
  "application/octet-stream": { schema: { type: "string", format: "binary" } },
};

const BODY_PROBLEMS: ProblemCode[] = [
  "document-not-utf8",
  "document-not-json",
  "documents-empty",
  "document-too-deep",
  "gzip-malformed",
  "body-unreadable",
  "body-too-slow",
  "uploads-busy",
  "document-too-large",
  "too-many-documents",
  "content-type-unsupported",
  "pools-malformed",
  "too-many-pools",
  "pool-invalid",
  "rate-limited",
];

/** What reading can always come to. */
const READ_PROBLEMS: ProblemCode[] = ["rate-limited", "storage-unavailable"];

/** Makes the description; `url` is where the service is reached. */
export function openApi(url: string): OpenApi & { servers: { url: string }[] } {
  return {
    openapi: "3.1.0",
    info: {
      title: "Touchstone",
      version: VERSION,
      description: "Verifies Clankdar receipts and admissions, and makes badges for them. Three " +
        "outcomes: verified, invalid, issuer-claimed (unreplayed: the issuer's word only). Limits " +
        "for each client are said in the headers RateLimit-Policy and RateLimit, in tokens: a " +
        "request costs one a document, and one more for every 64 KiB. Pages of other sites may " +
        "read and verify (CORS), and neither store nor publish.",
    },
    servers: [{ url }],
    paths: paths(),
    components: { schemas: components() },
  };
}

/** What can be wrong with a URL before its host is asked. */
const URL_PROBLEMS: ProblemCode[] = [
  "query-malformed",
  "fetch-url-malformed",
  "fetch-off",
  "fetch-scheme",
  "fetch-credentials",
  "fetch-port",
  "fetch-blocked-address",
  "fetch-own-host",
  "fetch-host-busy",
  "storage-unavailable",
];

const FETCH_PROBLEMS: ProblemCode[] = [
  ...URL_PROBLEMS,
  "fetch-gone",
  "fetch-too-large",
  "fetch-content-type",
  "fetch-not-json",
  "document-not-utf8",
  "document-not-json",
  "documents-empty",
  "document-too-deep",
  "gzip-malformed",
  "too-many-documents",
  "pools-malformed",
  "too-many-pools",
  "pool-invalid",
  "fetch-status",
  "fetch-redirects",
  "fetch-encoding",
  "fetch-headers",
  "fetch-unreachable",
  "fetch-timeout",
];

/** Of what changes something. */
const CHANGE_PROBLEMS: ProblemCode[] = ["host-refused", "origin-refused"];

const LINK: Parameter = {
  name: "url",
  in: "query",
  required: true,
  description: "An https URL of at most 2,048 characters, percent-encoded; file pages of GitHub, " +
    "GitLab, gists and Hugging Face are turned into the URLs of the files",
  schema: { type: "string", format: "uri", maxLength: 2048 },
};

/** A route of the table that is described and missing here, or the other way round, doesn't compile. */
function paths(): Described<Operation> & OpenApi["paths"] {
  return {
    "/api/verify": {
      get: {
        summary: "Verify what a URL gives",
        description:
          "The very answer that POST gives for the same bytes. Up to five minutes old, " +
          "what the URL gave last is checked; up to an hour, while its host is asked again; older, " +
          "when the host doesn't answer within 2.5 s. The headers say which: Age in seconds, " +
          "Cache-Status (RFC 9211), and Link with the canonical page of the one document, if it is stored.",
        parameters: [LINK, ...ACCEPTANCE],
        responses: {
          "200": { description: "A report a document, in order", content: json("Verification") },
          ...problems([
            ...FETCH_PROBLEMS,
            ...ACCEPTANCE_PROBLEMS,
            "rate-limited",
            "verifier-busy",
          ]),
        },
      },
      post: {
        summary: "Verify documents",
        description: "Takes one document, an array, a bundle with pools, JSON lines, or gzip of " +
          "any of these; at most 4 MiB and 100 documents. Nothing is stored; pools given " +
          "are used for this request only, beside those that are public here. Invalid documents " +
          "are results, not errors. With requirements, each report says whether it is accepted. " +
          "A document that there was no time for has outcome null, and answers 503 when alone.",
        parameters: ACCEPTANCE,
        requestBody: { required: true, content: DOCUMENTS },
        responses: {
          "200": { description: "A report a document, in order", content: json("Verification") },
          ...problems([
            ...BODY_PROBLEMS,
            ...ACCEPTANCE_PROBLEMS,
            "verifier-busy",
            "storage-unavailable",
          ]),
        },
      },
    },
    "/api/refresh": {
      post: {
        summary: "Look at a URL now",
        description:
          "However fresh what is known of it; within what its host is asked at most. Sent as " +
          "application/json without a body, so that no page of another site can ask for it. A look " +
          "that brings nothing is an answer too: see problem.",
        parameters: [LINK],
        responses: {
          "200": { description: "What is known of the URL now", content: json("Link") },
          ...problems([
            ...URL_PROBLEMS,
            ...CHANGE_PROBLEMS,
            "content-type-unsupported",
            "rate-limited",
            "verifier-busy",
          ]),
        },
      },
    },
    "/api/results": {
      post: {
        summary: "Store a document",
        description: "Stores one receipt or admission under the SHA-256 of its canonical bytes, " +
          "invalid ones too. Storing it again, however formatted, gives the same id. With url and " +
          "an empty body, as application/json: stores what a URL gives, and what it gives later, and " +
          "answers as GET /api/verify does.",
        parameters: [{ ...LINK, required: false }],
        requestBody: { required: true, content: json("Envelope") },
        responses: {
          "201": { description: "Stored", content: json("Result") },
          "200": {
            description: "Stored already; with url, a report a document",
            content: {
              "application/json": { schema: { anyOf: [ref("Result"), ref("Verification")] } },
            },
          },
          ...problems([
            ...BODY_PROBLEMS,
            ...FETCH_PROBLEMS,
            ...CHANGE_PROBLEMS,
            "document-unrecognised",
            "not-one-document",
            "pools-not-kept",
            "quota-rate",
            "check-unfinished",
            "storage-unavailable",
            "quota-bytes",
          ]),
        },
      },
      get: {
        summary: "List stored results",
        description: "Newest first, by one of the filters; the most recent of all without one.",
        parameters: [
          query("issuer", "The issuer's whole public key"),
          query("session", "A session id; with issuer, of that issuer's session only"),
          query("subject", "The subject's proven public key"),
          query("recent", "All of them", { type: "boolean" }),
          ...PAGING,
        ],
        responses: {
          "200": { description: "A page", content: json("ResultPage") },
          ...problems(["query-malformed", "cursor-malformed", ...READ_PROBLEMS]),
        },
      },
    },
    "/api/results/{id}": {
      get: {
        summary: "Report on a stored document",
        description:
          "Never rests on a result that lacked a pool public by now: where checking it " +
          "again takes long, the state is checking, and the report has no outcome. With " +
          "requirements, the report says whether it is accepted.",
        parameters: [ID, ...ACCEPTANCE],
        responses: {
          "200": {
            description: "The report as of now, with what was claimed before",
            content: json("Result"),
          },
          ...problems([
            ...ACCEPTANCE_PROBLEMS,
            "result-unknown",
            "result-removed",
            ...READ_PROBLEMS,
          ]),
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
          ...problems(["result-unknown", "result-removed", ...READ_PROBLEMS]),
        },
      },
    },
    ...poolPaths(),
    "/api/feed": {
      get: {
        summary: "Upgrades and exposures",
        description: "What disclosed pools did to stored results, newest first, as JSON Feed 1.1.",
        parameters: PAGING,
        responses: {
          "200": {
            description: "A page of the feed",
            content: { "application/feed+json": { schema: ref("Feed") } },
          },
          ...problems(["query-malformed", "cursor-malformed", ...READ_PROBLEMS]),
        },
      },
    },
    ...badges("/badge/{id}", "The badge of a result", [ID]),
    ...badges("/badge/session/{sessionId}", "The badge of a session's admission", [SESSION]),
    ...badges("/badge", "The badge of what a URL gives", [LINK]),
    "/api/openapi.json": {
      get: {
        summary: "This description",
        responses: {
          "200": {
            description: "OpenAPI 3.1",
            content: { "application/json": { schema: { type: "object" } } },
          },
          ...problems(["rate-limited"]),
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
          ...problems(["route-unknown", "rate-limited"]),
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

type PoolPath = Extract<keyof Described<Operation>, `/api/pools${string}`>;

function poolPaths(): Pick<Described<Operation>, PoolPath> {
  return {
    "/api/pools": {
      post: {
        summary: "Publish a pool",
        description: `${PUBLISHING_NOTICE} Without confirm=publish the answer is a dry run, and ` +
          "nothing is kept. A body has at most 64 KiB. With a statement, results of that very key " +
          "say that their issuer disclosed the pool; a statement goes beside the pool, never into " +
          "it. Other parameters than confirm, and confirm twice, are refused.",
        parameters: [
          query("confirm", "publish: for good; left out: a dry run", {
            type: "string",
            enum: ["publish"],
          }),
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { anyOf: [ref("Pool"), ref("PoolRequest")] } },
          },
        },
        responses: {
          "200": {
            description: "A dry run, or public already",
            content: {
              "application/json": { schema: { anyOf: [ref("PoolDryRun"), ref("PoolPublished")] } },
            },
          },
          "201": {
            description: "Published; the results under it are being checked again",
            content: json("PoolPublished"),
          },
          ...problems([
            ...CHANGE_PROBLEMS,
            "document-not-utf8",
            "document-not-json",
            "document-too-deep",
            "body-unreadable",
            "body-too-slow",
            "uploads-busy",
            "query-malformed",
            "pool-too-large",
            "content-type-unsupported",
            "pool-invalid",
            "disclosure-invalid",
            "rate-limited",
            "quota-rate",
            "storage-unavailable",
            "quota-bytes",
          ]),
        },
      },
      get: {
        summary: "List public pools",
        parameters: PAGING,
        responses: {
          "200": { description: "A page", content: json("PoolPage") },
          ...problems(["query-malformed", "cursor-malformed", ...READ_PROBLEMS]),
        },
      },
    },
    "/api/pools/{poolKey}": {
      get: {
        summary: "A public pool",
        description: "The canonical file, labels included; it never changes.",
        parameters: [POOL_KEY],
        responses: {
          "200": { description: "The pool", content: json("Pool") },
          ...problems(["pool-unknown", ...READ_PROBLEMS]),
        },
      },
    },
    "/api/pools/{poolKey}/results": {
      get: {
        summary: "Results under a public pool",
        parameters: [POOL_KEY, ...PAGING],
        responses: {
          "200": { description: "The pool and a page", content: json("PoolResults") },
          ...problems(["query-malformed", "cursor-malformed", "pool-unknown", ...READ_PROBLEMS]),
        },
      },
    },
    "/api/pools/{poolKey}/upgrade": {
      get: {
        summary: "Follow what a disclosure does",
        description: "Server-sent events: progress, at last tally, each with an Upgrade as its " +
          "data. Watching drives the upgrade. A client that has the tally gets 204.",
        parameters: [POOL_KEY, {
          name: "Last-Event-ID",
          in: "header",
          required: false,
          description: "The id of the last event seen",
          schema: { type: "string" },
        }],
        responses: {
          "200": {
            description: "Events until the tally",
            content: { "text/event-stream": { schema: ref("Upgrade") } },
          },
          "204": { description: "The tally has been seen" },
          ...problems(["pool-unknown", ...READ_PROBLEMS]),
        },
      },
    },
  };
}

const STYLE = query("style", "Default flat; card has a mark for each challenge", {
  type: "string",
  enum: [...STYLES],
});
const THEME = query("theme", "Of a card; default light, and auto is light as PNG", {
  type: "string",
  enum: [...COLOUR_THEMES],
});
const SCALE = query("scale", "Device pixels a pixel, default 1", {
  type: "integer",
  minimum: 1,
  maximum: 3,
});
const LOOKS = [
  query("label", "Replaces the label; at most 40 characters"),
  query("cacheSeconds", "How long it may be cached, default 300", {
    type: "integer",
    minimum: CACHE_SECONDS.least,
    maximum: CACHE_SECONDS.most,
  }),
];

const STATE_PATTERN = "^[a-z-]+(; code=[a-z0-9-]+)?$";

const BADGE_HEADERS = {
  "Touchstone-State": {
    description: "What the badge says, for programs: a token, with the parameter code where " +
      "something is wrong (a structured field, RFC 9651): `unreachable; code=fetch-timeout`. The " +
      "code is that of the problem or of the report's reason that the API gives.",
    schema: { type: "string", pattern: STATE_PATTERN },
  },
};

/** The three formats of a badge. */
function badges(path: string, summary: string, of: Parameter[]): OpenApi["paths"] {
  const formats: [format: string, name: string, look: Parameter[], Record<string, MediaType>][] = [
    ["svg", "SVG", [STYLE, THEME], { "image/svg+xml": { schema: { type: "string" } } }],
    ["png", "PNG", [STYLE, THEME, SCALE], {
      "image/png": { schema: { type: "string", format: "binary" } },
    }],
    ["json", "JSON for the shields.io endpoint", [], json("ShieldsBadge")],
  ];
  return Object.fromEntries(formats.map(([format, name, look, content]) => [
    `${path}.${format}`,
    {
      get: {
        summary: `${summary}, as ${name}`,
        description:
          "May be kept for cacheSeconds (300 or more) and 60 s more while it is asked for " +
          "again, less where maxage turns it before; with a strong ETag for each encoding; a " +
          "disclosed pool changes it. Whatever is asked for, the answer is a badge with status 200, " +
          "no-store where the next one may say something else: what isn't there says not found, and " +
          "a client over its limit gets checking, with Retry-After. A requirement that can't be " +
          "read, under a name that comes near its own, or within another parameter's value gives " +
          "not accepted · bad link. Anything else that can't be used is ignored, and the title " +
          "says so.",
        parameters: [...of, ...ACCEPTANCE, ...look, ...LOOKS],
        responses: {
          "200": { description: "The badge", headers: BADGE_HEADERS, content },
          "304": { description: "Unchanged", headers: BADGE_HEADERS },
        },
      },
    },
  ]));
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
