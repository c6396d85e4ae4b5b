import assert from "node:assert/strict";
import { createVerifyContext, parsePublicKey, type Verifier } from "../../lib/crypto/ed25519.ts";
import { loadNativeCrypto } from "../../lib/encoding/native.ts";
import { isCanonicalJson } from "../../lib/encoding/canonical.ts";
import { parseJson } from "../../lib/encoding/json.ts";
import { conformanceTest, readJsonLines, readVectors } from "./vectors.ts";

const PATHS: [string, Verifier][] = [
  ["Web Crypto", createVerifyContext(crypto.subtle)],
  ["node:crypto", createVerifyContext(undefined, loadNativeCrypto)],
  ["fallback", createVerifyContext(undefined)],
];

type Row = {
  name: string;
  publicKey: string;
  message: string;
  signature: string;
  expect: { ok: boolean; code: string | null };
};

for (const [path, verify] of PATHS) {
  Deno.test(`Ed25519 vectors, ${path}`, async () => {
    const rows = readVectors<Row>("ed25519.jsonl");
    assert.ok(rows.length > 0);
    for (const row of rows) {
      const parsed = parsePublicKey(row.publicKey);
      const found = parsed.ok ? await verify(parsed.key, row.message, row.signature) : parsed.code;
      assert.equal(found, row.expect.code ?? "ok", row.name);
    }
  });
}

/** Who signed a body: the issuer of a receipt or an admission, the subject of a dossier. */
type Body = {
  subjectKey?: string;
  challenge?: { verifier: { publicKey: string } };
  challenges?: { verifier: { publicKey: string } }[];
};

type DocumentRow = {
  name: string;
  doc: { payload: string; signature: string };
  expect: { outcome: string; code: string | null };
};

for (const [path, verify] of PATHS) {
  conformanceTest(`signed document vectors: payload form and signature, ${path}`, async () => {
    let sound = 0;
    for (const file of ["receipts", "admissions", "dossiers"]) {
      for (const row of readJsonLines<DocumentRow>(`vectors/protocol/${file}.jsonl`)) {
        const { outcome, code } = row.expect;
        const decides = ["signature-invalid", "signature-malformed", "payload-not-canonical"];
        if (outcome === "invalid" && !decides.includes(code ?? "")) continue;
        const parsed = parseJson(row.doc.payload);
        assert.ok(parsed.ok, row.name);
        const canonical = isCanonicalJson(row.doc.payload, parsed.value);
        assert.equal(canonical, code !== "payload-not-canonical", row.name);
        if (!canonical) continue;
        const body = parsed.value as Body;
        const signer = body.subjectKey ??
          (body.challenge ?? body.challenges?.[0])?.verifier.publicKey;
        const key = parsePublicKey(signer ?? "");
        assert.ok(key.ok, row.name);
        const found = await verify(key.key, row.doc.payload, row.doc.signature);
        assert.equal(found, outcome === "invalid" ? code : "ok", row.name);
        if (found === "ok") sound++;
      }
    }
    assert.ok(sound >= 40, `${sound} sound documents`);
  });
}
