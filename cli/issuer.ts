/**
 * `issuer`: keys, held-out pools and sessions of the house suite.
 */
import { parseJson } from "../lib/encoding/json.ts";
import { EvaluatorUnavailable, type References } from "../lib/evaluator/reference.ts";
import { MINTABLE_SUITE } from "../lib/issuer/challenge.ts";
import { createDisclosure } from "../lib/issuer/disclosure.ts";
import { IssuerError, refusal } from "../lib/issuer/error.ts";
import { createKey, type KeyPair, readKeyPair, toJwk } from "../lib/issuer/keys.ts";
import { createPool, toPoolFile } from "../lib/issuer/pool.ts";
import {
  answer,
  closeSession,
  openSession,
  publicChallenges,
  readSession,
  type Session,
} from "../lib/issuer/session.ts";
import { isAnswer } from "../lib/issuer/receipt.ts";
import { createSubjectProof } from "../lib/issuer/subject.ts";
import { isMixZero, type Pool, readPool } from "../lib/protocol/pool.ts";
import { cellId } from "../lib/suites/suites.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import type { Io } from "./io.ts";
import { callersPath } from "./paths.ts";
import {
  createPrivateFile,
  createPrivateFolder,
  explain,
  lock,
  readTextFile,
  replacePrivateFile,
} from "./private_file.ts";
import { readArgs, subcommand, UNUSABLE, UsageError } from "./usage.ts";

/** Exit status when a session is past what is asked of it. */
const REFUSED = 1;
const REFUSALS: ReadonlySet<string> = new Set([
  "already-answered",
  "session-closed",
  "session-expired",
]);

interface Command {
  help: string;
  run(args: string[], io: Io, now: () => number): Promise<void>;
}

const KEYS_NEW: Command = {
  help: `Usage: deno task issuer keys new [--out FILE]

Makes an Ed25519 key for an issuer or a subject, as a private JSON Web Key.

  --out FILE   write it to a new file only its owner can read, and print the public half;
               without it the private key goes to standard output
`,
  async run(args, io) {
    const { out } = optionsOf(args, { out: { type: "string" } }, 0).values;
    const key = createKey();
    const text = json(toJwk(key));
    if (out === undefined) return io.out(text);
    await createPrivateFile(out, text);
    io.out(`public key ${key.publicKey.text}\nkey id     ${key.publicKey.keyId}\n`);
  },
};

const POOL_NEW: Command = {
  help: `Usage: deno task issuer pool new --cells CELL,… [--suite ${MINTABLE_SUITE}] [--out FILE]

Makes a held-out pool: a fresh secret label for each cell (algal:t1, algal:t2 or algal:t3).

  --suite NAME   the suite's policy name, default ${MINTABLE_SUITE}
  --cells LIST   cell ids, separated by commas
  --out FILE     write it to a new file only its owner can read, and print its poolKey;
                 without it the pool goes to standard output
`,
  async run(args, io) {
    const options = {
      suite: { type: "string" },
      cells: { type: "string" },
      out: { type: "string" },
    } as const;
    const { values } = optionsOf(args, options, 0);
    const pool = createPool(values.suite ?? MINTABLE_SUITE, listOf(values.cells));
    const text = json(toPoolFile(pool));
    if (values.out === undefined) return io.out(text);
    await createPrivateFile(values.out, text);
    io.out(`poolKey ${pool.poolKey}\n`);
  },
};

const POOL_INFO: Command = {
  help: `Usage: deno task issuer pool info FILE [--labels]

Shows what a pool file commits to, and warns of a label that leaves its cell's stream unchanged.

  --labels   show the labels as well: they are the pool's secret
`,
  async run(args, io) {
    const { values, positionals } = optionsOf(args, { labels: { type: "boolean" } }, 1);
    const pool = await readPoolFile(positionals[0]!);
    io.out(`suite   ${pool.suite} (${pool.suiteVersion})\npoolKey ${pool.poolKey}\n`);
    for (const cell of pool.cells) {
      const label = values.labels ? `  ${cell.label}` : "";
      io.out(`cell    ${cellId(cell.family, cell.tier)}${label}\n`);
      if (!isMixZero(cell)) continue;
      io.err(
        `warning: label-mix-zero: the label of ${
          cellId(cell.family, cell.tier)
        } changes nothing, ` +
          "its held-out puzzles are the published ones\n",
      );
    }
  },
};

const POOL_DISCLOSE: Command = {
  help: `Usage: deno task issuer pool disclose FILE --key FILE [--out FILE]

Signs the statement that you, the issuer, disclose the pool. Publish the output with
  POST /api/pools
(a dry run) or leave the signing to deno task pool publish FILE --key FILE. The output holds the
pool with its labels: publishing it is permanent.

  --key FILE   the private key that minted under the pool
  --out FILE   write it to a new file only its owner can read, instead of standard output
`,
  async run(args, io) {
    const options = { key: { type: "string" }, out: { type: "string" } } as const;
    const { values, positionals } = optionsOf(args, options, 1);
    const pool = await readPoolFile(positionals[0]!);
    const key = await readKeyFile(required("--key FILE", values.key));
    const disclosure = await createDisclosure(key, pool.poolKey);
    const text = json({ pool: toPoolFile(pool), disclosure });
    if (values.out === undefined) return io.out(text);
    await createPrivateFile(values.out, text);
    io.out(`statement of ${disclosure.publicKey} on pool ${pool.poolKey}\n`);
  },
};

const SESSION_NEW: Command = {
  help: `Usage: deno task issuer session new --key FILE --cells CELL,… --challenges N --min-pass N
         --out DIR [--ttl SECONDS] [--pool FILE] [--subject TEXT] [--context TEXT]

Opens a session: draws N challenges from the cells and keeps its private state in the new folder
DIR. What a solver may see is in DIR/challenges.json.

  --key FILE       the issuer's private key; it is needed again to close the session
  --cells LIST     cell ids separated by commas; h: in front of one means held out (needs --pool)
  --challenges N   1 to 16
  --min-pass N     how many right answers pass, 1 to N
  --ttl SECONDS    time to answer and close, 10 to 3600, default 300
  --subject TEXT   who is said to answer (a claim); --context TEXT: your own reference
`,
  async run(args, io, now) {
    const options = {
      key: { type: "string" },
      cells: { type: "string" },
      challenges: { type: "string" },
      "min-pass": { type: "string" },
      ttl: { type: "string" },
      pool: { type: "string" },
      subject: { type: "string" },
      context: { type: "string" },
      suite: { type: "string" },
      out: { type: "string" },
    } as const;
    const { values } = optionsOf(args, options, 0);
    const folder = required("--out DIR", values.out);
    const keyFile = required("--key FILE", values.key);
    const policy = {
      suite: values.suite ?? MINTABLE_SUITE,
      cells: listOf(values.cells),
      challenges: numberOf("--challenges", values.challenges),
      minPass: numberOf("--min-pass", values["min-pass"]),
      ttlSeconds: numberOf("--ttl", values.ttl ?? "300"),
    };
    const session = await openSession({
      key: await readKeyFile(keyFile),
      policy,
      pool: values.pool === undefined ? undefined : await readPoolFile(values.pool),
      subject: values.subject,
      context: values.context,
      now: now(),
      references: references(io),
    });
    const stored = {
      keyFile: await explain(keyFile, () => Deno.realPath(callersPath(keyFile))),
      session,
    };
    await createPrivateFolder(folder);
    await createPrivateFile(stateFile(folder), json(stored));
    await createPrivateFile(`${folder}/challenges.json`, json(publicChallenges(session)));
    io.out(`session  ${session.sessionId}\ndeadline ${deadlineText(session)}\n`);
    for (const { challenge } of session.items) {
      const { challengeId, family, tier, heldout } = challenge;
      io.out(`${challengeId} ${cellId(family, tier, heldout !== undefined)}\n`);
    }
  },
};

const SESSION_SHOW: Command = {
  help: `Usage: deno task issuer session show DIR [--json]

Shows the challenges of a session with their prompts, and which are answered. Nothing private.

  --json   the challenges as JSON
`,
  async run(args, io) {
    const { values, positionals } = optionsOf(args, { json: { type: "boolean" } }, 1);
    const { session } = await readState(positionals[0]!);
    if (values.json) return io.out(json(publicChallenges(session)));
    const state = session.admission === undefined ? "open" : "closed";
    io.out(`session  ${session.sessionId} (${state})\ndeadline ${deadlineText(session)}\n`);
    for (const { challenge, answer } of session.items) {
      const { challengeId, family, tier, heldout, prompt } = challenge;
      const cell = cellId(family, tier, heldout !== undefined);
      const taken = answer === undefined
        ? "open"
        : isAnswer(family, answer.response)
        ? "answered"
        : "unanswered (wrong format)";
      io.out(`\n${challengeId} ${cell} ${taken}\n\n`);
      io.out(`${prompt}\n`);
    }
  },
};

const SESSION_ANSWER: Command = {
  help: `Usage: deno task issuer session answer DIR CHALLENGE_ID RESPONSE [--subject-key FILE]

Takes the answer to a challenge. The first answer counts; one that isn't in the answer format counts
as unanswered. After the deadline none is taken. Write -- before a RESPONSE that starts with a dash.

  --subject-key FILE   a private key of who answers: proves that its holder took part
`,
  async run(args, io, now) {
    const { values, positionals } = optionsOf(args, { "subject-key": { type: "string" } }, 3);
    const [folder, challengeId, response] = positionals as [string, string, string];
    const subject = values["subject-key"] === undefined
      ? undefined
      : await readKeyFile(values["subject-key"]);
    using _lock = await lock(`${folder}/lock`);
    const state = await readState(folder);
    const challenge = publicChallenges(state.session)
      .find((challenge) => challenge.challengeId === challengeId);
    const proof = subject && challenge && await createSubjectProof(subject, challenge);
    const taken = await answer(state.session, challengeId, response, now(), proof);
    await replacePrivateFile(stateFile(folder), json({ ...state, session: taken.session }));
    io.out(
      taken.accepted
        ? "taken\n"
        : "taken, but it is not in the answer format (a whole number): it counts as unanswered\n",
    );
  },
};

const SESSION_CLOSE: Command = {
  help: `Usage: deno task issuer session close DIR [--key FILE] [--out FILE]

Decides the session and writes the signed admission. This has to happen before the deadline. A
session has one decision: closing it again gives the same admission.

  --key FILE   the issuer's private key, if it has moved since the session was opened
  --out FILE   a new file for the admission, instead of standard output
`,
  async run(args, io, now) {
    const options = { key: { type: "string" }, out: { type: "string" } } as const;
    const { values, positionals } = optionsOf(args, options, 1);
    const folder = positionals[0]!;
    using _lock = await lock(`${folder}/lock`);
    const state = await readState(folder);
    const key = await readKeyFile(values.key ?? state.keyFile);
    const closed = await closeSession(state.session, key, now());
    // Kept before it is given away: whatever fails next, there is no second, different decision.
    if (state.session.admission === undefined) {
      await replacePrivateFile(stateFile(folder), json({ ...state, session: closed.session }));
    }
    const text = json(closed.admission);
    if (values.out === undefined) return io.out(text);
    await createPrivateFile(values.out, text);
    io.out(`admission of ${closed.session.sessionId} written to ${values.out}\n`);
    const { verdict } = JSON.parse(closed.admission.payload);
    const { passed, required, pass } = verdict;
    io.out(`${passed} passed, ${required} required: ${pass ? "pass" : "fail"}\n`);
  },
};

const COMMANDS: Readonly<Record<string, Command>> = {
  "keys new": KEYS_NEW,
  "pool new": POOL_NEW,
  "pool info": POOL_INFO,
  "pool disclose": POOL_DISCLOSE,
  "session new": SESSION_NEW,
  "session show": SESSION_SHOW,
  "session answer": SESSION_ANSWER,
  "session close": SESSION_CLOSE,
};

const HELP = `Usage: deno task issuer COMMAND …

An issuer's tools for the house suite (${MINTABLE_SUITE}), the one suite that can be minted here.

  issuer keys new         a private key, for an issuer or a subject
  issuer pool new         a held-out pool: secret labels for some cells
  issuer pool info        what a pool file commits to
  issuer pool disclose    a signed statement that goes with a published pool
  issuer session new      draws the challenges of a session
  issuer session show     the challenges with their prompts
  issuer session answer   takes an answer
  issuer session close    decides, and writes the signed admission

In that order, for a session with one held-out cell:
  deno task issuer keys new --out issuer.json
  deno task issuer pool new --cells algal:t2 --out pool.json
  deno task issuer session new --key issuer.json --pool pool.json --cells algal:t1,h:algal:t2 \\
    --challenges 2 --min-pass 1 --out session
  deno task issuer session show session
  deno task issuer session answer session att_… 42
  deno task issuer session close session --out admission.json

Each takes --help. Keys, pools and session folders are secrets: they are written for their owner
only, and never overwritten.

Exit status:
  0  done
  1  refused: already-answered, session-closed or session-expired; nothing was changed
  3  arguments or files that can't be used
`;

/** The command `issuer`. @param now the clock, in milliseconds since 1970. */
export async function run(
  args: string[],
  io: Io,
  now: () => number = Date.now,
): Promise<number> {
  const named = subcommand(args, COMMANDS, HELP, io);
  if (named === null) return 0;
  const { name, command, rest } = named;
  try {
    await command.run(rest, io, now);
    return 0;
  } catch (error) {
    if (error instanceof IssuerError || error instanceof EvaluatorUnavailable) {
      io.err(`issuer ${name}: ${error.code}: ${error.message}\n`);
      return REFUSALS.has(error.code) ? REFUSED : UNUSABLE;
    }
    throw error;
  }
}

function optionsOf<const O extends Parameters<typeof readArgs>[1]>(
  args: string[],
  options: O,
  count: number,
) {
  const read = readArgs(args, options);
  if (read.positionals.length !== count) {
    const wanted = count === 0 ? "no arguments besides options" : `${count} arguments`;
    throw new UsageError(`${wanted} expected, ${read.positionals.length} given`);
  }
  return read;
}

function required(name: string, value: string | undefined): string {
  if (value === undefined || value === "") throw new UsageError(`${name} is needed`);
  return value;
}

function listOf(text: string | undefined): string[] {
  return required("--cells CELL,…", text).split(",").map((id) => id.trim());
}

function numberOf(name: string, text: string | undefined): number {
  const given = required(`${name} N`, text);
  if (!/^[0-9]{1,6}$/.test(given)) throw new UsageError(`${name} takes a whole number`);
  return Number(given);
}

function stateFile(folder: string): string {
  return `${folder}/session.json`;
}

async function readState(folder: string): Promise<{ keyFile: string; session: Session }> {
  const value = await readJsonFile(stateFile(folder));
  if (
    typeof value !== "object" || value === null || !("keyFile" in value) ||
    typeof value.keyFile !== "string" || !("session" in value)
  ) {
    throw new IssuerError("session-malformed", `${stateFile(folder)} holds no session`);
  }
  return { keyFile: value.keyFile, session: readSession(value.session) };
}

async function readKeyFile(path: string): Promise<KeyPair> {
  return readKeyPair(await readJsonFile(path));
}

async function readPoolFile(path: string): Promise<Pool> {
  const read = readPool(await readJsonFile(path));
  if (!read.ok) throw refusal(read.reason);
  return read.pool;
}

async function readJsonFile(path: string): Promise<unknown> {
  const parsed = parseJson(await readTextFile(path));
  if (!parsed.ok) throw new UsageError(`file-not-json: ${path}: this is no JSON`);
  return parsed.value;
}

function deadlineText(session: Session): string {
  return session.items[0]!.challenge.expiresAt;
}

function references(io: Io): References {
  return createVerifyContext("auto", (line) => io.err(`${line}\n`)).references;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) + "\n";
}
