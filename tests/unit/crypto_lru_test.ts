import assert from "node:assert/strict";
import { LruMap } from "../../lib/crypto/lru.ts";

Deno.test("LruMap: forgets what was used least recently, and never grows beyond its capacity", () => {
  const map = new LruMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  assert.equal(map.get("a"), 1);
  map.set("c", 3);
  assert.equal(map.get("b"), undefined);
  assert.equal(map.get("a"), 1);
  assert.equal(map.get("c"), 3);
  map.set("c", 4);
  assert.equal(map.get("c"), 4);
  assert.equal(map.get("a"), 1);
  for (let i = 0; i < 1000; i++) map.set(`k${i}`, i);
  assert.equal(map.size, 2);
});
