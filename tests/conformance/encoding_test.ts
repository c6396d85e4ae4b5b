import assert from "node:assert/strict";
import { decodeBase64url } from "../../lib/encoding/base64url.ts";
import { canonicalJson, isCanonicalJson } from "../../lib/encoding/canonical.ts";
import { keyIdOf } from "../../lib/crypto/ed25519.ts";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { parseJson } from "../../lib/encoding/json.ts";
import { parseTimestamp } from "../../lib/encoding/timestamp.ts";
import { conformanceDir, conformanceTest, readVectors } from "./vectors.ts";

Deno.test("canonical JSON vectors", () => {
  type Row = { json: string; canonical: string | null; isCanonical: boolean };
  for (const row of readVectors<Row>("canonical-json.jsonl")) {
    const parsed = parseJson(row.json);
    assert.equal(parsed.ok, row.canonical !== null, row.json);
    if (!parsed.ok) continue;
    assert.equal(canonicalJson(parsed.value), row.canonical, row.json);
    assert.equal(isCanonicalJson(row.json, parsed.value), row.isCanonical, row.json);
  }
});

Deno.test("timestamp vectors", () => {
  type Row = { text: string; ok: boolean; ms: number | null };
  for (const row of readVectors<Row>("timestamps.jsonl")) {
    assert.equal(parseTimestamp(row.text), row.ok ? row.ms : null, row.text);
  }
});

conformanceTest("derived functions: canonical JSON, seed commitments, key ids", async () => {
  const path = `${conformanceDir}/fixtures/valhalla/derived/functions.json`;
  const derived: {
    canonical: { value: unknown; canonical: string }[];
    seedCommit: {
      suiteVersion: string;
      family: string;
      tier: number;
      nonce: string;
      seed: number;
      seedCommit: string;
    }[];
    keyId: { publicKey: string; keyId: string }[];
  } = JSON.parse(await Deno.readTextFile(path));
  for (const row of derived.canonical) assert.equal(canonicalJson(row.value), row.canonical);
  for (const row of derived.seedCommit) {
    const fields = [row.suiteVersion, row.family, row.tier, row.nonce, row.seed];
    assert.equal(sha256Hex(["clankdar/attest-seed/v1", ...fields].join("\0")), row.seedCommit);
  }
  for (const row of derived.keyId) {
    const bytes = decodeBase64url(row.publicKey, 32);
    assert.ok(bytes);
    assert.equal(keyIdOf(bytes), row.keyId);
  }
});
