import assert from "node:assert/strict";
import { createKey } from "../../../lib/issuer/keys.ts";
import { seededRandom } from "../../../lib/issuer/random.ts";
import { readRegistry, registry } from "../../../service/trust.ts";
import {
  issuerNames,
  policyHash,
  readIssuers,
  readPolicies,
  RegistryError,
  revokedKeys,
} from "../../../lib/trust/registry.ts";

/** Keys of the protocols spec, 1.4 and 12, and of its real documents. */
const STAGING = "4_1Qbm1y84b4ZAYJtFt7bhLL1WHv7vPsOXHP0XRUW2g";
const OTHER = "MMP-mO0IcwK9gE43NeBPeZ7xsFtol0lXYtiQWZcHFf8";

const POLICY = { suite: "algal", cells: ["algal:t1"], challenges: 4, minPass: 3, ttlSeconds: 180 };

const issuer = (changes: Record<string, unknown> = {}) => ({
  name: "Somebody",
  publicKey: OTHER,
  status: "active",
  ...changes,
});

function faults(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof RegistryError, String(error));
    return error.message.split("\n");
  }
  return [];
}

/** The text that the samples' private key follows from; see lib/issuer/samples.ts. */
const SAMPLES_TEXT = "Touchstone samples: a public text, so this issuer is nobody's";

Deno.test("the registry that ships: published issuers, published floors, and the samples' key", () => {
  const { issuers, policies } = registry();
  // Key ids as they were published; protocols spec 1.4 says how they follow from the keys.
  assert.deepEqual(issuers.map(({ note: _, ...issuer }) => issuer), [
    {
      name: "Clankdar staging",
      publicKey: STAGING,
      keyId: "fbedfce73b678cf9",
      status: "active",
    },
    {
      name: "Clankdar archive 2026-09",
      publicKey: "MMP-mO0IcwK9gE43NeBPeZ7xsFtol0lXYtiQWZcHFf8",
      keyId: "da0d70eae14cf7df",
      status: "active",
    },
    {
      name: "Clankdar launch demo",
      publicKey: "7fdR8z460CHADUfR3KY8oCA1PpM5je_re9rOHtRHRWk",
      keyId: "fc96cd39184915d5",
      status: "active",
    },
    {
      name: "Touchstone samples",
      publicKey: createKey(seededRandom(SAMPLES_TEXT)).publicKey.text,
      keyId: "efbb82e6f7665078",
      status: "public",
    },
  ]);
  for (const { note } of issuers) assert.match(note ?? "", /\.$/);
  // Hashes by sha256sum over the canonical texts.
  assert.deepEqual(policies.map(({ name, hash }) => [name, hash]), [
    ["algal-floor-v1", "2947e9596512bf79612e4cf826a804c330dd09f3347ef74235cc9dc46a638674"],
    ["v2-floor-v1", "e1aac43322bf9066b2f947c30479b4fe8e5a29b60d090fb88c7a822d69de7f75"],
    ["frontier-floor-v1", "a331152ffd18efa9f26687770bc016c9d149e8eea573decfcd33341c7925f5d0"],
  ]);
  assert.deepEqual(policies.map(({ policy }) => [policy.challenges, policy.minPass]), [
    [4, 3],
    [4, 3],
    [4, 3],
  ]);
});

Deno.test("a policy's hash is of its canonical text: order of members no, order of cells yes", () => {
  const floor = registry().policies[0]!.policy;
  const { suite, cells, challenges, minPass, ttlSeconds } = floor;
  const shuffled = { ttlSeconds, minPass, challenges, cells, suite, unknown: "ignored" };
  assert.equal(policyHash(shuffled), policyHash(floor));
  assert.equal(
    policyHash({ ...floor, cells: cells.toReversed() }),
    "b3ff5a19dcd99b0af0e7a8b99bfeba33a23aeb1224019c27051bdcdad8de5440",
  );
});

Deno.test("names and revoked keys by whole key", () => {
  const known = {
    issuers: readIssuers([
      issuer({ name: "Old", status: "revoked" }),
      issuer({ name: "New", publicKey: STAGING, status: "rotated" }),
    ]),
    policies: [],
  };
  assert.deepEqual([...issuerNames(known)], [[OTHER, "Old"], [STAGING, "New"]]);
  assert.deepEqual([...revokedKeys(known)], [OTHER]);
});

Deno.test("issuers that can't be used are refused, each fault with its entry", () => {
  const refused: [name: string, value: unknown, fault: RegExp][] = [
    ["no list", { issuers: [] }, /^a list of entries is needed$/],
    ["no object", [7], /^entry 1: /],
    ["a status of no kind", [issuer({ status: "gone" })], /^entry 1 \("Somebody"\)\.status: /],
    ["no status", [issuer({ status: undefined })], /^entry 1 \("Somebody"\)\.status: /],
    ["an unknown member", [issuer({ keyId: "da0d70eae14cf7df" })], /keyId/],
    ["an empty name", [issuer({ name: "" })], /^entry 1 \(""\)\.name: a name has 1 to 80/],
    ["a name with an end of space", [issuer({ name: "a " })], /\.name: /],
    ["a name with a line feed", [issuer({ name: "a\nb" })], /\.name: /],
    ["a name that turns the text around", [issuer({ name: "a\u202eb" })], /\.name: /],
    ["a name of 81 characters", [issuer({ name: "a".repeat(81) })], /\.name: /],
    ["a name like a key id", [issuer({ name: "fbedfce73b678cf9" })], /must not look like a key/],
    ["a name like a key", [issuer({ name: STAGING })], /must not look like a key/],
    ["a key cut short", [issuer({ publicKey: OTHER.slice(1) })], /\.publicKey: .*43 base64url/],
    ["a key id for a key", [issuer({ publicKey: "fbedfce73b678cf9" })], /\.publicKey: /],
    ["a weak key", [issuer({ publicKey: "A".repeat(43) })], /\.publicKey: .*small order/],
    [
      "a name twice",
      [issuer(), issuer({ publicKey: STAGING })],
      /^name "Somebody" stands twice$/,
    ],
    [
      "a name twice but for case",
      [issuer(), issuer({ name: "SOMEBODY", publicKey: STAGING })],
      /^name "SOMEBODY" stands twice$/,
    ],
    ["a key twice", [issuer(), issuer({ name: "Another" })], /^publicKey "MMP-.*" stands twice$/],
  ];
  for (const [name, value, fault] of refused) {
    const found = faults(() => readIssuers(value));
    assert.ok(found.length > 0, name);
    assert.match(found[0]!, fault, name);
  }
  assert.deepEqual(faults(() => readIssuers([])), []);
  assert.deepEqual(faults(() => readIssuers([issuer({ name: "A" })])), []);
  assert.deepEqual(faults(() => readIssuers([issuer({ name: "Prüfer & Söhne (1)" })])), []);
});

Deno.test("policies that can't be used are refused, each fault with its entry", () => {
  const entry = (changes: Record<string, unknown>) => [{
    name: "floor",
    policy: { ...POLICY, ...changes },
  }];
  const refused: [name: string, value: unknown, fault: RegExp][] = [
    ["no list", null, /^a list/],
    ["a misspelt member", entry({ minpass: 3 }), /^entry 1 \("floor"\)\.policy: .*minpass/],
    ["a member missing", entry({ minPass: undefined }), /^entry 1 \("floor"\)\.policy\.minPass: /],
    [
      "no such suite",
      entry({ suite: "clankdar-algal-v1" }),
      /\.policy\.suite: the name of a suite that/,
    ],
    ["no such cell", entry({ cells: ["algal:t9"] }), /\.policy\.cells\[0\]: the suite has no such/],
    ["no cell id", entry({ cells: ["algal"] }), /\.policy\.cells\[0\]: a cell as family:t1/],
    ["more to pass than there is", entry({ minPass: 5 }), /\.policy\.minPass: /],
    ["too long", entry({ ttlSeconds: 3601 }), /\.policy\.ttlSeconds: /],
    ["a name with a space", [{ name: "a b", policy: POLICY }], /\.name: /],
    ["a name like a hash", [{ name: "a".repeat(64), policy: POLICY }], /must not look like a hash/],
    [
      "a name twice",
      [{ name: "floor", policy: POLICY }, { name: "floor", policy: { ...POLICY, minPass: 1 } }],
      /^name "floor" stands twice$/,
    ],
  ];
  for (const [name, value, fault] of refused) {
    const found = faults(() => readPolicies(value));
    assert.ok(found.length > 0, name);
    assert.match(found[0]!, fault, name);
  }
  assert.deepEqual(faults(() => readPolicies(entry({}))), []);
});

Deno.test("the faults of both files are told at once, each with its file", () => {
  assert.deepEqual(
    faults(() => readRegistry("[", '[{"name":"x"}]')).map((line) => line.slice(0, 24)),
    [
      "issuers.json: this is no",
      "policies.json: entry 1 (",
    ],
  );
  assert.deepEqual(readRegistry("[]", "[]"), { issuers: [], policies: [] });
});

Deno.test("a broken registry keeps the service and the commands from starting", async () => {
  const folder = await Deno.makeTempDir();
  const root = new URL("../../../", import.meta.url).pathname;
  const copy = await new Deno.Command("sh", {
    args: [
      "-c",
      'cp -r cli lib pools routes samples service wasm deno.json deno.lock *.ts *.json "$0" && ' +
      'ln -s "$PWD/node_modules" "$0/node_modules"',
      folder,
    ],
    cwd: root,
  }).output();
  assert.equal(copy.code, 0, new TextDecoder().decode(copy.stderr));
  await Deno.writeTextFile(
    `${folder}/issuers.json`,
    JSON.stringify([issuer(), issuer({ name: "Weak", publicKey: "A".repeat(43) })]),
  );
  const start = async (...args: string[]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "main.ts", ...args],
      cwd: folder,
      env: { PORT: "0", KV_PATH: ":memory:", NO_COLOR: "1" },
      stdin: "null",
    }).output();
    return { code, text: new TextDecoder().decode(stderr) };
  };
  const server = await start("serve");
  assert.equal(server.code, 1, server.text);
  assert.match(server.text, /^issuers\.json: entry 2 \("Weak"\)\.publicKey: .*small order/m);
  const command = await start("verify", "samples/verified.json");
  assert.equal(command.code, 3, command.text);
  assert.match(command.text, /the registry is not usable:\nissuers\.json: entry 2 \("Weak"\)/);
  await Deno.remove(folder, { recursive: true });
});
