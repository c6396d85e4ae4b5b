/**
 * Disclosed pools that come with the service: they are public in every store from its first use on.
 *
 * To disclose a pool here, add its file to this folder and to the list below; a test checks its
 * poolKey. The files are imported, not read, so they need no permission.
 */
import { type Pool, readPool } from "../lib/protocol/pool.ts";
import houseDemo from "./house-demo.json" with { type: "json" };

/** Every label of the house demo pool follows from this text, so it never was a secret. */
export const HOUSE_DEMO_TEXT =
  "Touchstone house demo pool: a public text, so its labels hide nothing";

const FILES: Readonly<Record<string, unknown>> = {
  "house-demo.json": houseDemo,
};

/** The names of all files, as they stand in this folder. */
export const SHIPPED_FILES: readonly string[] = Object.keys(FILES);

/** All shipped pools. */
export const SHIPPED_POOLS: readonly Pool[] = Object.entries(FILES).map(([name, file]) => {
  const read = readPool(file);
  if (!read.ok) throw new Error(`pools/${name}: ${read.reason.code}: ${read.reason.message}`);
  return read.pool;
});
