/**
 * Held-out pools: a secret label a cell, committed to by the poolKey. Source: protocols spec 8.
 */
import { z } from "zod";
import { canonicalJson } from "../encoding/canonical.ts";
import { sha256Hex } from "../encoding/digest.ts";
import { decodeUtf8, parseJson } from "../encoding/json.ts";
import { cellId, hasCell, suiteNamed } from "../suites/suites.ts";
import { mixSeed } from "../suites/rng.ts";
import type { ReasonCode } from "./codes.ts";
import { LIMITS } from "./limits.ts";
import { pathOf, type Reason, reason } from "./reason.ts";
import { describe, shapeReason } from "./shape.ts";

export const POOL_PROTOCOL = "clankdar-holdout-v1";

const LABEL = /^[A-Za-z0-9_-]{22,128}$/;

interface PoolCell {
  family: string;
  tier: number;
  /** The secret that decides the cell's held-out stream. */
  label: string;
}

/** A disclosed pool whose cells are what its key commits to. */
export interface Pool {
  protocol: typeof POOL_PROTOCOL;
  /** Policy name of the suite. */
  suite: string;
  /** The suite version that the name meant when the pool was read (protocols spec 8.2). */
  suiteVersion: string;
  poolKey: string;
  cells: PoolCell[];
}

type PoolResult = { ok: true; pool: Pool } | { ok: false; reason: Reason };

const shape = z.object({
  protocol: z.unknown().optional(),
  suite: z.unknown().optional(),
  poolKey: z.unknown().optional(),
  cells: z.array(z.unknown()).min(1).max(LIMITS.poolCells),
});

const cellShape = z.object({ family: z.string(), tier: z.int(), label: z.unknown().optional() });

/**
 * Reads a pool file (already parsed JSON) strictly, and recomputes its key: only a pool whose
 * computed key equals the claimed one counts. Unknown members are dropped.
 */
export function readPool(value: unknown, path = ""): PoolResult {
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    const cells = isObject && "cells" in value ? describe(value.cells) : "nothing";
    const found = isObject ? `${cells} was found as its cells` : `${describe(value)} was found`;
    const message = `a pool is an object with 1 to ${LIMITS.poolCells} cells, and ${found}`;
    return refuse("pool-malformed", message, path);
  }
  const { protocol, suite: name, poolKey, cells: entries } = parsed.data;
  if (protocol !== POOL_PROTOCOL) {
    const message = `a pool's protocol is ${POOL_PROTOCOL}, and ${describe(protocol)} was found`;
    return refuse("protocol-unknown", message, pathOf(path, "protocol"));
  }
  const suite = typeof name === "string" ? suiteNamed(name) : undefined;
  if (typeof name !== "string" || suite === undefined) {
    const message = `the name of a suite is expected here, and ${describe(name)} was found`;
    return refuse("pool-suite-unknown", message, pathOf(path, "suite"));
  }
  const cells: PoolCell[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const at = pathOf(pathOf(path, "cells"), index);
    const cell = cellShape.safeParse(entry);
    if (!cell.success) {
      const { message, path: member } = shapeReason(cell.error, "cell-unknown", "", entry);
      return refuse("cell-unknown", member === "" ? message : `${member}: ${message}`, at);
    }
    if (!hasCell(suite, cell.data.family, cell.data.tier)) {
      return refuse("cell-unknown", `suite ${name} has no such cell`, at);
    }
    const { family, tier, label } = cell.data;
    if (typeof label !== "string" || !LABEL.test(label)) {
      const message = "a label is 22 to 128 characters out of A-Z, a-z, 0-9, _ and -, and " +
        `${describe(label)} was found`;
      return refuse("label-malformed", message, pathOf(at, "label"));
    }
    const id = cellId(family, tier);
    if (seen.has(id)) return refuse("pool-cell-duplicate", `cell ${id} stands twice`, at);
    seen.add(id);
    cells.push({ family, tier, label });
  }
  const key = poolKeyOf(name, cells);
  if (poolKey !== key) {
    const message = `the poolKey of these cells is ${key}, and another was given`;
    return refuse("pool-key-mismatch", message, pathOf(path, "poolKey"));
  }
  return {
    ok: true,
    pool: {
      protocol: POOL_PROTOCOL,
      suite: name,
      suiteVersion: suite.version,
      poolKey: key,
      cells,
    },
  };
}

/**
 * Reads the bytes of a pool file, as {@link readPool} reads its JSON. What isn't UTF-8 or JSON is
 * `pool-malformed`, and so is a file above the size that a pool may have.
 */
export function parsePool(bytes: Uint8Array, path = ""): PoolResult {
  if (bytes.length > LIMITS.poolBytes) {
    return refuse("pool-malformed", `a pool file has at most ${LIMITS.poolBytes} bytes`, path);
  }
  const text = decodeUtf8(bytes);
  const parsed = text === null ? null : parseJson(text, LIMITS.depth);
  if (!parsed?.ok) return refuse("pool-malformed", "the pool is not JSON", path);
  return readPool(parsed.value, path);
}

/** The JSON of a pool file. Secret until the issuer discloses the pool. */
export type PoolFile = Omit<Pool, "suiteVersion">;

/** The JSON of a pool's file. */
export function toPoolFile({ protocol, suite, poolKey, cells }: Pool): PoolFile {
  return { protocol, suite, poolKey, cells };
}

/** A pool's file as canonical JSON, which is what is stored and shown of a public pool. */
export function poolText(pool: Pool): string {
  return canonicalJson(toPoolFile(pool));
}

/**
 * The key that commits to a pool: SHA-256 (hex) of the canonical JSON of `{protocol, suite, cells}`,
 * cells in file order (protocols spec 8.2 no. 7).
 */
export function poolKeyOf(suite: string, cells: readonly PoolCell[]): string {
  const committed = cells.map(({ family, tier, label }) => ({ family, tier, label }));
  return sha256Hex(canonicalJson({ protocol: POOL_PROTOCOL, suite, cells: committed }));
}

/** The pool's cell of that family and tier, or undefined. */
export function poolCell(pool: Pool, family: string, tier: number): PoolCell | undefined {
  return pool.cells.find((cell) => cell.family === family && cell.tier === tier);
}

/** Whether the label leaves the published stream as it is (protocols spec 8.1, observation `label-mix-zero`). */
export function isMixZero(cell: PoolCell): boolean {
  return mixSeed(cell.label, 0) === 0;
}

function refuse(code: ReasonCode, message: string, path: string): PoolResult {
  return { ok: false, reason: reason(code, message, path) };
}
