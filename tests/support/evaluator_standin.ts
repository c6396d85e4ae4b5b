/** Tiny hand-assembled modules with the evaluator's interface, for what a good one never does. */

/** What a stand-in does when the last digit of the request's fuel is 7. */
export type Mishap =
  | "trap"
  | "grow"
  | "grow-then-trap"
  | "zero"
  | "long"
  | "outside"
  | "loop-stack";

export interface StandIn {
  /** The response; the first `#` counts the calls of the instance, from 1 to 9. */
  response?: string;
  mishap?: Mishap;
  /** Pages of memory at the start. */
  pages?: number;
  /** What `algal_alloc` returns. */
  pointer?: number;
  imports?: boolean;
  /** An export to leave out. */
  without?: string;
}

const ANSWER_AT = 98_304;
const I32 = 0x7f;
const I64 = 0x7e;

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  do {
    const low = value & 0x7f;
    value = Math.floor(value / 128);
    bytes.push(value > 0 ? low | 0x80 : low);
  } while (value > 0);
  return bytes;
}

function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (;;) {
    const low = Number(value & 0x7fn);
    value >>= 7n;
    const done = (value === 0n && low < 0x40) || (value === -1n && low >= 0x40);
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
}

const i32 = (value: number) => [0x41, ...signed(BigInt(value))];
const i64 = (value: bigint) => [0x42, ...signed(BigInt.asIntN(64, value))];
const vector = (items: number[][]) => [...unsigned(items.length), ...items.flat()];
const section = (id: number, bytes: number[]) => [id, ...unsigned(bytes.length), ...bytes];
const name = (text: string) => {
  const bytes = [...new TextEncoder().encode(text)];
  return [...unsigned(bytes.length), ...bytes];
};
const body = (code: number[]) => {
  const bytes = [0, ...code, 0x0b];
  return [...unsigned(bytes.length), ...bytes];
};

const pack = (pointer: number, length: number) => (BigInt(pointer) << 32n) | BigInt(length);
const RETURN = [0x0f];
const UNREACHABLE = [0x00];
const GROW = [...i32(300), 0x40, 0, 0x1a];

function mishapCode(mishap: Mishap, self: number): number[] {
  switch (mishap) {
    case "trap":
      return UNREACHABLE;
    case "grow":
      return GROW;
    case "grow-then-trap":
      return [...GROW, ...UNREACHABLE];
    case "zero":
      return [...i64(0n), ...RETURN];
    case "long":
      return [...i64(pack(1024, 65_537)), ...RETURN];
    case "outside":
      return [...i64(pack(0xffff_0000, 100)), ...RETURN];
    case "loop-stack":
      return [0x20, 0, 0x20, 1, 0x10, ...unsigned(self), ...RETURN];
  }
}

/** Assembles a stand-in. */
export function standIn(options: StandIn = {}): Uint8Array<ArrayBuffer> {
  const { response = '{"fuel":1,"ok":true,"value":#}', pages = 2, pointer = 4096 } = options;
  const text = new TextEncoder().encode(response);
  const counterAt = text.indexOf(0x23);
  if (counterAt >= 0) text[counterAt] = 0x30;

  const offset = options.imports ? 1 : 0;
  const run = (self: number) => {
    const code: number[] = [];
    if (counterAt >= 0) {
      const at = ANSWER_AT + counterAt;
      // memory[at] += 1
      code.push(...i32(at), ...i32(at), 0x2d, 0, 0, ...i32(1), 0x6a, 0x3a, 0, 0);
    }
    if (options.mishap) {
      // if memory[pointer + length - 2] == '7'
      code.push(
        0x20,
        0,
        0x20,
        1,
        0x6a,
        ...i32(2),
        0x6b,
        0x2d,
        0,
        0,
        ...i32(0x37),
        0x46,
        0x04,
        0x40,
      );
      code.push(...mishapCode(options.mishap, self), 0x0b);
    }
    code.push(...i64(pack(ANSWER_AT, text.length)));
    return body(code);
  };
  const exports = [
    { text: "memory", kind: 2, index: 0 },
    { text: "algal_alloc", kind: 0, index: offset },
    { text: "algal_dealloc", kind: 0, index: offset + 1 },
    { text: "algal_eval", kind: 0, index: offset + 2 },
    { text: "algal_check", kind: 0, index: offset + 3 },
  ].filter((entry) => entry.text !== options.without);

  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      vector([
        [0x60, 1, I32, 1, I32],
        [0x60, 2, I32, I32, 0],
        [0x60, 2, I32, I32, 1, I64],
      ]),
    ),
    ...(options.imports ? section(2, vector([[...name("env"), ...name("log"), 0, 1]])) : []),
    ...section(3, vector([[0], [1], [2], [2]])),
    ...section(5, vector([[0, ...unsigned(pages)]])),
    ...section(7, vector(exports.map((e) => [...name(e.text), e.kind, ...unsigned(e.index)]))),
    ...section(10, vector([body(i32(pointer)), body([]), run(offset + 2), run(offset + 3)])),
    ...section(11, vector([[0, ...i32(ANSWER_AT), 0x0b, ...unsigned(text.length), ...text]])),
  ]);
}
