/** Bytes that arrive piece by piece. */
import { strict as assert } from "node:assert";
import fc from "../../support/npm/fast_check.ts";
import { ByteSink } from "../../../lib/encoding/byte_sink.ts";

Deno.test("pieces are put together in order, within the limit, and the growth is foretold", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 });
  fc.assert(fc.property(pieces, fc.nat(40), fc.nat(100), (pieces, least, more) => {
    const whole = pieces.flatMap((piece) => [...piece]);
    const limit = whole.length + more;
    const sink = new ByteSink(limit, least);
    let room = 0;
    for (const piece of pieces) {
      room += sink.growth(piece.length);
      assert.ok(room <= limit);
      const before = sink.length;
      sink.append(piece);
      assert.equal(sink.length, before + piece.length);
      assert.ok(room >= sink.length);
      assert.equal(sink.growth(0), 0);
    }
    assert.deepEqual([...sink.bytes()], whole);
  }));
});

Deno.test("a buffer grows to twice its size, to its least size at first, and never past its limit", () => {
  const sink = new ByteSink(100, 30);
  const sizes: number[] = [];
  for (const length of [10, 20, 1, 29, 1, 39]) {
    sizes.push(sink.growth(length));
    sink.append(new Uint8Array(length));
  }
  assert.deepEqual(sizes, [30, 0, 30, 0, 40, 0]);
  assert.equal(sink.bytes().length, 100);
});

Deno.test("a piece that is changed later doesn't change what was appended", () => {
  const sink = new ByteSink(4);
  const piece = new Uint8Array([1, 2]);
  sink.append(piece);
  piece.fill(9);
  assert.deepEqual([...sink.bytes()], [1, 2]);
});
