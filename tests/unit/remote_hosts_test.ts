import assert from "node:assert/strict";
import { createHosts, HOST_LIMITS } from "../../lib/remote/hosts.ts";

/** Limits of round numbers and a clock that only the test moves. */
function hostsAt(limits: Partial<typeof HOST_LIMITS> = {}) {
  const time = { ms: 1_000_000 };
  const defaults = { concurrent: 2, perMinute: 30, burst: 3, total: 100, remembered: 100 };
  const hosts = createHosts({ ...defaults, ...limits, clock: () => time.ms });
  return { time, enter: (host: string) => hosts.enter(host) };
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
  const leave = enter("a");
  enter("b");
  enter("c");
  assert.throws(() => enter("d"), busy(1));
  leave();
  enter("d");
});

Deno.test("the host asked longest ago is forgotten first, never one that is being asked", () => {
  const { enter } = hostsAt({ remembered: 3, burst: 1 });
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
  hosts.enter("a")();
  for (let n = 0; n < 9_999; n++) hosts.enter(`host-${n}`)();
  assert.throws(() => hosts.enter("a"), { code: "fetch-host-busy" });
  hosts.enter("one-more")();
  hosts.enter("a")();
});
