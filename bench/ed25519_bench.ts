/**
 * What a signature check costs: `deno bench bench/ed25519_bench.ts`.
 *
 * 17 is the number of signatures in the largest admission: its own and those of 16 receipts. The
 * groups of 17 state the cost of all of them together.
 */
import {
  createVerifyContext,
  parsePublicKey,
  type PublicKey,
  sign,
} from "../lib/crypto/ed25519.ts";
import { verifyCofactorless } from "../lib/crypto/ed25519_fallback.ts";
import { Point } from "@noble/ed25519";
import { createKey } from "../lib/issuer/keys.ts";
import { decodeBase64url, encodeBase64url } from "../lib/encoding/base64url.ts";

const MESSAGE_CHARS = 8192;
const SIGNATURES = 17;

const { privateKey, publicKey } = createKey();
const messages = Array.from({ length: SIGNATURES }, (_, i) => `${i} `.padEnd(MESSAGE_CHARS, "x"));
const jobs = await Promise.all(
  messages.map(async (message) => ({ message, signature: await sign(privateKey, message) })),
);

const verify = createVerifyContext(crypto.subtle);
const fallback = createVerifyContext(undefined);

async function check(
  verifier: typeof verify,
  key: PublicKey,
  job: { message: string; signature: string },
): Promise<void> {
  if (await verifier(key, job.message, job.signature) !== "ok") throw new Error("refused");
}

const [first] = jobs;
if (first === undefined) throw new Error("no jobs");
await check(verify, publicKey, first);
await check(fallback, publicKey, first);

Deno.bench("17 signatures, Web Crypto, one by one", { group: "verify" }, async () => {
  for (const job of jobs) await check(verify, publicKey, job);
});

Deno.bench("17 signatures, Web Crypto, together", { group: "verify", baseline: true }, async () => {
  await Promise.all(jobs.map((job) => check(verify, publicKey, job)));
});

Deno.bench("17 signatures, fallback", { group: "verify" }, async () => {
  for (const job of jobs) await check(fallback, publicKey, job);
});

// An async function: the bench runner doesn't wait for a promise that another one returns.
Deno.bench("1 signature, Web Crypto", { group: "verify one" }, async () => {
  await check(verify, publicKey, first);
});

const point = Point.fromBytes(publicKey.bytes);
const message = new TextEncoder().encode(first.message);
const signature = decodeBase64url(first.signature, 64) ?? new Uint8Array(64);
Deno.bench("1 signature, fallback's equation alone", { group: "verify one" }, () => {
  verifyCofactorless(point, publicKey.bytes, message, signature);
});

Deno.bench("parsePublicKey, remembered", { group: "keys" }, () => {
  parsePublicKey(publicKey.text);
});

const many: string[] = [];
for (let i = 0, p = Point.BASE; i < 2000; i++) {
  p = p.add(Point.BASE);
  many.push(encodeBase64url(p.toBytes()));
}
let next = 0;
Deno.bench("parsePublicKey, new", { group: "keys" }, () => {
  parsePublicKey(many[next++ % many.length] ?? "");
});

Deno.bench("sign, Web Crypto", { group: "sign" }, async () => {
  await sign(privateKey, first.message);
});
