/** The hash over a run's puzzles. Source: runs spec 1.4. */
import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../../encoding/hex.ts";
import { answerFormat } from "../../suites/scoring.ts";
import type { Row } from "./format.ts";

const utf8 = new TextEncoder();

/** What the hash covers of a row. */
type HashedRow = Pick<Row, "family" | "tier" | "seed" | "prompt" | "expected">;

/**
 * The suite hash, as 64 lower-case hex characters.
 *
 * @param rows sorted by family, tier and seed. They are taken one at a time, so that they need not
 * be in memory together.
 */
export function suiteHash(suiteVersion: string, rows: Iterable<HashedRow>): string {
  const hash = sha256.create().update(utf8.encode(`[${JSON.stringify(suiteVersion)}`));
  for (const { family, tier, seed, prompt, expected } of rows) {
    const row = JSON.stringify([family, tier, seed, prompt, expected, answerFormat(family)]);
    hash.update(utf8.encode(`,${row}`));
  }
  return toHex(hash.update(utf8.encode("]")).digest());
}
