/** Resolving names, against a name server of the test's own on loopback. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createSocket } from "node:dgram";
import { createResolve } from "../../../lib/fetch/resolve.ts";

const CLEAN = { sanitizeOps: true, sanitizeResources: true };

const A = 1;
const CNAME = 5;
const AAAA = 28;
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** Answers to `name type`: records as type and data, or an error's number; none: no answer at all. */
type Zone = Record<string, [number, number[]][] | number>;

interface NameServer extends AsyncDisposable {
  address: { ipAddr: string; port: number };
}

/** Source: RFC 1035. */
async function nameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket("udp4");
  socket.on("message", (query, client) => {
    const labels: string[] = [];
    let at = 12;
    while (query[at] !== 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!));
      at += 1 + query[at]!;
    }
    const question = `${labels.join(".")} ${query.readUInt16BE(at + 1)}`;
    const answer = zone[question];
    if (answer === undefined) return;
    const records = typeof answer === "number" ? [] : answer;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (typeof answer === "number" ? answer : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const body = records.flatMap(([type, data]) => [
      // The name of the question, its type, class IN, a time to live of 0.
      ...[0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length],
      ...data,
    ]);
    const echoed = query.subarray(12, at + 5);
    socket.send(Buffer.concat([header, echoed, Buffer.from(body)]), client.port, client.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  return {
    address: { ipAddr: "127.0.0.1", port: socket.address().port },
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

const never = new AbortController().signal;
const V6 = [0x26, 6, 0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

Deno.test("all IPv4 and IPv6 addresses of a name, IPv4 first", CLEAN, async () => {
  await using server = await nameServer({
    [`files.example ${A}`]: [[A, [93, 184, 216, 34]], [A, [10, 0, 0, 1]]],
    [`files.example ${AAAA}`]: [[AAAA, V6]],
  });
  const resolve = createResolve(server.address);
  assert.deepEqual(
    await resolve("files.example", never),
    ["93.184.216.34", "10.0.0.1", "2606:2800::1"],
  );
});

Deno.test("one family is enough", CLEAN, async () => {
  await using server = await nameServer({
    [`four.example ${A}`]: [[A, [93, 184, 216, 34]]],
    [`four.example ${AAAA}`]: [],
    [`six.example ${A}`]: NXDOMAIN,
    [`six.example ${AAAA}`]: [[AAAA, V6]],
  });
  const resolve = createResolve(server.address);
  assert.deepEqual(await resolve("four.example", never), ["93.184.216.34"]);
  assert.deepEqual(await resolve("six.example", never), ["2606:2800::1"]);
});

Deno.test("an alias is followed, and isn't taken for an address", CLEAN, async () => {
  // `other`, and then what the question has after `alias`.
  const other = [5, ...Buffer.from("other"), 0xc0, 12 + 6];
  await using server = await nameServer({
    [`alias.example ${A}`]: [[CNAME, other]],
    [`alias.example ${AAAA}`]: [[CNAME, other]],
    [`other.example ${A}`]: [[A, [93, 184, 216, 34]]],
    [`other.example ${AAAA}`]: [[AAAA, V6]],
  });
  const found = await createResolve(server.address)("alias.example", never);
  assert.deepEqual(found, ["93.184.216.34", "2606:2800::1"]);
});

Deno.test("a name that doesn't resolve has no addresses, or rejects", CLEAN, async () => {
  await using server = await nameServer({
    [`nothing.example ${A}`]: NXDOMAIN,
    [`nothing.example ${AAAA}`]: NXDOMAIN,
    [`broken.example ${A}`]: SERVFAIL,
    [`broken.example ${AAAA}`]: SERVFAIL,
  });
  const resolve = createResolve(server.address);
  for (const name of ["nothing.example", "broken.example"]) {
    assert.deepEqual(await resolve(name, never).catch(() => []), []);
  }
});

Deno.test("a name server that says nothing is given up with the signal", CLEAN, async () => {
  await using server = await nameServer({});
  const controller = new AbortController();
  const asked = createResolve(server.address)("files.example", controller.signal);
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(asked);
});
