import assert from "node:assert/strict";
import { createHosts, HOST_LIMITS } from "../../../lib/fetch/hosts.ts";

/** Limits of round numbers and a clock that only the test moves. */
function hostsAt(limits: Partial<typeof HOST_LIMITS> = {}) {
  const time = { ms: 1_000_000 };
  const defaults = {
    concurrent: 2,
    perMinute: 30,
    burst: 3,
    total: 100,
    reserved: 0,
    remembered: 100,
  };
  const hosts = createHosts({ ...defaults, ...limits, clock: () => time.ms });
  const visit = (host: string, client: string | null = "me") => hosts.enter(host, client);
  const enter = (host: string, client: string | null = "me") => {
    const entered = visit(host, client);
    return () => entered[Symbol.dispose]();
  };
  return { time, enter, visit };
}

const busy = (retryAfter: number) => ({ code: "fetch-host-busy", retryAfter });

Deno.test("so many fetches from one host at a time, and no more", () => {
  const { enter } = hostsAt({ burst: 100 });
  const leave = enter("a");
  enter("a");
  assert.throws(() => enter("a"), busy(1));
  enter("b");
  leave();
  enter("a");
  assert.throws(() => enter("a"), busy(1));
});

Deno.test("leaving twice gives back one place", () => {
  const { enter } = hostsAt({ burst: 100 });
  const leave = enter("a");
  enter("a");
  leave();
  leave();
  enter("a");
  assert.throws(() => enter("a"), busy(1));
});

Deno.test("after a burst, a host is asked at its rate, and each error says when", () => {
  const { enter, time } = hostsAt();
  for (let n = 0; n < 3; n++) enter("a")();
  // 30 a minute: one every two seconds.
  assert.throws(() => enter("a"), busy(2));
  time.ms += 1_000;
  assert.throws(() => enter("a"), busy(1));
  time.ms += 999;
  assert.throws(() => enter("a"), busy(1));
  time.ms += 1;
  enter("a")();
  assert.throws(() => enter("a"), busy(2));
  enter("b")();
  // A long pause is worth no more than a burst.
  time.ms += 3_600_000;
  for (let n = 0; n < 3; n++) enter("a")();
  assert.throws(() => enter("a"), busy(2));
});

Deno.test("asking while a host is busy costs nothing", () => {
  const { enter, time } = hostsAt({ burst: 1 });
  enter("a")();
  for (let n = 0; n < 100; n++) assert.throws(() => enter("a"), busy(2));
  time.ms += 2_000;
  enter("a");
});

Deno.test("so many fetches from all hosts at a time", () => {
  const { enter } = hostsAt({ total: 3 });
  const leave = enter("a", "one");
  enter("b", "two");
  enter("c", "three");
  assert.throws(() => enter("d", "four"), busy(1));
  leave();
  enter("d", "four");
});

Deno.test("one client has at most a quarter of all fetches at a time, on however many hosts", () => {
  const { enter } = hostsAt({ total: 16 });
  for (const host of ["a", "b", "c", "d"]) enter(host, "one");
  assert.throws(() => enter("e", "one"), busy(1));
  enter("e", "two");
});

Deno.test("some of all fetches are for clients that have none under way", () => {
  const { enter } = hostsAt({ total: 16, reserved: 4 });
  const clients = ["one", "two", "three"];
  for (const client of clients) {
    for (let n = 0; n < 4; n++) enter(`${client}-${n}`, client);
  }
  assert.throws(() => enter("x", "one"), busy(1));
  const leave = enter("x", "four");
  assert.throws(() => enter("y", "four"), busy(1));
  for (const client of ["five", "six", "seven"]) enter("z", client);
  assert.throws(() => enter("z", "eight"), busy(1));
  leave();
  enter("z", "eight");
});

Deno.test("with two clients each has a third of a host, and the next one a quarter", () => {
  // All together 60 at once, and 60 a minute: alone 30, then 20, then 15.
  const { enter, time } = hostsAt({ burst: 30, perMinute: 30, concurrent: 6 });
  const count = (client: string) => {
    for (let n = 0;; n++) {
      try {
        enter("a", client)();
      } catch {
        return n;
      }
    }
  };
  assert.equal(count("one"), 30);
  assert.equal(count("two"), 20);
  assert.equal(count("one"), 0);
  // 60 less 50 are left, fewer than a quarter.
  assert.equal(count("three"), 10);
  assert.equal(count("two"), 0);
  time.ms += 3_600_000;
  assert.equal(count("two"), 30);
});

Deno.test("a client that asks without end leaves another one its part, minute by minute", () => {
  const { enter, time } = hostsAt({ burst: 20, perMinute: 60, concurrent: 6 });
  const got = { greedy: 0, calm: 0 };
  const ask = (client: keyof typeof got) => {
    try {
      enter("a", client)();
      got[client]++;
    } catch { /* Refused. */ }
  };
  // A minute of the greedy one alone, then ten in which the other one asks every two seconds.
  for (let quarter = 0; quarter < 4 * 60 * 11; quarter++) {
    ask("greedy");
    if (quarter >= 240 && quarter % 8 === 0) ask("calm");
    time.ms += 250;
  }
  assert.equal(got.calm, 300);
  assert.ok(got.greedy >= 400 && got.greedy <= 700, `${got.greedy}`);
});

Deno.test("clients that can't be told apart are one", () => {
  const { enter } = hostsAt({ burst: 1 });
  enter("a", null)();
  assert.throws(() => enter("a", null), { code: "fetch-host-busy" });
  enter("a", "somebody")();
});

Deno.test("with two clients each has a third of a host's places", () => {
  const { enter } = hostsAt({ burst: 100, concurrent: 6 });
  for (let n = 0; n < 6; n++) enter("a", "one");
  assert.throws(() => enter("a", "one"), busy(1));
  for (let n = 0; n < 4; n++) enter("a", "two");
  assert.throws(() => enter("a", "two"), busy(1));
});

Deno.test("what gave nothing costs its client another fetch, and nobody else", () => {
  const { enter, visit } = hostsAt({ burst: 4, concurrent: 6 });
  for (let n = 0; n < 2; n++) {
    using failing = visit("a", "one");
    failing.failed();
  }
  assert.throws(() => enter("a", "one"), { code: "fetch-host-busy" });
  for (let n = 0; n < 2; n++) enter("a", "two")();
});

Deno.test("the host asked longest ago is forgotten first, never one that is being asked", () => {
  const { enter } = hostsAt({ remembered: 2, burst: 1 });
  enter("busy");
  enter("a")();
  enter("b")();
  enter("c")();
  // `a` had to go for `c`, and may begin anew; then `b` goes for `a`.
  assert.throws(() => enter("c"), busy(2));
  enter("a")();
  assert.throws(() => enter("busy"), busy(2));
  enter("b")();
});

Deno.test("a host that is asked again is remembered longer", () => {
  const { enter } = hostsAt({ remembered: 3, burst: 2 });
  for (const host of ["a", "b", "c", "a", "d"]) enter(host)();
  // `b` had to go for `d`.
  assert.throws(() => enter("a"), busy(2));
  enter("b")();
  enter("b")();
  assert.throws(() => enter("b"), busy(2));
});

Deno.test("a host stays remembered through ten thousand others, by default", () => {
  const hosts = createHosts({ burst: 1, clock: () => 0 });
  const enter = (host: string) => hosts.enter(host, "me")[Symbol.dispose]();
  enter("a");
  for (let n = 0; n < 9_999; n++) enter(`host-${n}`);
  assert.throws(() => enter("a"), { code: "fetch-host-busy" });
  enter("one-more");
  enter("a");
});
