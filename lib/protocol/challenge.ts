/**
 * Challenges: shape, held-out marker, deadline, seed commitment.
 * Source: protocols spec 4 and 8.3.
 */
import { z } from "zod";
import { sha256Hex } from "../encoding/digest.ts";
import { parseTimestamp } from "../encoding/timestamp.ts";
import { cellId } from "../suites/suites.ts";
import { exceedsBytes, LIMITS } from "./limits.ts";
import { pathOf, type Reason, reason } from "./reason.ts";
import { formed, shapeReason, text } from "./shape.ts";

export const SESSION_ID = /^gs_[A-Za-z0-9_-]{12}$/;
const HEX64 = /^[0-9a-f]{64}$/;
const CHALLENGE_ID = /^att_[A-Za-z0-9_-]{12}$/;
const NONCE = /^[A-Za-z0-9_-]{16}$/;

const challengeSchema = z.object({
  protocol: z.literal("clankdar-attest-v1"),
  kind: z.literal("challenge"),
  challengeId: formed(CHALLENGE_ID, "att_ and 12 base64url characters"),
  suiteVersion: z.string(),
  family: z.string(),
  tier: z.int(),
  prompt: z.string().refine(
    (prompt) => prompt !== "" && !exceedsBytes(prompt, LIMITS.promptBytes),
    `a prompt of 1 to ${LIMITS.promptBytes} bytes is expected here`,
  ),
  seedCommit: formed(HEX64, "a hash of 64 lower-case hex characters"),
  nonce: formed(NONCE, "a nonce of 16 base64url characters"),
  expiresAt: z.string(),
  // null counts as absent for these two claims (protocols spec 4), and nowhere else.
  context: text(LIMITS.claim).nullish(),
  subject: text(LIMITS.claim, 1).nullish(),
  sessionId: formed(SESSION_ID, "gs_ and 12 base64url characters").optional(),
  heldout: z.unknown().optional(),
  verifier: z.object({ keyId: z.string(), publicKey: z.string() }),
});

type Shape = z.infer<typeof challengeSchema>;

const markerSchema = z.object({ poolKey: z.string().regex(HEX64) });

/** A challenge of the right shape. */
export interface Challenge extends Omit<Shape, "heldout" | "context" | "subject"> {
  /** The two claims, as whoever opened the session made them; they prove nothing. */
  context: string | undefined;
  subject: string | undefined;
  /** The pool that the instance is held out under; null for a published one. */
  poolKey: string | null;
  /** `expiresAt` in milliseconds. */
  deadline: number;
}

/**
 * Reads a challenge. Reasons: `shapeCode` (as the enclosing document names it),
 * `heldout-malformed`, `timestamp-malformed`.
 */
export function readChallenge(
  value: unknown,
  path: string,
  shapeCode: "payload-malformed" | "challenge-malformed",
): { ok: true; challenge: Challenge } | { ok: false; reason: Reason } {
  const parsed = challengeSchema.safeParse(value);
  if (!parsed.success) {
    return { ok: false, reason: shapeReason(parsed.error, shapeCode, path, value) };
  }
  const { heldout, context, subject, ...members } = parsed.data;
  let poolKey: string | null = null;
  if (Object.hasOwn(value as object, "heldout")) {
    const marker = markerSchema.safeParse(heldout);
    if (!marker.success) {
      const message = "a held-out marker is {poolKey} with 64 lower-case hex characters";
      return {
        ok: false,
        reason: reason("heldout-malformed", message, pathOf(path, "heldout")),
      };
    }
    poolKey = marker.data.poolKey;
  }
  const deadline = parseTimestamp(members.expiresAt);
  if (deadline === null) {
    return { ok: false, reason: timestampReason(pathOf(path, "expiresAt")) };
  }
  return {
    ok: true,
    challenge: {
      ...members,
      context: context ?? undefined,
      subject: subject ?? undefined,
      poolKey,
      deadline,
    },
  };
}

/** The cell id of a challenge, with `h:` exactly when it carries a marker. */
export function challengeCell(challenge: Challenge): string {
  return cellId(challenge.family, challenge.tier, challenge.poolKey !== null);
}

/**
 * The commitment to a hidden seed: SHA-256 (hex) of six fields joined by NUL (protocols spec 4). `seed` is the
 * public one, not the one mixed with a pool's label.
 */
export function seedCommitment(
  challenge: { suiteVersion: string; family: string; tier: number; nonce: string },
  seed: number,
): string {
  const { suiteVersion, family, tier, nonce } = challenge;
  return sha256Hex(
    ["clankdar/attest-seed/v1", suiteVersion, family, tier, nonce, seed].join("\0"),
  );
}

/** `timestamp-malformed` at `path`. */
export function timestampReason(path: string): Reason {
  return reason("timestamp-malformed", "a time is written YYYY-MM-DDTHH:MM:SS.sssZ", path);
}
