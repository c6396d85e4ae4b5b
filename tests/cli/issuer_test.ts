import assert from "node:assert/strict";
import { run } from "../../cli/issuer.ts";
import type { Io } from "../../cli/io.ts";
import { UsageError } from "../../cli/usage.ts";
import { createPool, toPoolFile } from "../../lib/issuer/pool.ts";
import { readPool } from "../../lib/protocol/pool.ts";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

const NOW = Date.UTC(2026, 4, 5);
const verifier = createVerifyContext("auto");

interface Ran {
  status: number;
  out: string;
  err: string;
}

async function issuer(args: string[], now = NOW): Promise<Ran> {
  const ran = { status: -1, out: "", err: "" };
  const io: Io = {
    out: (text) => ran.out += text,
    err: (text) => ran.err += text,
    stdin: () => Promise.resolve(new Uint8Array()),
    terminal: false,
  };
  ran.status = await run(args, io, () => now);
  return ran;
}

function usage(args: string[], pattern: RegExp): Promise<void> {
  return assert.rejects(
    issuer(args),
    (error) => error instanceof UsageError && pattern.test(error.message),
    args.join(" "),
  );
}

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const modeOf = async (path: string) => (await Deno.stat(path)).mode! & 0o777;
const isUnix = Deno.build.os !== "windows";

async function readJson(path: string) {
  return JSON.parse(await Deno.readTextFile(path));
}

/** Opens a session of two published challenges and two held-out ones, at most. */
async function opened(folder: string): Promise<{ session: string; key: string; pool: string }> {
  const [key, pool, session] = ["key.json", "pool.json", "session"].map((n) => `${folder}/${n}`);
  await issuer(["keys", "new", "--out", key!]);
  await issuer(["pool", "new", "--suite", "touchstone", "--cells", "algal:t2", "--out", pool!]);
  const { status, err } = await issuer(
    ["session", "new", "--key", key!, "--pool", pool!, "--cells", "algal:t1,h:algal:t2"].concat(
      ["--challenges", "4", "--min-pass", "3", "--ttl", "300", "--out", session!],
      ["--subject", "somebody", "--context", "test"],
    ),
  );
  assert.equal(status, 0, err);
  return { session: session!, key: key!, pool: pool! };
}

Deno.test("every command explains itself", async () => {
  const commands = ["", "keys new", "pool new", "pool info"].concat(
    ["session new", "session show", "session answer", "session close"],
  );
  for (const command of commands) {
    for (const flag of ["--help", "-h"]) {
      const { status, out } = await issuer([...command.split(" ").filter(Boolean), flag]);
      assert.equal(status, 0);
      assert(out.startsWith(`Usage: deno task issuer ${command}`.trimEnd()), out);
    }
  }
  assert.equal((await issuer(["session", "--help"])).status, 0);
});

Deno.test("arguments that don't fit are refused before anything is written", async () => {
  await inFolder(async (folder) => {
    const out = `${folder}/x`;
    await usage([], /name one of the commands/);
    await usage(["keys"], /commands: keys new$/);
    await usage(["keys", "old"], /commands: keys new$/);
    await usage(["constructor"], /name one of the commands/);
    await usage(["keys", "new", "extra"], /expected, 1 given/);
    await usage(["keys", "new", "--nope"], /--nope/);
    await usage(["pool", "new"], /--cells/);
    await usage(["pool", "info"], /1 arguments expected|expected, 0 given/);
    await usage(["session", "new"], /--out/);
    await usage(["session", "new", "--out", out], /--key/);
    await usage(
      ["session", "new", "--out", out, "--key", out, "--cells", "algal:t1"],
      /challenges/,
    );
    await usage(["session", "answer", out, "att_AAAAAAAAAAAA"], /3 arguments/);
    await usage(["session", "answer", out, "att_AAAAAAAAAAAA", "-5"], /-5/);
    await usage(["session", "show", out], /file-not-found/);
    await usage(["session", "close", out], /file-not-found/);
    await usage(["pool", "info", out], /file-not-found/);
    await Deno.writeTextFile(`${folder}/broken.json`, "{");
    await usage(["pool", "info", `${folder}/broken.json`], /file-not-json/);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["broken.json"]);
  });
});

Deno.test("values that would make an invalid document are refused with their code", async () => {
  await inFolder(async (folder) => {
    const key = `${folder}/key.json`;
    await issuer(["keys", "new", "--out", key]);
    const out = `${folder}/session`;
    const open = (...more: string[]) =>
      issuer(["session", "new", "--key", key, "--out", out, "--challenges", "2", ...more]);
    const cases: [Promise<Ran>, string][] = [
      [open("--cells", "sat:t4", "--min-pass", "1", "--suite", "frontier"), "suite-not-mintable"],
      [open("--cells", "algal:t4", "--min-pass", "1"), "policy-cell-unknown"],
      [open("--cells", "algal:t1", "--min-pass", "3"), "policy-malformed"],
      [open("--cells", "algal:t1", "--min-pass", "1", "--ttl", "9"), "policy-malformed"],
      [open("--cells", "h:algal:t1", "--min-pass", "1"), "pool-missing"],
      [open("--cells", "algal:t1", "--min-pass", "1", "--pool", key), "pool-malformed"],
      [issuer(["pool", "new", "--cells", "algal:t9"]), "cell-unknown"],
    ];
    for (const [ran, code] of cases) {
      const { status, out, err } = await ran;
      assert.equal(status, 3);
      assert.equal(out, "");
      assert(err.includes(`${code}: `), err);
    }
    await assert.rejects(Deno.stat(out), Deno.errors.NotFound);
  });
});

Deno.test("private files are their owner's only and never overwritten", async () => {
  await inFolder(async (folder) => {
    const { session, key, pool } = await opened(folder);
    const challenge = (await readJson(`${session}/challenges.json`))[0];
    await issuer(["session", "answer", session, challenge.challengeId, "1"]);
    const files = [key, pool, `${session}/session.json`, `${session}/challenges.json`];
    if (isUnix) {
      for (const file of [...files, `${session}/lock`]) {
        assert.equal(await modeOf(file), 0o600, file);
      }
      assert.equal(await modeOf(session), 0o700);
    }
    assert.deepEqual([...Deno.readDirSync(session)].map(({ name }) => name).sort(), [
      "challenges.json",
      "lock",
      "session.json",
    ], "no temporary file is left");

    const before = await Promise.all(files.map((file) => Deno.readTextFile(file)));
    await usage(["keys", "new", "--out", key], /file-exists/);
    await usage(["pool", "new", "--cells", "algal:t1", "--out", pool], /file-exists/);
    const again = ["session", "new", "--key", key, "--cells", "algal:t1", "--challenges", "1"]
      .concat(["--min-pass", "1", "--out", session]);
    await usage(again, /file-exists/);
    await usage(["session", "close", session, "--out", key], /file-exists/);
    const after = await Promise.all(files.map((file) => Deno.readTextFile(file)));
    assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
    assert.equal(after[3], before[3]);
  });
});

Deno.test("a link in the way isn't followed", { ignore: !isUnix }, async () => {
  await inFolder(async (folder) => {
    await Deno.symlink(`${folder}/target`, `${folder}/link`);
    await usage(["keys", "new", "--out", `${folder}/link`], /file-exists/);
    await assert.rejects(Deno.stat(`${folder}/target`), Deno.errors.NotFound);
  });
});

Deno.test("without --out keys and pools go to standard output only", async () => {
  const key = JSON.parse((await issuer(["keys", "new"])).out);
  assert.equal(key.kty, "OKP");
  assert.equal(key.d.length, 43);
  const pool = JSON.parse((await issuer(["pool", "new", "--cells", "algal:t1,algal:t3"])).out);
  assert(readPool(pool).ok);
});

Deno.test("pool info shows labels only when asked, and warns of one without effect", async () => {
  await inFolder(async (folder) => {
    // Its FNV-1a constant is 0 (found by meeting in the middle): the stream stays as it was.
    const label = "xxxxxxxxxxxxxxxxdBLjCB";
    const pool = createPool("touchstone", ["algal:t1", "algal:t2"], {
      labels: ["A".repeat(22), label],
    });
    const file = `${folder}/pool.json`;
    await Deno.writeTextFile(file, JSON.stringify(toPoolFile(pool)));
    const shown = await issuer(["pool", "info", file]);
    assert.equal(shown.status, 0);
    assert(shown.out.includes(pool.poolKey) && shown.out.includes("touchstone-algal-v1"));
    assert(!(shown.out + shown.err).includes(label) && !shown.out.includes("AAAA"));
    assert.match(shown.err, /label-mix-zero: .*algal:t2/);
    assert.doesNotMatch(shown.err, /algal:t1/);
    const labelled = await issuer(["pool", "info", file, "--labels"]);
    assert(labelled.out.includes(label) && labelled.out.includes("A".repeat(22)));
  });
});

Deno.test("a session from opening to its admission, and with the pool", async () => {
  await inFolder(async (folder) => {
    const { session, key, pool } = await opened(folder);
    const subjectKey = `${folder}/subject.json`;
    await issuer(["keys", "new", "--out", subjectKey]);

    const shown = await issuer(["session", "show", session]);
    const json = await issuer(["session", "show", session, "--json"]);
    const challenges = JSON.parse(json.out);
    assert.deepEqual(challenges, await readJson(`${session}/challenges.json`));
    assert.equal(challenges.length, 4);
    for (const { challengeId, prompt } of challenges) {
      assert(shown.out.includes(challengeId) && shown.out.includes(prompt));
    }
    for (const text of [shown.out, json.out]) assert(!/"seed"|"expected"|"label"/.test(text));

    const { items } = (await readJson(`${session}/session.json`)).session;
    for (const [index, { challenge, expected }] of items.entries()) {
      const response = index === 3 ? "it is 7" : expected;
      const answered = await issuer(
        [
          "session",
          "answer",
          session,
          challenge.challengeId,
          response,
          "--subject-key",
          subjectKey,
        ],
        NOW + 1000 * index,
      );
      assert.equal(answered.status, 0);
      assert.equal(answered.out.startsWith(index === 3 ? "taken, but" : "taken\n"), true);
      assert(!answered.out.includes(expected));
    }
    const out = `${folder}/admission.json`;
    const closed = await issuer(["session", "close", session, "--out", out], NOW + 9000);
    assert.equal(closed.status, 0, closed.err);
    const again = await issuer(["session", "close", session, "--key", key], NOW + 999_999);
    assert.deepEqual(JSON.parse(again.out), await readJson(out));

    const heldout = challenges.slice(0, 3).filter((c: { heldout?: unknown }) => c.heldout).length;
    const report = await verifyDocument(await readJson(out), verifier);
    assert.equal(report.counts?.unreplayed, heldout);
    const disclosed = readPool(await readJson(pool));
    assert(disclosed.ok);
    const replayed = await verifyDocument(await readJson(out), verifier, [disclosed.pool]);
    assert.equal(replayed.outcome, "verified");
    assert.equal(replayed.verdict, "pass");
    assert.equal(replayed.counts?.passed, 3);
    assert.equal(replayed.counts?.answered, 3);
    assert.equal(replayed.context, "test");
    assert.equal(replayed.subject, "somebody");
    assert.equal(replayed.subjectKey, (await readJson(subjectKey)).x);
  });
});

Deno.test("too late, twice, unknown: refused, and the session stays as it was", async () => {
  await inFolder(async (folder) => {
    const { session } = await opened(folder);
    const [first, second] = await readJson(`${session}/challenges.json`);
    await issuer(["session", "answer", session, first.challengeId, "--", "-5"]);
    const before = await Deno.readTextFile(`${session}/session.json`);
    const late = NOW + 300_001;
    const cases: [Ran, number, string][] = [
      [
        await issuer(["session", "answer", session, second.challengeId, "1"], late),
        1,
        "session-expired",
      ],
      [await issuer(["session", "close", session], late), 1, "session-expired"],
      [
        await issuer(["session", "answer", session, first.challengeId, "1"]),
        1,
        "already-answered",
      ],
      [
        await issuer(["session", "answer", session, "att_AAAAAAAAAAAA", "1"]),
        3,
        "challenge-unknown",
      ],
    ];
    for (const [{ status, out, err }, expected, code] of cases) {
      assert.equal(status, expected);
      assert.equal(out, "");
      assert(err.includes(`${code}: `), err);
    }
    assert.equal(await Deno.readTextFile(`${session}/session.json`), before);
  });
});

Deno.test("answers that come at the same time are all kept", async () => {
  await inFolder(async (folder) => {
    const { session } = await opened(folder);
    const challenges: { challengeId: string }[] = await readJson(`${session}/challenges.json`);
    const ran = await Promise.all(
      challenges.map(({ challengeId }, index) =>
        issuer(["session", "answer", session, challengeId, String(index)])
      ),
    );
    assert(ran.every(({ status }) => status === 0));
    const { items } = (await readJson(`${session}/session.json`)).session;
    assert.deepEqual(
      items.map((item: { answer: { response: string } }) => item.answer.response),
      ["0", "1", "2", "3"],
    );
  });
});

Deno.test("a session folder with something else in it is refused", async () => {
  await inFolder(async (folder) => {
    const { session } = await opened(folder);
    for (const text of ["[]", "{}", '{"keyFile":"x","session":{}}']) {
      await Deno.writeTextFile(`${session}/session.json`, text);
      const { status, err } = await issuer(["session", "show", session]);
      assert.equal(status, 3);
      assert(err.includes("session-malformed: "), err);
    }
  });
});
