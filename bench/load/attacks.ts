/** Hostile clients, each within what the service lets one address do. They come from 127.0.0.1. */
import { createChallenge } from "../../lib/issuer/challenge.ts";
import { createKey } from "../../lib/issuer/keys.ts";
import { systemRandom } from "../../lib/issuer/random.ts";
import { signReceipt } from "../../lib/issuer/receipt.ts";
import { costlyAdmission } from "../../tests/support/heavy.ts";
import type { Puzzle } from "../../tests/support/heavy.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import type { Attack } from "./attacker.ts";

export type Letter = "a" | "b" | "c" | "d" | "e" | "f";

/** An attack, and what the service is started with. */
interface Plan {
  name: string;
  /** File descriptors that the service has; default: as many as there are. */
  descriptors?: number;
  /** Prepares it. `host` gives documents, `url` is that of a service without limits. */
  prepare(at: { host: Host; url: string }): Promise<Attack>;
}

/** A host of documents: what is put there is given under its path. */
export interface Host {
  url: string;
  put(path: string, document: unknown): void;
}

const SESSION = "gs_hostile-1000";
const RECEIPTS = 1000;
const STORED_AT_ONCE = 8;

/** Puzzles that take some 70 and 40 ms to find: the costliest of 11,000 seeds. */
const COSTLIEST: readonly Puzzle[] = [574, 67].map(
  (seed) => ["clankdar-frontier-v1", "cryptarithm", 6, seed] as const,
);

export const ATTACKS: Readonly<Record<Letter, Plan>> = {
  a: {
    name: "1,100 idle connections, 256 descriptors",
    descriptors: 256,
    prepare: () => Promise.resolve({ kind: "idle", connections: 1100 }),
  },
  b: {
    name: "250 unfinished uploads of 3.9 MiB",
    prepare: () =>
      Promise.resolve({ kind: "uploads", uploads: 250, bytes: Math.floor(3.9 * 1024 * 1024) }),
  },
  c: {
    name: "23 costly verifications a minute",
    async prepare() {
      const body = JSON.stringify(await costly());
      return { kind: "requests", method: "POST", body, everyMs: 60_000 / 23, atOnce: 23 };
    },
  },
  d: {
    name: "18 first badges of a costly URL",
    async prepare({ host }) {
      host.put("/costly", await costly());
      const path = `/badge.json?url=${encodeURIComponent(`${host.url}/costly?x=`)}`;
      return { kind: "requests", path, everyMs: 60_000 / 18, atOnce: 18 };
    },
  },
  e: {
    name: "4 requests a second for missing files of one host",
    prepare({ host }) {
      const path = `/badge.json?url=${encodeURIComponent(`${host.url}/missing/`)}`;
      return Promise.resolve({ kind: "requests", path, everyMs: 250, atOnce: 1 });
    },
  },
  f: {
    name: "1,000 receipts in one session, 34 badges a second",
    async prepare({ url }) {
      const key = await storeSession(url);
      const path = `/badge/session/${SESSION}.json?issuer=${key}&label=`;
      return { kind: "requests", path, everyMs: 1000 / 34, atOnce: 1 };
    },
  },
};

/**
 * Six documents that take the 3 s that one job may: of the costliest puzzles. The prompts are
 * placeholders, as this repository holds no texts of that suite, so that the outcome is `invalid`;
 * that comes out only once each puzzle was generated.
 */
async function costly(): Promise<unknown[]> {
  const { references } = createVerifyContext("auto");
  return await Promise.all(
    Array.from({ length: 6 }, (_, n) => costlyAdmission(COSTLIEST[n % 2]!, references)),
  );
}

/** Stores lone receipts of one session; their issuer's key. */
async function storeSession(url: string): Promise<string> {
  const { references } = createVerifyContext("auto");
  const key = createKey();
  let left = RECEIPTS;
  await Promise.all(Array.from({ length: STORED_AT_ONCE }, async () => {
    while (left-- > 0) {
      const expiresAt = new Date(Date.now() + 300_000).toISOString();
      const request = { key, cell: "algal:t1", sessionId: SESSION, expiresAt };
      const challenge = await createChallenge(request, references, systemRandom);
      const answeredAt = new Date().toISOString();
      const receipt = await signReceipt(key, challenge, {
        response: challenge.expected,
        answeredAt,
      });
      const answer = await fetch(`${url}/api/results`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(receipt),
      });
      await answer.body?.cancel();
      if (answer.status !== 201) throw new Error(`a receipt was not stored: ${answer.status}`);
    }
  }));
  return key.publicKey.text;
}
