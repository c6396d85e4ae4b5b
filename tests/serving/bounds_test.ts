/** Which connections go when there are too many: without sockets, and by hand. */
import assert from "node:assert/strict";
import { BOUNDS } from "../../lib/serving/bounds.ts";
import { createConnections } from "../../lib/serving/connections.ts";
import type { ServeConnection } from "../../lib/serving/runtime.ts";

/** Connections by name, and those of them that are still open. */
function table(maxConnections: number, clientPart: number) {
  const open = new Set<string>();
  let next = "";
  const serve: ServeConnection = (_connection, signal) => {
    const name = next;
    open.add(name);
    const ended = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => {
      open.delete(name);
      ended.resolve();
    });
    return ended.promise;
  };
  const connections = createConnections(
    () => new Response(),
    serve,
    { bounds: { ...BOUNDS, clientPart }, maxConnections },
  );
  return {
    connections,
    add(name: string, client: string | null) {
      next = name;
      connections.add({ close() {} } as Deno.TcpConn, client);
    },
    open: () => [...open].sort().join(" "),
  };
}

Deno.test("nobody loses a connection to somebody who has more", async () => {
  const { connections, add, open } = table(10, 1);
  add("b1", "b");
  for (let n = 1; n <= 9; n++) add(`a${n}`, "a");
  // Those of whoever has most cost ones of its own, and so does another client's first.
  add("aa", "a");
  assert.equal(open(), "a2 a3 a4 a5 a6 a7 a8 a9 aa b1");
  add("c1", "c");
  assert.equal(open(), "a3 a4 a5 a6 a7 a8 a9 aa b1 c1");
  assert.equal(connections.halve(), 5);
  assert.equal(open(), "a8 a9 aa b1 c1");
  // Descriptors are still being freed: that is one shortage, and not several.
  assert.equal(connections.halve(), 5);
  assert.equal(open(), "a8 a9 aa b1 c1");
  await connections.end();
  assert.equal(open(), "");
});

Deno.test("a proxy's connections go last", async () => {
  const { connections, add, open } = table(4, 1);
  add("p1", null);
  add("p2", null);
  add("a1", "a");
  add("b1", "b");
  add("p3", null);
  assert.equal(open(), "b1 p1 p2 p3");
  add("p4", null);
  assert.equal(open(), "p1 p2 p3 p4");
  // Where there are no others, the oldest of its own.
  add("p5", null);
  assert.equal(open(), "p2 p3 p4 p5");
  await connections.end();
});

Deno.test("a client's share is its own connections, and the oldest of them goes", async () => {
  const { connections, add, open } = table(8, 1 / 4);
  add("b1", "b");
  for (let n = 1; n <= 4; n++) add(`a${n}`, "a");
  assert.equal(open(), "a3 a4 b1");
  await connections.end();
});
