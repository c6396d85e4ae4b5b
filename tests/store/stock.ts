/**
 * Documents for the tests of the store, each with what has to be said about it before and after its
 * pool is disclosed. That follows from how a document is made (protocols spec 8.4 and 16), not from
 * running the verifier.
 */
import { canonicalJson } from "../../lib/encoding/canonical.ts";
import type { References } from "../../lib/evaluator/reference.ts";
import { MINTABLE_SUITE } from "../../lib/issuer/challenge.ts";
import type { KeyPair } from "../../lib/issuer/keys.ts";
import { type AnswerKind, mintAdmission } from "../../lib/issuer/mint.ts";
import { createPool, toPoolFile } from "../../lib/issuer/pool.ts";
import { type Random, randomSeed } from "../../lib/issuer/random.ts";
import { documentId } from "../../lib/protocol/envelope.ts";
import type { Pool } from "../../lib/protocol/pool.ts";
import { rng } from "../../lib/suites/rng.ts";

/**
 * `plain`: of published cells only. `sound`: held out and honest. `silent`: held out, honest, and
 * left unanswered, so that there is nothing to replay. `forged`: regenerates under other labels than
 * those of the pool it names. `foreign`: unanswered, of a cell that the pool doesn't hold. `bulky`: no
 * admission but for its envelope, and about as large as one may be.
 */
export type Story = "plain" | "sound" | "silent" | "forged" | "foreign" | "bulky";

export const HELD_OUT: readonly Story[] = ["sound", "silent", "forged", "foreign"];

/** What the service has to say about a document. */
export interface Saying {
  outcome: "verified" | "issuer-claimed" | "invalid";
  /** The badge's right side. */
  badge: string;
  exposed: boolean;
}

export interface Item {
  id: string;
  story: Story;
  /** The document as it is posted. */
  body: string;
  /** The pool that the document names; null: none. */
  poolKey: string | null;
}

/** A pool with the labels that its forger used instead. */
export interface PoolPair {
  poolKey: string;
  /** The file as an issuer publishes it. */
  file: string;
  pool: Pool;
  forger: Pool;
}

const ALL_REPLAYED: Saying = {
  outcome: "verified",
  badge: "1/1 passed · unknown issuer",
  exposed: false,
};
const NOT_ANSWERED: Saying = {
  outcome: "verified",
  badge: "0/1 passed · failed · unknown issuer",
  exposed: false,
};
const UNREPLAYED: Saying = {
  outcome: "issuer-claimed",
  badge: "1/1 passed · 1 unreplayed · unknown issuer",
  exposed: false,
};
const REFUSED: Saying = { outcome: "invalid", badge: "invalid", exposed: false };
const CONTRADICTED: Saying = {
  outcome: "invalid",
  badge: "invalid · pool contradicts",
  exposed: true,
};

const BEFORE: Readonly<Record<Story, Saying>> = {
  plain: ALL_REPLAYED,
  sound: UNREPLAYED,
  silent: NOT_ANSWERED,
  forged: UNREPLAYED,
  foreign: NOT_ANSWERED,
  bulky: REFUSED,
};

const AFTER: Readonly<Record<Story, Saying>> = {
  plain: ALL_REPLAYED,
  sound: ALL_REPLAYED,
  silent: NOT_ANSWERED,
  forged: CONTRADICTED,
  foreign: CONTRADICTED,
  bulky: REFUSED,
};

/** What disclosure makes of a document, as the tally of an upgrade counts it. */
export const FATE: Readonly<Record<Story, "upgraded" | "exposed" | "unchanged">> = {
  plain: "unchanged",
  bulky: "unchanged",
  sound: "upgraded",
  silent: "unchanged",
  forged: "exposed",
  foreign: "exposed",
};

const MADE_OF: Readonly<Record<Exclude<Story, "bulky">, { cell: string; answer: AnswerKind }>> = {
  plain: { cell: "algal:t1", answer: "right" },
  sound: { cell: "h:algal:t1", answer: "right" },
  silent: { cell: "h:algal:t2", answer: "none" },
  forged: { cell: "h:algal:t1", answer: "right" },
  foreign: { cell: "h:algal:t3", answer: "none" },
};

/** What has to be said about a document, given whether its pool is disclosed. */
export function sayingOf({ story }: Pick<Item, "story">, disclosed: boolean): Saying {
  return (disclosed ? AFTER : BEFORE)[story];
}

/** A pool without the cell of `foreign`. */
export function createPoolPair(random: Random): PoolPair {
  const pool = createPool(MINTABLE_SUITE, ["algal:t1", "algal:t2"], { random });
  const other = createPool(MINTABLE_SUITE, ["algal:t1", "algal:t2", "algal:t3"], { random });
  return {
    poolKey: pool.poolKey,
    file: JSON.stringify(toPoolFile(pool)),
    pool,
    // Its key is a lie, which only the disclosed pool can show.
    forger: { ...other, poolKey: pool.poolKey },
  };
}

/** Mints one document of a story. */
export async function mintItem(
  story: Story,
  { pool, forger }: PoolPair,
  from: { key: KeyPair; references: References; random: Random },
): Promise<Item> {
  if (story === "bulky") return await createBulky(from.random);
  const { cell, answer } = MADE_OF[story];
  const { envelope } = await mintAdmission({
    ...from,
    cells: [cell],
    answers: [answer],
    minPass: 1,
    pool: story === "sound" || story === "silent" ? pool : forger,
  });
  return {
    id: await documentId(envelope),
    story,
    body: JSON.stringify(envelope),
    poolKey: story === "plain" ? null : pool.poolKey,
  };
}

async function createBulky(random: Random): Promise<Item> {
  // Noise hardly compresses, so it takes more chunks than one commit holds.
  const { next } = rng(randomSeed(random));
  const noise = Array.from({ length: 150_000 }, () => next().toString(36));
  const payload = canonicalJson({ kind: "admission", noise: noise.join("") });
  const envelope = { protocol: "clankdar-gate-v1", payload, signature: "A".repeat(86) };
  const body = JSON.stringify(envelope);
  return { id: await documentId(envelope), story: "bulky", body, poolKey: null };
}

/** Mints `count` documents, the stories in turn; `stories` may name one more than once. */
export async function mintItems(
  count: number,
  stories: readonly Story[],
  pair: PoolPair,
  from: { key: KeyPair; references: References; random: Random },
): Promise<Item[]> {
  const items: Item[] = [];
  for (let index = 0; index < count; index++) {
    items.push(await mintItem(stories[index % stories.length]!, pair, from));
  }
  return items;
}
