/**
 * Whatever a host does, and whenever it is asked: a link never shows a document that its URL never
 * gave, counts as gone only after two answers that say so, and keeps the last good result.
 */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { plain } from "../support/store_fixtures.ts";
import {
  type Answer,
  badgeShown,
  HOUR,
  MINUTE,
  scriptedHost,
  SECOND,
  setClock,
  shown,
  withLinks,
} from "../support/links.ts";
import { apply, newLink, type News } from "../../lib/links/freshness.ts";
import type { Links } from "../../lib/links/links.ts";

const URL_A = "https://files.example/a.json";
const documents = await Promise.all(Array.from({ length: 3 }, () => plain()));
const saying = documents.map(({ id }) => `${id.slice(0, 8)} verified`);

type Step =
  | { kind: "host"; answer: string }
  | { kind: "pass"; ms: number }
  | { kind: "ask"; how: "verify" | "keep" | "badge" | "refresh"; process: number }
  | { kind: "restart"; process: number };

/** Named, so that a counterexample can be read. */
const ANSWERS: Record<string, Answer> = {
  "404": { error: "fetch-status", status: 404 },
  "410": { error: "fetch-status", status: 410 },
  "503": { error: "fetch-status", status: 503, retryAfter: 90 },
  "500": { error: "fetch-status", status: 500 },
  slow: { error: "fetch-timeout" },
  down: { error: "fetch-unreachable" },
  busy: { error: "fetch-host-busy", retryAfter: 1 },
  page: { body: "<!doctype html>" },
  ...Object.fromEntries(documents.flatMap(({ envelope }, n) => [
    [`${n}`, { body: JSON.stringify(envelope) }],
    [`${n} with a tag`, { body: JSON.stringify(envelope), etag: `"${n}"` }],
    [`${n} pretty`, { body: JSON.stringify(envelope, null, 2), etag: `"${n} pretty"` }],
  ])),
};

const named = (test: (answer: Answer) => boolean) =>
  fc.constantFrom(...Object.keys(ANSWERS).filter((name) => test(ANSWERS[name]!)));

const answer = fc.oneof(
  { arbitrary: named((answer) => holds(answer) !== null), weight: 3 },
  { arbitrary: named(isMissing), weight: 3 },
  { arbitrary: named((answer) => holds(answer) === null && !isMissing(answer)), weight: 2 },
);

const pass = fc.constantFrom(
  1,
  9 * SECOND,
  10 * SECOND,
  MINUTE,
  5 * MINUTE - 1,
  5 * MINUTE,
  5 * MINUTE + 1,
  20 * MINUTE,
  HOUR + 1,
  30 * HOUR,
);

function steps(processes: number): fc.Arbitrary<Step[]> {
  const process = fc.nat({ max: processes - 1 });
  return fc.array(
    fc.oneof(
      { arbitrary: answer.map((answer): Step => ({ kind: "host", answer })), weight: 3 },
      { arbitrary: pass.map((ms): Step => ({ kind: "pass", ms })), weight: 4 },
      {
        arbitrary: fc.record({
          kind: fc.constant("ask" as const),
          how: fc.constantFrom("verify" as const, "keep", "badge", "refresh"),
          process,
        }),
        weight: 6,
      },
      { arbitrary: process.map((process): Step => ({ kind: "restart", process })), weight: 1 },
    ),
    { minLength: 5, maxLength: 40 },
  );
}

/** A request to the host, and what it got. */
interface Asked {
  at: number;
  answer: string;
}

/** The document that an answer holds, as it is shown; null: none. */
function holds(answer: Answer): string | null {
  if (!("body" in answer)) return null;
  const index = documents.findIndex(({ envelope }) =>
    typeof answer.body === "string" && answer.body.includes(envelope.signature)
  );
  return index < 0 ? null : saying[index]!;
}

const gives = (name: string) => holds(ANSWERS[name]!);

function isMissing(answer: Answer): boolean {
  return "error" in answer && (answer.status === 404 || answer.status === 410);
}

/** Two answers that there is no such file, far enough apart, with none that gave it since the first. */
function mayBeGone(log: readonly Asked[]): boolean {
  const since = log.findLastIndex(({ answer }) => gives(answer) !== null);
  const missing = log.slice(since + 1).filter(({ answer }) => isMissing(ANSWERS[answer]!));
  return missing.length >= 2 && missing.at(-1)!.at - missing[0]!.at >= 5 * MINUTE;
}

async function play(plan: readonly Step[], processes: number): Promise<void> {
  const clock = setClock();
  const host = scriptedHost();
  const log: Asked[] = [];
  let current = "slow";
  host.answer(ANSWERS[current]!);
  const fetching: typeof host = {
    ...host,
    fetch(url, options) {
      // That we don't ask is no answer.
      if (current !== "busy") log.push({ at: clock.now, answer: current });
      return host.fetch(url, options);
    },
  };
  await withLinks(async (bench) => {
    const create = () => bench.another().links;
    const links: Links[] = Array.from({ length: processes }, create);
    /** Which processes have shown a document since they were started. */
    const hold = Array.from({ length: processes }, () => false);
    let kept = false;
    for (const step of plan) {
      switch (step.kind) {
        case "host":
          current = step.answer;
          host.answer(ANSWERS[current]!);
          break;
        case "pass":
          clock.pass(step.ms);
          break;
        case "restart":
          await links[step.process]!.close();
          links[step.process] = create();
          hold[step.process] = false;
          break;
        case "ask":
          await ask(step);
      }
    }

    async function ask({ how, process }: Extract<Step, { kind: "ask" }>): Promise<void> {
      const before = log.length;
      const asker = links[process]!;
      const said = how === "refresh"
        ? await asker.refresh(URL_A).then(({ link }) => link.state, () => "fetch-host-busy")
        : how === "badge"
        ? await badgeShown(asker, URL_A)
        : await shown(asker, URL_A, how === "keep");
      await asker.idle();
      const story = JSON.stringify({ said, how, log, now: clock.now });
      assert.ok(log.length - before <= 1, `one request is enough: ${story}`);
      if (how === "refresh") {
        if (said === "gone") assert.ok(mayBeGone(log), story);
        return;
      }
      if (saying.includes(said)) {
        // The last one before, or what has just come; another process may be an hour behind.
        const last = log.slice(0, before).findLast(({ answer }) => gives(answer) !== null);
        const just = log.slice(before);
        const behind = processes > 1 ? log.filter(({ at }) => at >= clock.now - HOUR) : [];
        const allowed = [...(last === undefined ? [] : [last]), ...just, ...behind];
        assert.ok(allowed.some(({ answer }) => gives(answer) === said), `never given: ${story}`);
        hold[process] = true;
        // A badge keeps what it shows; what follows is kept as well.
        kept ||= how !== "verify";
      } else if (said === "gone") {
        assert.ok(mayBeGone(log), `not gone: ${story}`);
      } else {
        const mustHold = kept || processes === 1 && hold[process];
        assert.ok(!mustHold, `the last good result was lost: ${story}`);
        // What never gave anything is remembered in memory alone.
        const past = log.slice(0, before);
        const stored = past.some(({ answer }) => gives(answer) !== null);
        assert.ok(!(stored && mayBeGone(past)), `it was gone already: ${story}`);
      }
    }
  }, { host: fetching, clock });
}

Deno.test("one process, restarted now and then", async () => {
  await fc.assert(fc.asyncProperty(steps(1), (plan) => play(plan, 1)), { numRuns: 60 });
});

Deno.test("two processes on one database", async () => {
  await fc.assert(fc.asyncProperty(steps(2), (plan) => play(plan, 2)), { numRuns: 40 });
});

/** The rules alone, against what the whole log says: thousands of stories cost nothing here. */
Deno.test("the rules: gone, kept and paused exactly as the log of answers has it", () => {
  const look = fc.record({ name: named(() => true), ms: pass });
  fc.assert(
    fc.property(fc.array(look, { maxLength: 30 }), (looks) => {
      let row = newLink("https://files.example/");
      let at = Date.UTC(2026, 0, 1);
      const log: Asked[] = [];
      for (const { name, ms } of looks) {
        if (name === "busy") continue;
        at += ms;
        log.push({ at, answer: name });
        row = apply(row, newsOf(name, at)).row;

        const last = log.findLast(({ answer }) => gives(answer) !== null);
        assert.equal(row.given?.at, last?.at);
        assert.equal(row.given?.documents[0]?.id ?? null, last ? gives(last.answer) : null);
        assert.equal(row.goneAt !== null, wasFoundGone(log), JSON.stringify(log));
        const failures = log.length - 1 - log.findLastIndex(({ answer }) => gives(answer) !== null);
        assert.equal(row.failure?.count ?? 0, failures);
        if (row.failure === null) continue;
        const pause = row.failure.until - at;
        assert.ok(pause >= 10 * SECOND && pause <= 5 * MINUTE);
        assert.equal(
          pause,
          Math.min(
            300,
            Math.max(
              name === "503" ? 90 : 0,
              10 * 2 ** (failures - 1),
            ),
          ) * SECOND,
        );
      }
    }),
    { numRuns: 3000 },
  );
});

/** Whether, since the file was last there, two answers far enough apart said that it isn't. */
function wasFoundGone(log: readonly Asked[]): boolean {
  return log.some((_, index) => mayBeGone(log.slice(0, index + 1)) && !cameBack(log, index));
}

function cameBack(log: readonly Asked[], index: number): boolean {
  return log.slice(index + 1).some(({ answer }) => gives(answer) !== null);
}

function newsOf(name: string, at: number): News {
  const answer = ANSWERS[name]!;
  if (gives(name) !== null) {
    const document = {
      id: gives(name),
      kind: "admission" as const,
      unwrapped: false,
      observations: [],
      kept: false,
      found: null,
    };
    const given = { documents: [document], content: name, pools: false, validators: null };
    return { kind: "given", given, at };
  }
  const failing = "error" in answer ? answer : { error: "fetch-not-json" as const };
  const { status = null, retryAfter = null } = failing as { status?: number; retryAfter?: number };
  const failure = { code: failing.error, message: "", status, reason: null };
  return { kind: "failed", failure, at, retryAfter };
}
