/** The strict JSON reader (spec section 2). A null reference means: not valid JSON. */
import { allocate } from "./memory";
import { integerSpelled, numberEnd, readDouble } from "./decimal";
import { compareKeys } from "./order";
import { sortItems } from "./sort";
import { encodeCodePoint, sequenceLength } from "./utf8";
import {
  allocateItems,
  truth,
  failed,
  fields,
  list,
  nil,
  Num,
  number,
  text,
  Text,
  Value,
} from "./value";

const MAX_OPEN: u32 = 127;
const INVALID: Value = changetype<Value>(0);

let at: usize = 0;
let end: usize = 0;

// Items of the containers still open, innermost on top.
let stack: usize = 0;
let stackCount: u32 = 0;
let stackCapacity: u32 = 0;

/** Reads the one value that the bytes have to be. */
export function readJson(bytes: usize, length: u32): Value {
  at = bytes;
  end = bytes + length;
  stackCapacity = 256;
  stack = allocateItems(stackCapacity);
  stackCount = 0;
  const value = readValue(0);
  if (failed(value)) return INVALID;
  skipSpace();
  return at == end ? value : INVALID;
}

function push(item: usize): void {
  if (stackCount == stackCapacity) {
    const larger = allocateItems(stackCapacity << 1);
    memory.copy(larger, stack, stackCapacity << 2);
    stack = larger;
    stackCapacity <<= 1;
  }
  store<usize>(stack + (stackCount++ << 2), item);
}

/** Takes the items above `base` off the stack, into memory of their own. */
function takeItems(base: u32): usize {
  const bytes = <usize>(stackCount - base) << 2;
  const items = allocate(bytes);
  memory.copy(items, stack + (base << 2), bytes);
  stackCount = base;
  return items;
}

@inline
function peek(): u8 {
  // No token begins with a zero byte.
  return at < end ? load<u8>(at) : 0;
}

function skipSpace(): void {
  while (at < end) {
    const byte = load<u8>(at);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return;
    at++;
  }
}

function readValue(open: u32): Value {
  skipSpace();
  switch (peek()) {
    case 0x22:
      return readString();
    case 0x5b:
      return open < MAX_OPEN ? readList(open + 1) : INVALID;
    case 0x7b:
      return open < MAX_OPEN ? readMap(open + 1) : INVALID;
    case 0x6e:
      return readLiteral("null") ? nil : INVALID;
    case 0x74:
      return readLiteral("true") ? truth(true) : INVALID;
    case 0x66:
      return readLiteral("false") ? truth(false) : INVALID;
    default:
      return readNumber();
  }
}

function readLiteral(literal: string): bool {
  const length = <usize>literal.length;
  if (end - at < length) return false;
  for (let i: usize = 0; i < length; i++) {
    if (<u16>load<u8>(at + i) != load<u16>(changetype<usize>(literal) + (i << 1))) return false;
  }
  at += length;
  return true;
}

function readNumber(): Value {
  const value = readDouble(at, end);
  if (numberEnd == 0) return INVALID;
  at = numberEnd;
  const result = number(value);
  changetype<Num>(result).integerSpelled = integerSpelled;
  return result;
}

function readList(open: u32): Value {
  const base = stackCount;
  at++;
  skipSpace();
  if (peek() == 0x5d) {
    at++;
    return list(stack, 0);
  }
  for (;;) {
    const item = readValue(open);
    if (failed(item)) return INVALID;
    push(changetype<usize>(item));
    skipSpace();
    const byte = peek();
    if (byte != 0x2c && byte != 0x5d) return INVALID;
    at++;
    if (byte == 0x5d) break;
  }
  const count = stackCount - base;
  return list(takeItems(base), count);
}

function readMap(open: u32): Value {
  const base = stackCount;
  at++;
  skipSpace();
  if (peek() == 0x7d) {
    at++;
    return fields(stack, 0);
  }
  for (;;) {
    skipSpace();
    if (peek() != 0x22) return INVALID;
    const key = readString();
    if (failed(key)) return INVALID;
    skipSpace();
    if (peek() != 0x3a) return INVALID;
    at++;
    const value = readValue(open);
    if (failed(value)) return INVALID;
    push(changetype<usize>(key));
    push(changetype<usize>(value));
    skipSpace();
    const byte = peek();
    if (byte != 0x2c && byte != 0x7d) return INVALID;
    at++;
    if (byte == 0x7d) break;
  }
  const count = (stackCount - base) >> 1;
  return orderedFields(takeItems(base), count);
}

@inline
function keyOf(pair: usize): Text {
  return changetype<Text>(load<usize>(pair));
}

/** The map of `count` pairs in reading order: sorted, the last of equal keys kept. */
function orderedFields(pairs: usize, count: u32): Value {
  let i: u32 = 1;
  while (i < count && compareKeys(keyOf(pairs + ((i - 1) << 3)), keyOf(pairs + (i << 3))) < 0) i++;
  if (i >= count) return fields(pairs, count);

  const sorted = allocateItems(count);
  for (i = 0; i < count; i++) store<usize>(sorted + (i << 2), pairs + (i << 3));
  sortItems(sorted, count, comparePairs, 0);
  const entries = allocate(<usize>count << 3);
  let kept: u32 = 0;
  for (i = 0; i < count; i++) {
    const pair = load<usize>(sorted + (i << 2));
    // The sort is stable, so of equal keys the last read comes last and overwrites.
    if (kept > 0 && compareKeys(keyOf(entries + ((kept - 1) << 3)), keyOf(pair)) == 0) kept--;
    store<u64>(entries + (kept << 3), load<u64>(pair));
    kept++;
  }
  return fields(entries, kept);
}

function comparePairs(a: usize, b: usize, context: usize): i32 {
  return compareKeys(keyOf(a), keyOf(b));
}

function readString(): Value {
  const start = ++at;
  let escapes = false;
  while (at < end) {
    const byte = load<u8>(at);
    if (byte == 0x22) {
      const length = <u32>(at++ - start);
      return escapes ? unescape(start, length) : text(start, length);
    }
    if (byte < 0x20) return INVALID;
    if (byte == 0x5c) {
      escapes = true;
      // The character after it can't end the string; its meaning is looked at later.
      at += 2;
      continue;
    }
    const length = sequenceLength(at, end);
    if (length == 0) return INVALID;
    at += length;
  }
  return INVALID;
}

/** Decodes the escapes of `length` bytes that are well-formed but for those. */
function unescape(from: usize, length: u32): Value {
  const to = from + length;
  // Decoding never makes a string longer.
  const bytes = allocate(length);
  let out = bytes;
  while (from < to) {
    const byte = load<u8>(from++);
    if (byte != 0x5c) {
      store<u8>(out++, byte);
      continue;
    }
    const letter = from < to ? load<u8>(from++) : 0;
    if (letter == 0x75) {
      let code = hex4(from, to);
      if (code < 0) return INVALID;
      from += 4;
      if (code >= 0xd800 && code < 0xe000) {
        if (code >= 0xdc00 || to - from < 6) return INVALID;
        if (load<u8>(from) != 0x5c || load<u8>(from, 1) != 0x75) return INVALID;
        const low = hex4(from + 2, to);
        if (low < 0xdc00 || low > 0xdfff) return INVALID;
        from += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      }
      out = encodeCodePoint(out, code);
      continue;
    }
    const plain = unescapedLetter(letter);
    if (plain == 0) return INVALID;
    store<u8>(out++, plain);
  }
  return text(bytes, <u32>(out - bytes));
}

function unescapedLetter(letter: u8): u8 {
  switch (letter) {
    case 0x22:
    case 0x5c:
    case 0x2f:
      return letter;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return 0;
  }
}

/** The number of four hex digits at `from`, or -1. */
function hex4(from: usize, to: usize): i32 {
  if (to - from < 4) return -1;
  let result: i32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const byte = load<u8>(from + i);
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) result = (result << 4) | (byte - 0x30);
    else if (letter >= 0x61 && letter <= 0x66) result = (result << 4) | (letter - 0x57);
    else return -1;
  }
  return result;
}
