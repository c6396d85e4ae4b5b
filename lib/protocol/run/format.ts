/**
 * What a run file holds, once parsed: only members that some check reads.
 * Source: runs spec 1.
 */

/** Limits of the format. Source: runs spec 1 and 1.2. */
export const RUN_LIMITS = {
  /** Bytes, unpacked. */
  bytes: 32 * 1024 * 1024,
  /** Lines: a manifest, 10,000 rows, a summary. */
  lines: 10_002,
  /** UTF-16 code units of an adapter's name. */
  adapter: 200,
  /** UTF-16 code units of any other string of a row. */
  text: 65_536,
  /** Entries of a transcript; also the highest turn, and the most turns and tool calls. */
  turns: 64,
  /** UTF-16 code units of a transcript entry. */
  entry: 8_192,
  /** UTF-16 code units of a tool's name and of an episode's error. */
  name: 64,
} as const;

/** The first line. `unknown` members are compared with the rows once these are all read. */
export interface Manifest {
  runId: string;
  suiteVersion: string;
  scorerVersion: string;
  /** 64 lower-case hex characters. */
  suiteHash: string;
  adapter?: unknown;
  instances?: unknown;
  seeds?: unknown;
  cells?: unknown;
}

/** A result row: one puzzle instance and what the solver made of it. */
export interface Row {
  adapter: string;
  family: string;
  tier: number;
  seed: number;
  prompt: string;
  expected: string;
  response: string;
  pass: boolean;
  error?: string;
  truncated?: boolean;
  refused?: boolean;
  detail?: { transcript?: TranscriptEntry[] };
}

/** One message of an agent episode. Turns count from 0. */
export interface TranscriptEntry {
  turn: number;
  role: "model" | "tool";
  text: string;
  tool?: string;
  ok?: boolean;
}

/** The name of an instance within a run: `family:t<tier>:s<seed>`. */
export function rowKey({ family, tier, seed }: Pick<Row, "family" | "tier" | "seed">): string {
  return `${family}:t${tier}:s${seed}`;
}
