/** All schemas of the HTTP API. */
export * from "./report.ts";
export * from "./store.ts";
export * from "./link.ts";
