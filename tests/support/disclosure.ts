/** Held-out documents and their pools, for tests of disclosure. */
import assert from "node:assert/strict";
import type { KeyPair } from "../../lib/issuer/keys.ts";
import { mintAdmission, type Minted } from "../../lib/issuer/mint.ts";
import { createPool, type PoolFile, toPoolFile } from "../../lib/issuer/pool.ts";
import type { Pool } from "../../lib/protocol/pool.ts";
import {
  poolPublishedSchema,
  problemSchema,
  resultSchema,
  shieldsSchema,
  upgradeSchema,
} from "../../routes/schemas/index.ts";
import { post, type TestServer } from "./server.ts";

export const CELLS = ["algal:t2", "algal:t3"];

/** A fresh pool of the house suite. */
export function newPool(cells: readonly string[] = CELLS): Pool {
  return createPool("touchstone", cells);
}

/** The pool's file, as an issuer would send it. */
export function fileOf(pool: Pool): PoolFile {
  return toPoolFile(pool);
}

/** An admission with two held-out challenges, both answered rightly. */
export function mintUnder(
  { verifier }: Pick<TestServer, "verifier">,
  pool: Pool,
  request: { key?: KeyPair; subjectKey?: KeyPair; answers?: ("right" | "none")[] } = {},
): Promise<Minted> {
  return mintAdmission({
    references: verifier.references,
    cells: ["h:algal:t2", "h:algal:t3"],
    answers: ["right", "right"],
    minPass: 1,
    pool,
    ...request,
  });
}

/** As {@link mintUnder}, but the puzzles come from other labels than those that the key commits to. */
export function mintContradicting(
  server: Pick<TestServer, "verifier">,
  pool: Pool,
  request: { key?: KeyPair } = {},
): Promise<Minted> {
  return mintUnder(server, { ...newPool(), poolKey: pool.poolKey }, request);
}

/** Stores a document; gives the answer. */
export async function keep(server: TestServer, document: unknown) {
  const answer = await server.fetch("/api/results", post(document));
  const value = await answer.json();
  assert.ok(answer.ok, JSON.stringify(value));
  return resultSchema.parse(value);
}

/** What is known of a stored document. */
export async function resultOf(server: TestServer, id: string) {
  return resultSchema.parse(await (await server.fetch(`/api/results/${id}`)).json());
}

/** What its badge says. */
export async function badgeOf(server: TestServer, id: string): Promise<string> {
  return shieldsSchema.parse(await (await server.fetch(`/badge/${id}.json`)).json()).message;
}

/** Publishes for good. */
export async function publish(server: TestServer, body: unknown) {
  const answer = await server.fetch("/api/pools?confirm=publish", post(body));
  const value = await answer.json();
  assert.ok(answer.ok, JSON.stringify(value));
  return poolPublishedSchema.parse(value);
}

/** The tally of a pool's upgrade, when it is done. */
export async function tallyOf(server: TestServer, poolKey: string) {
  const { events } = readEvents(
    await (await server.fetch(`/api/pools/${poolKey}/upgrade`)).text(),
  );
  const last = events.at(-1);
  assert.equal(last?.event, "tally");
  return upgradeSchema.parse(last.data);
}

export interface Event {
  event: string;
  id: string;
  data: unknown;
}

/** Server-sent events, and how many comments stood among them. */
export function readEvents(text: string): { events: Event[]; comments: number } {
  const blocks = text.split("\n\n").filter((block) => block !== "");
  const field = (block: string, name: string) =>
    new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  return {
    events: blocks.flatMap((block) => {
      const event = field(block, "event");
      const data = field(block, "data");
      if (event === undefined || data === undefined) return [];
      return [{ event, id: field(block, "id") ?? "", data: JSON.parse(data) }];
    }),
    comments: blocks.filter((block) => block.startsWith(":")).length,
  };
}

/** Checks a problem's status and code. */
export async function problem(answer: Response, status: number, code: string) {
  const value = problemSchema.parse(await answer.json());
  assert.equal(answer.status, status, JSON.stringify(value));
  assert.equal(value.code, code);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  return value;
}
