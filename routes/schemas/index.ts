/** All schemas of the HTTP API; the API description names those that have an id. */
export * from "./report.ts";
export * from "./result.ts";
export * from "./pool.ts";
export * from "./problem.ts";
export * from "./link.ts";
export * from "./service.ts";
