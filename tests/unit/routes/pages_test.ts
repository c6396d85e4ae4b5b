/** Parts of pages that no document of the house suite brings about. */
import assert from "node:assert/strict";
import { NO_TRUST } from "../../../lib/words/signer.ts";
import { emptyReport } from "../../../lib/verify/report.ts";
import { DocumentFacts } from "../../../routes/pages/views/parts/facts.tsx";
import { isLocal } from "../../../routes/pages/views/parts/snippets.tsx";
import { observationText } from "../../../routes/pages/views/parts/words.ts";

Deno.test("two evaluator hashes never stand side by side without a word", () => {
  const report = emptyReport("receipt", null, null);
  const [used, pinned] = ["1".repeat(64), "2".repeat(64)];
  const disclosures = { path: "/stone", pools: [] };
  const page = (evaluator: typeof report.evaluator) =>
    `${DocumentFacts({ report: { ...report, evaluator }, disclosures, trust: NO_TRUST })}`;
  const differ = page({ used, pinned, official: false });
  assert.match(differ, /official module, which isn&#39;t installed here/);
  assert.match(differ, /says nothing against the document/);
  assert.match(differ, /href="\/stone\/evaluator"/);
  assert.ok(differ.indexOf("isn&#39;t installed") < differ.indexOf(used));
  assert.ok(differ.indexOf("isn&#39;t installed") < differ.indexOf(pinned));
  const same = page({ used, pinned: used, official: true });
  assert.doesNotMatch(same, /installed/);
  assert.equal(same.split(used).length, 2, "one hash, once");
});

Deno.test("addresses that nobody else reaches", () => {
  const local = [
    "http://127.0.0.1:8000",
    "http://localhost",
    "http://localhost:8000/stone",
    "http://[::1]:8000",
    "http://0.0.0.0:8000",
    "http://192.168.1.20",
    "http://10.1.2.3:80",
    "http://172.16.0.1",
    "http://169.254.1.1",
    "http://[fe80::1]",
    "http://[fd00::1]",
    "http://[::ffff:127.0.0.1]",
    "http://myserver:8000",
    "http://my.laptop.local",
    "http://app.localhost:8000",
    "http://box.home.arpa",
    "",
  ];
  for (const url of local) assert.equal(isLocal(url), true, url);
  for (const url of ["https://stone.example.org", "https://8.8.8.8", "https://[2606:4700::1111]"]) {
    assert.equal(isLocal(url), false, url);
  }
});

/** Where observations are made in the code: listed with a condition, pushed, or set as a list. */
const MADE = [
  /\[\s*"([a-z-]+)",\s*[^\]]/g,
  /observations\.push\(\s*"([a-z-]+)"/g,
  /observations\s*[=:]\s*\[\s*"([a-z-]+)"/g,
];

/** The modules that make them. */
const MAKERS = ["verify/observe.ts", "verify/verify.ts", "verify/jobs.ts", "verify/input.ts"];

Deno.test("every observation has a sentence", async () => {
  // Protocols specification, sections 12 and 16.
  const names = new Set([
    ...["issuer-unknown", "issuer-revoked", "self-issued", "label-mix-zero", "repeated-instance"],
    ...["answered-after-decision", "subject-claim-unproven", "unwrapped", "etag-mismatch"],
    ...["pass-rests-on-issuer", "exposed", "unsigned"],
  ]);
  for (const path of MAKERS) {
    const source = await Deno.readTextFile(new URL(`../../../lib/${path}`, import.meta.url));
    for (const pattern of MADE) {
      for (const [, name] of source.matchAll(pattern)) names.add(name!);
    }
  }
  const unexplained = observationText("no-such-observation");
  assert.deepEqual([...names].filter((name) => observationText(name) === unexplained), []);
});
