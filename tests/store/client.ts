/** The HTTP API as the tests of the store use it, and the comparison with what has to be said. */
import assert from "node:assert/strict";
import { z } from "zod";
import { type Item, type Saying, sayingOf } from "./stock.ts";

const resultSchema = z.object({
  id: z.string(),
  report: z.object({
    outcome: z.enum(["verified", "issuer-claimed", "invalid"]).nullable(),
    observations: z.array(z.string()),
  }),
  history: z.array(z.object({
    from: z.string().nullable(),
    to: z.string(),
    poolKey: z.string().nullable(),
  })),
});

const badgeSchema = z.object({ message: z.string() });

const progressSchema = z.object({
  done: z.boolean(),
  upgraded: z.int(),
  exposed: z.int(),
  unchanged: z.int(),
  unfinished: z.int(),
});

export type Result = z.infer<typeof resultSchema>;
export type Progress = z.infer<typeof progressSchema>;
export type Tally = Pick<Progress, "upgraded" | "exposed" | "unchanged">;

/** An answer that says it will know more in a moment. */
export const CHECKING = "checking";

/** How long `checking` may be the answer, and an upgrade go on without news. */
const PATIENCE_MS = 15_000;

/** How long a stream of events may last in all. */
const STREAM_MS = 120_000;

/** Posts a document; resolves once it is acknowledged. Rejects when the server refuses or is gone. */
export async function store(url: string, item: Item): Promise<void> {
  const answer = await fetch(`${url}/api/results`, postOf(item.body));
  const text = await answer.text();
  assert.ok(answer.status === 201 || answer.status === 200, `${answer.status}: ${text}`);
  assert.equal(resultSchema.pick({ id: true }).parse(JSON.parse(text)).id, item.id);
}

/** Publishes a pool for good; resolves once that is acknowledged. */
export async function publish(url: string, file: string): Promise<void> {
  const answer = await fetch(`${url}/api/pools?confirm=publish`, postOf(file));
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.status}: ${text}`);
}

/** Whether the server knows the pool. */
export async function knowsPool(url: string, poolKey: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/pools/${poolKey}`);
  await answer.body?.cancel();
  assert.ok(answer.status === 200 || answer.status === 404, `${answer.status}`);
  return answer.status === 200;
}

/** The stored result; null when it isn't there. `checking` answers are asked again. */
export async function readResult(url: string, id: string): Promise<Result | null> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await fetch(`${url}/api/results/${id}`);
    const text = await answer.text();
    if (answer.status === 404) return null;
    assert.equal(answer.status, 200, text);
    const result = resultSchema.parse(JSON.parse(text));
    if (result.report.outcome !== null) return result;
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.ok(performance.now() < until, `still checking ${id}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** What the badge says; null when there is none. */
export async function readBadge(url: string, id: string): Promise<string | null> {
  const response = await fetch(`${url}/badge/${id}.json`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { message } = badgeSchema.parse(JSON.parse(text));
  return message === "not found" ? null : message;
}

/**
 * Watches the upgrade of a pool, going on behind the last event when the stream ends early.
 *
 * @returns the tally, once it is complete. Rejects with a TypeError when the connection breaks.
 */
export async function watchUpgrade(
  url: string,
  poolKey: string,
  onEvent: (tally: Tally) => void = () => {},
): Promise<Tally> {
  let lastId = "";
  let until = performance.now() + PATIENCE_MS;
  for (;;) {
    assert.ok(performance.now() < until, `no news of the upgrade of ${poolKey}`);
    const answer = await fetch(`${url}/api/pools/${poolKey}/upgrade`, {
      headers: lastId === "" ? {} : { "last-event-id": lastId },
      signal: AbortSignal.timeout(STREAM_MS),
    });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    for await (const event of eventsOf(answer.body!)) {
      lastId = event.id ?? lastId;
      if (event.data === "") continue;
      const { done, unfinished, ...tally } = progressSchema.parse(JSON.parse(event.data));
      onEvent(tally);
      until = performance.now() + PATIENCE_MS;
      if (!done) continue;
      assert.equal(unfinished, 0);
      return tally;
    }
  }
}

interface ServerSentEvent {
  data: string;
  id: string | null;
}

/** The events of a stream, comments left out. Source: WHATWG HTML, "Server-sent events". */
async function* eventsOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerSentEvent> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const event: ServerSentEvent = { data: "", id: null };
      for (const line of block.split("\n")) {
        const [, field, value] = /^(data|id): ?(.*)$/.exec(line) ?? [];
        if (field === "data") event.data += value!;
        if (field === "id") event.id = value!;
      }
      yield event;
    }
  }
}

/** What a result says, in the terms of {@link Saying}. */
export function saidBy({ report }: Result): Pick<Saying, "outcome" | "exposed"> {
  assert.ok(report.outcome !== null);
  return { outcome: report.outcome, exposed: report.observations.includes("exposed") };
}

/** Asserts that result and badge of a stored document say what they must. Gives the result. */
export async function checkItem(url: string, item: Item, disclosed: boolean): Promise<Result> {
  const { badge, ...said } = sayingOf(item, disclosed);
  const result = await readResult(url, item.id);
  const context = `${item.story} ${item.id}, pool ${disclosed ? "disclosed" : "not disclosed"}`;
  assert.ok(result !== null, `lost: ${context}`);
  assert.deepEqual(saidBy(result), said, context);
  assert.equal(await readBadge(url, item.id), badge, context);
  return result;
}

/** Runs `work` on every item, `width` at a time. */
export async function eachOf<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

function postOf(body: string): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body };
}
