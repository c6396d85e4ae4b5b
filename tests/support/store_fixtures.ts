/** Documents, pools and databases for the tests of the store. */
import { inLineChecker } from "../../service/checker.ts";
import { createKey, type KeyPair } from "../../lib/issuer/keys.ts";
import { type AnswerKind, mintAdmission } from "../../lib/issuer/mint.ts";
import { createPool } from "../../lib/issuer/pool.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import { documentId, type Envelope } from "../../lib/protocol/envelope.ts";
import type { Pool } from "../../lib/protocol/pool.ts";
import { createStore } from "../../lib/store/create.ts";
import type { Store, StoreOptions } from "../../lib/store/store.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

export const verifier = createVerifyContext("auto");

export const ISSUER = createKey(seededRandom("issuer of the store's tests"));

/** A pool with the given cells; the same text always gives the same one. */
export function poolOf(text: string, cells: string[] = ["algal:t1", "algal:t2"]): Pool {
  return createPool("touchstone", cells, { random: seededRandom(text) });
}

/** What a minted document is about; see the functions below. */
export interface Minted {
  id: string;
  envelope: Envelope;
}

let minted = 0;

export async function mint(
  cells: string[],
  answers: AnswerKind[],
  { pool, key = ISSUER, subjectKey }: { pool?: Pool; key?: KeyPair; subjectKey?: KeyPair } = {},
): Promise<Minted> {
  const { envelope } = await mintAdmission({
    references: verifier.references,
    cells,
    answers,
    minPass: 1,
    key,
    pool,
    subjectKey,
    random: seededRandom(`document ${minted++} of ${Deno.pid}`),
  });
  return { id: await documentId(envelope), envelope };
}

/** Claimed without the pool, verified with it. */
export const honest = (pool: Pool, key = ISSUER) => mint(["h:algal:t1"], ["right"], { pool, key });

/** Claimed without the pool, `prompt-mismatch` with it: its instances come from other labels. */
export const forged = (pool: Pool, key = ISSUER) =>
  mint(["h:algal:t1"], ["right"], {
    pool: { ...poolOf(`not ${pool.poolKey}`), poolKey: pool.poolKey },
    key,
  });

/**
 * No answers, so verified without the pool, and `policy-cell-not-in-pool` with it: the pool has to
 * lack `algal:t3`.
 */
export const hollow = (pool: Pool) =>
  mint(["h:algal:t3"], ["none"], {
    pool: { ...poolOf("hollow", ["algal:t3"]), poolKey: pool.poolKey },
  });

/** Names no pool. */
export const plain = (key = ISSUER) => mint(["algal:t1"], ["right"], { key });

/** Runs with a database in memory. */
export async function withKv(run: (kv: Deno.Kv) => Promise<void>): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  try {
    await run(kv);
  } finally {
    kv.close();
  }
}

export function open(kv: Deno.Kv, options: StoreOptions = {}): Store {
  return createStore(kv, inLineChecker(verifier), options);
}

/** Runs with a store in memory. */
export async function withStore(
  run: (store: Store, kv: Deno.Kv) => Promise<void>,
  options: StoreOptions = {},
): Promise<void> {
  await withKv((kv) => run(open(kv, options), kv));
}

/** Runs with the path of a database file. */
export async function withFile(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(`${folder}/store.kv`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The outcome that a reader gets, or the state. */
export async function outcomeOf(store: Store, id: string): Promise<string> {
  const read = await store.result(id);
  return read.state === "current" ? read.result.outcome : read.state;
}

/**
 * A database of which `before` is called ahead of every read and write; it may throw or wait.
 *
 * @param after call it behind a commit instead: what throws then is a lost acknowledgement.
 */
export function watched(
  kv: Deno.Kv,
  before: (operation: "get" | "getMany" | "list" | "commit") => Promise<void> | void,
  after = false,
): Deno.Kv {
  const wrap = (operation: Deno.AtomicOperation): Deno.AtomicOperation =>
    new Proxy(operation, {
      get(target, name) {
        if (name === "commit") {
          return async () => {
            if (!after) await before("commit");
            const result = await target.commit();
            if (after) await before("commit");
            return result;
          };
        }
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          const result = Reflect.apply(member, target, args);
          return result === target ? wrapped : result;
        };
      },
    });
  let wrapped: Deno.AtomicOperation;
  return new Proxy(kv, {
    get(target, name) {
      if (name === "atomic") {
        return () => wrapped = wrap(target.atomic());
      }
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name === "get" || name === "getMany") {
        return async (...args: unknown[]) => {
          await before(name);
          return await Reflect.apply(member, target, args);
        };
      }
      if (name === "list") {
        return (...args: unknown[]) => {
          const inner = Reflect.apply(member, target, args) as AsyncIterable<unknown>;
          return (async function* () {
            await before("list");
            yield* inner;
          })();
        };
      }
      return member.bind(target);
    },
  });
}
