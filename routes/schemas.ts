/** All schemas of the HTTP API. */
export * from "./report_schemas.ts";
export * from "./store_schemas.ts";
export * from "./link_schemas.ts";
