import assert from "node:assert/strict";
import type { FetchErrorCode } from "../../../lib/fetch/error.ts";
import {
  ageOf,
  apply,
  mayFetch,
  newLink,
  type News,
  sameDocuments,
  stateOf,
} from "../../../lib/links/freshness.ts";
import { ownDocument } from "../../../routes/http/own_urls.ts";
import { observeFetch } from "../../../lib/links/observe.ts";
import { readHost } from "../../../lib/fetch/allow.ts";
import type { LinkEvent, LinkRow } from "../../../lib/links/rows.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const T = Date.UTC(2026, 10, 30);

function given(at: number, ...ids: (string | null)[]): News {
  const documents = ids.map((id) => ({
    id,
    kind: "receipt" as const,
    unwrapped: false,
    observations: [],
    kept: false,
    found: null,
  }));
  return {
    kind: "given",
    given: { documents, content: `of ${ids}`, pools: false, validators: null },
    at,
  };
}

function failed(
  at: number,
  code: FetchErrorCode,
  status: number | null = null,
  retryAfter?: number,
): News {
  const failure = { code, message: "no", status, reason: null };
  return { kind: "failed", failure, at, retryAfter: retryAfter ?? null };
}

const status = (at: number, code: number) => failed(at, "fetch-status", code);

/** What becomes of a new link, and the events on the way. */
function after(...news: News[]): { row: LinkRow; events: LinkEvent[] } {
  let row = newLink("https://a.example/");
  const events: LinkEvent[] = [];
  for (const one of news) {
    const next = apply(row, one);
    row = next.row;
    if (next.event !== null) events.push(next.event);
  }
  return { row, events };
}

const what = ({ events }: { events: LinkEvent[] }) => events.map((event) => event.what);

Deno.test("a failure is remembered 10 s, then twice as long each time, 5 minutes at most", () => {
  const pauses = [10, 20, 40, 80, 160, 300, 300, 300];
  let { row } = after();
  let at = T;
  for (const seconds of pauses) {
    row = apply(row, failed(at, "fetch-timeout")).row;
    assert.equal(mayFetch(row, at + seconds * SECOND - 1), false, `${seconds} s`);
    assert.equal(mayFetch(row, at + seconds * SECOND), true, `${seconds} s`);
    at += seconds * SECOND;
  }
  row = apply(row, given(at, "a")).row;
  assert.equal(mayFetch(row, at), true);
  row = apply(row, failed(at + 1, "fetch-timeout")).row;
  assert.equal(mayFetch(row, at + 1 + 10 * SECOND), true, "from the beginning");
});

Deno.test("a host's Retry-After is heeded within the bounds", () => {
  const pause = (retryAfter: number) => {
    const { row } = after(failed(T, "fetch-status", 503, retryAfter));
    return (row.failure!.until - T) / SECOND;
  };
  assert.equal(pause(120), 120);
  assert.equal(pause(1), 10);
  assert.equal(pause(86_400), 300);
  assert.equal(after(failed(T, "fetch-status", 503, 120)).row.failure!.asked, true);
  assert.equal(after(failed(T, "fetch-status", 503)).row.failure!.asked, false);
});

Deno.test("gone takes two answers of 404 or 410, five minutes apart", () => {
  const gone = (...news: News[]) => after(given(T, "a"), ...news).row.goneAt;
  assert.equal(gone(status(T + 1, 404)), null, "once");
  assert.equal(gone(status(T + 1, 404), status(T + 5 * MINUTE, 404)), null, "too soon");
  const late = T + 1 + 5 * MINUTE;
  assert.equal(gone(status(T + 1, 404), status(late, 404)), late);
  assert.equal(gone(status(T + 1, 410), status(late, 404)), late, "either");
  assert.equal(gone(status(T + 1, 404), status(late - 1, 410), status(late, 410)), late);
  assert.equal(gone(status(T + 1, 404), failed(late, "fetch-timeout")), null, "no second one");
  assert.equal(gone(status(T + 1, 500), status(late, 404)), null, "500 is no 404");
  assert.equal(gone(status(T + 1, 404), given(T + 2, "a"), status(late, 404)), null, "it was back");
  assert.equal(
    gone(status(T + 1, 404), { kind: "unchanged", content: "of a", at: T + 2 }, status(late, 404)),
    null,
    "it was back",
  );
  // Trouble between them is no news of the file.
  assert.equal(gone(status(T + 1, 404), status(T + 2, 503), status(late, 404)), late);
  for (const other of [403, 401, 429, 500, 502, 503]) {
    assert.equal(gone(status(T + 1, other), status(late, other)), null, `${other}`);
  }
});

Deno.test("what was given stays through every failure, and through being gone", () => {
  const { row } = after(
    given(T, "a", "b"),
    failed(T + 1, "fetch-timeout"),
    status(T + 2, 500),
    status(T + 3, 404),
    status(T + 10 * MINUTE, 404),
    failed(T + 20 * MINUTE, "fetch-unreachable"),
  );
  assert.deepEqual(row.given!.documents.map(({ id }) => id), ["a", "b"]);
  assert.equal(row.given!.at, T);
  assert.equal(row.goneAt, T + 10 * MINUTE, "trouble doesn't bring it back");
  assert.equal(row.failure!.code, "fetch-unreachable");
  const back = apply(row, given(T + 30 * MINUTE, "a", "b")).row;
  assert.equal(back.goneAt, null);
  assert.equal(back.missingSince, null);
  assert.equal(back.failure, null);
});

Deno.test("the history says what changed, and nothing else", () => {
  const story = after(
    given(T, "a"),
    given(T + 1, "a"),
    { kind: "unchanged", content: "of a", at: T + 2 },
    given(T + 3, "a", "b"),
    failed(T + 4, "fetch-timeout"),
    status(T + 5, 404),
    status(T + 10 * MINUTE, 404),
    status(T + 20 * MINUTE, 404),
    given(T + 30 * MINUTE, "c"),
    given(T + 31 * MINUTE, "c"),
  );
  assert.deepEqual(what(story), ["first", "changed", "gone", "back"]);
  assert.deepEqual(story.events.map(({ ids }) => ids), [["a"], ["a", "b"], ["a", "b"], ["c"]]);
  assert.deepEqual(
    story.events.map(({ at }) => at),
    [T, T + 3, T + 10 * MINUTE, T + 30 * MINUTE],
  );
  assert.equal(story.row.changes, 4);
  const many = Array.from({ length: 25 }, (_, n) => `${n}`);
  const [first] = after(given(T, ...many)).events;
  assert.equal(first!.ids.length, 10);
  assert.equal(first!.documents, 25);
  // A file that never was can't go.
  assert.deepEqual(what(after(status(T, 404), status(T + 6 * MINUTE, 404))), []);
});

Deno.test("news that others have overtaken change nothing", () => {
  const newer = after(given(T + 100, "a")).row;
  assert.deepEqual(apply(newer, failed(T + 99, "fetch-timeout")), { row: newer, event: null });
  const other: News = { kind: "unchanged", content: "of b", at: T + 200 };
  assert.deepEqual(apply(newer, other), { row: newer, event: null });
});

Deno.test("ages, and clocks that were set back", () => {
  const { row } = after(given(T, "a"));
  assert.equal(ageOf(row, T + 7), 7);
  assert.equal(ageOf(row, T - SECOND), 0, "clocks differ a little");
  assert.equal(ageOf(row, T - 6 * MINUTE), Infinity, "or a lot: then look again");
  assert.equal(ageOf(newLink("x"), T), Infinity);
  const failing = after(failed(T, "fetch-timeout")).row;
  assert.equal(mayFetch(failing, T - 6 * MINUTE), true);
});

Deno.test("a link's state in a word", () => {
  const { row } = after(given(T, "a"));
  assert.equal(stateOf(row, T + 5 * MINUTE), "fresh");
  assert.equal(stateOf(row, T + 5 * MINUTE + 1), "stale");
  const failing = apply(row, status(T + 1, 404)).row;
  assert.equal(stateOf(failing, T + 1), "failing");
  assert.equal(stateOf(apply(failing, status(T + 9 * MINUTE, 404)).row, T + 9 * MINUTE), "gone");
});

Deno.test("the same documents are the same however often they are written anew", () => {
  const of = (...ids: (string | null)[]) => after(given(T, ...ids)).row.given!;
  const anew = { ...of("a", null), content: "other bytes" };
  assert.ok(sameDocuments(of("a", null), anew));
  assert.ok(!sameDocuments(of("a", "b"), of("b", "a")));
  assert.ok(!sameDocuments(of("a"), of("a", "a")));
  assert.ok(!sameDocuments(of(null), of("null")));
});

Deno.test("URLs of this service and the documents that they are about", () => {
  const id = "0123456789abcdef".repeat(4);
  const idOf = (path: string, own = "") => ownDocument(new URL(path, "https://stone.example"), own);
  for (
    const path of [
      `/r/${id}`,
      `/api/results/${id}`,
      `/api/results/${id}/document`,
      `/badge/${id}.svg`,
      `/badge/${id}.png?style=card`,
      `/badge/${id}.json`,
    ]
  ) {
    assert.equal(idOf(path), id, path);
    assert.equal(idOf(`/t${path}`, "/t"), id, path);
    assert.equal(idOf(path, "/t"), null, `outside of the service: ${path}`);
  }
  for (
    const path of [
      "/",
      "/verify?url=x",
      "/api/verify?url=https%3A%2F%2Fa.example%2F",
      `/badge.svg?url=https://stone.example/r/${id}`,
      `/r/${id}/`,
      `/r/${id.toUpperCase()}`,
      `/r/${id.slice(1)}`,
      `/badge/${id}`,
      `/badge/${id}.svg.json`,
      `/x/r/${id}`,
    ]
  ) assert.equal(idOf(path), null, path);
});

Deno.test("a check's ETag is its document's id, or worth an observation", () => {
  const id = "ab".repeat(32);
  const check = new URL("https://api.example/v1/checks/gs_9AH2bzdnfvKJ");
  const mismatch = ["etag-mismatch"];
  assert.deepEqual(observeFetch(check, id, `"${id}"`), []);
  assert.deepEqual(observeFetch(check, id, `W/"${id}"`), [], "weakened by a cache");
  assert.deepEqual(observeFetch(check, id, null), [], "a host need not say it");
  assert.deepEqual(observeFetch(check, id, `"${"cd".repeat(32)}"`), mismatch);
  assert.deepEqual(observeFetch(check, null, `"${id}"`), mismatch, "no document at all");
  const file = new URL("https://files.example/receipt.json");
  assert.deepEqual(observeFetch(file, id, `"5f3c"`), [], "elsewhere an ETag is just that");
});

Deno.test("hosts on the allow-list are written as URLs have them", () => {
  for (const host of ["files.example", "127.0.0.1:8000", "[::1]:8000", "x.example:443", "a:80"]) {
    assert.equal(readHost(host), host);
  }
  assert.equal(readHost("Files.Example:8080"), "files.example:8080");
  for (
    const text of [
      "",
      "https://x",
      "x/y",
      "u@x",
      "x:0x50",
      "x:70000",
      "*.x",
      "a b",
      "0x7f.1",
      "::1",
    ]
  ) assert.equal(readHost(text), null, text);
});
