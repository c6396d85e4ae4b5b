/** Writing canonical text (spec section 3) into arena memory. One text is written at a time. */
import { allocate } from "./memory";
import { formatDouble, formatted } from "./double";
import { shortEscape } from "./utf8";
import { Bool, BOOL, Fields, List, LIST, NULL, NUMBER, Num, Text, TEXT, Value } from "./value";
import { fieldAt } from "./order";

let start: usize = 0;
let cursor: usize = 0;
let limit: usize = 0;

/** Begins a new text with room for `capacity` bytes. */
export function begin(capacity: u32): void {
  start = allocate(capacity);
  cursor = start;
  limit = start + capacity;
}

/** Address of the text written since `begin`. */
export function writtenBytes(): usize {
  return start;
}

/** Length in bytes of the text written since `begin`. */
export function writtenLength(): u32 {
  return <u32>(cursor - start);
}

/** Makes room for `count` more bytes; returns where they go. */
function reserve(count: u32): usize {
  if (count > limit - cursor) {
    const used = cursor - start;
    const capacity = (used + count) * 2;
    const moved = allocate(capacity);
    memory.copy(moved, start, used);
    start = moved;
    cursor = moved + used;
    limit = moved + capacity;
  }
  const at = cursor;
  cursor += count;
  return at;
}

export function writeByte(byte: u8): void {
  store<u8>(reserve(1), byte);
}

export function writeBytes(bytes: usize, length: u32): void {
  memory.copy(reserve(length), bytes, length);
}

/** Writes an ASCII literal as it is. */
export function writeAscii(literal: string): void {
  const length = literal.length;
  const at = reserve(length);
  for (let i = 0; i < length; i++) {
    store<u8>(at + i, <u8>load<u16>(changetype<usize>(literal) + (i << 1)));
  }
}

export function writeNumber(value: f64): void {
  writeBytes(formatted, formatDouble(value));
}

/** Writes well-formed UTF-8 with the escapes of a string, without the quotes. */
export function writeEscaped(bytes: usize, length: u32): void {
  const end = bytes + length;
  let plain = bytes;
  for (let at = bytes; at < end; at++) {
    const byte = load<u8>(at);
    if (byte >= 0x20 && byte != 0x22 && byte != 0x5c) continue;
    writeBytes(plain, <u32>(at - plain));
    plain = at + 1;
    writeByte(0x5c);
    if (byte >= 0x20) {
      writeByte(byte);
      continue;
    }
    const letter = shortEscape(byte);
    if (letter != 0) {
      writeByte(letter);
    } else {
      writeAscii("u00");
      writeByte(0x30 + (byte >> 4));
      const low = byte & 15;
      writeByte(low < 10 ? 0x30 + low : 0x57 + low);
    }
  }
  writeBytes(plain, <u32>(end - plain));
}

export function writeText(value: Text): void {
  writeByte(0x22);
  writeEscaped(value.bytes, value.length);
  writeByte(0x22);
}

/** Writes `canon(value)`. */
export function writeValue(value: Value): void {
  switch (value.kind) {
    case NULL:
      writeAscii("null");
      break;
    case BOOL:
      writeAscii(changetype<Bool>(value).value ? "true" : "false");
      break;
    case NUMBER:
      writeNumber(changetype<Num>(value).value);
      break;
    case TEXT:
      writeText(changetype<Text>(value));
      break;
    case LIST:
      writeList(changetype<List>(value));
      break;
    default:
      writeMap(changetype<Fields>(value));
  }
}

function writeList(value: List): void {
  writeByte(0x5b);
  for (let i: u32 = 0; i < value.count; i++) {
    if (i > 0) writeByte(0x2c);
    writeValue(value.at(i));
  }
  writeByte(0x5d);
}

function writeMap(value: Fields): void {
  writeByte(0x7b);
  for (let i: u32 = 0; i < value.count; i++) {
    if (i > 0) writeByte(0x2c);
    const field = fieldAt(value, i);
    writeText(value.key(field));
    writeByte(0x3a);
    writeValue(value.value(field));
  }
  writeByte(0x7d);
}
