/**
 * Admission policies. Source: protocols spec 7.1.
 */
import { z } from "zod";
import { hasCell, parseCellId, suiteNamed } from "../suites/suites.ts";
import { LIMITS } from "./limits.ts";
import { type Pool, poolCell } from "./pool.ts";
import { pathOf, type Reason, reason } from "./reason.ts";
import { shapeReason } from "./shape.ts";

/**
 * The five members of a policy by their types alone, for documents that repeat a policy which was
 * checked before: {@link readPolicy} has the rules.
 */
export const policyMembersSchema = z.strictObject({
  suite: z.string(),
  cells: z.array(z.string()),
  challenges: z.int(),
  minPass: z.int(),
  ttlSeconds: z.int(),
});

const anySuiteSchema = z.object({
  suite: z.string(),
  cells: z.array(
    z.string().refine((id) => parseCellId(id) !== null, "a cell as family:t1 is expected here"),
  )
    .min(1).max(LIMITS.policyCells)
    .refine(
      (cells) => new Set(cells).size === cells.length,
      "cells that are named once each are expected here",
    ),
  challenges: z.int().min(1).max(LIMITS.challenges),
  minPass: z.int().min(1),
  ttlSeconds: z.int().min(10).max(3600),
}).refine((policy) => policy.minPass <= policy.challenges, {
  message: "minPass of at most challenges is expected here",
  path: ["minPass"],
});

const policySchema = anySuiteSchema.refine(({ suite }) => suiteNamed(suite) !== undefined, {
  message: "the name of a suite that this version knows is expected here",
  path: ["suite"],
});

/** Whether all that is wrong with a policy is that this version doesn't know its suite's name. */
export function isOfUnknownSuite(value: unknown): boolean {
  const parsed = anySuiteSchema.safeParse(value);
  return parsed.success && suiteNamed(parsed.data.suite) === undefined;
}

export type Policy = z.infer<typeof policySchema>;

/** Reads a policy; reasons `policy-malformed` and `policy-cell-unknown` (also for `h:` cells). */
export function readPolicy(
  value: unknown,
  path = "policy",
): { ok: true; policy: Policy } | { ok: false; reason: Reason } {
  const parsed = policySchema.safeParse(value);
  if (!parsed.success) {
    return { ok: false, reason: shapeReason(parsed.error, "policy-malformed", path, value) };
  }
  const policy = parsed.data;
  const suite = suiteNamed(policy.suite)!;
  for (const [index, id] of policy.cells.entries()) {
    const { family, tier } = parseCellId(id)!;
    if (!hasCell(suite, family, tier)) {
      const at = pathOf(pathOf(path, "cells"), index);
      return { ok: false, reason: reason("policy-cell-unknown", "the suite has no such cell", at) };
    }
  }
  return { ok: true, policy };
}

/**
 * Checks a policy against the disclosed pool that its admission's markers name: same suite
 * (`pool-suite-mismatch`), and every `h:` cell in the pool (`policy-cell-not-in-pool`).
 */
export function checkPolicyPool(policy: Policy, pool: Pool, path = "policy"): Reason | null {
  const heldout = policy.cells.map((id, index) => ({ ...parseCellId(id)!, id, index }))
    .filter((cell) => cell.heldout);
  if (heldout.length === 0) return null;
  if (pool.suite !== policy.suite) {
    const message = `the pool belongs to suite ${pool.suite}`;
    return reason("pool-suite-mismatch", message, pathOf(path, "suite"));
  }
  for (const { id, index, family, tier } of heldout) {
    if (poolCell(pool, family, tier) === undefined) {
      const at = pathOf(pathOf(path, "cells"), index);
      return reason("policy-cell-not-in-pool", `the pool has no cell ${id}`, at);
    }
  }
  return null;
}
