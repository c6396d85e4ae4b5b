/** Text operations (spec section 10). Lengths and costs are in UTF-8 bytes. */
import {
  argumentCount,
  argument,
  evaluate,
  evaluateAll,
  evaluateAs,
  itemAt,
  RAISED,
  required,
} from "./evaluate";
import { raiseArgument, raiseBounds } from "./failure";
import { spend } from "./fuel";
import { allocate } from "./memory";
import {
  ENDS,
  JOIN,
  LOWER,
  SCONCAT,
  SLEN,
  SPLIT,
  STARTS,
  TO_TEXT,
  TRIM,
  UPPER,
} from "./operations";
import { begin, writeValue, writtenBytes } from "./sink";
import { sameBytes } from "./utf8";
import {
  allocateItems,
  truth,
  failed,
  list,
  LIST,
  List,
  MAX_LIST_LENGTH,
  MAX_STRING_BYTES,
  measuredText,
  number,
  text,
  TEXT,
  Text,
  unitsOf,
  Value,
} from "./value";

export function callText(call: List): Value {
  const op = call.op;
  if (op == SCONCAT) return concatTexts(call);
  if (op == JOIN) return join(call);
  if (op == TO_TEXT) return toText(call);
  const first = evaluateAs(call, 0, TEXT);
  if (failed(first)) return RAISED;
  const source = changetype<Text>(first);
  if (op == SLEN) return number(unitsOf(source));
  if (op == UPPER || op == LOWER || op == TRIM) {
    if (!spend(source.length)) return RAISED;
    return op == TRIM ? trim(source) : changeCase(source, op == UPPER ? 0x61 : 0x41);
  }

  const second = evaluateAs(call, 1, TEXT);
  if (failed(second)) return RAISED;
  const part = changetype<Text>(second);
  if (op == SPLIT && part.length == 0) {
    return raiseArgument(op, "separator must be non-empty");
  }
  if (!spend(source.length)) return RAISED;
  if (op == SPLIT) return split(source, part);
  return truth(isFound(op, source, part));
}

function isFound(op: u32, source: Text, part: Text): bool {
  if (part.length > source.length) return false;
  const last = source.bytes + source.length - part.length;
  if (op == STARTS) return sameBytes(source.bytes, part.bytes, part.length);
  if (op == ENDS) return sameBytes(last, part.bytes, part.length);
  return find(source.bytes, last, part) != 0;
}

/** The first place from `at` up to `last` where `part` stands, or 0. */
function find(at: usize, last: usize, part: Text): usize {
  for (; at <= last; at++) {
    if (sameBytes(at, part.bytes, part.length)) return at;
  }
  return 0;
}

/** Switches the case of the 26 letters from `first` on. */
function changeCase(source: Text, first: u8): Value {
  const length = source.length;
  const bytes = allocate(length);
  for (let i: u32 = 0; i < length; i++) {
    const byte = load<u8>(source.bytes + i);
    store<u8>(bytes + i, <u8>(byte - first) < 26 ? byte ^ 0x20 : byte);
  }
  return measuredText(bytes, length, source.clen);
}

@inline
function isSpace(byte: u8): bool {
  return byte == 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function trim(source: Text): Value {
  let from = source.bytes;
  let to = from + source.length;
  while (from < to && isSpace(load<u8>(from))) from++;
  while (from < to && isSpace(load<u8>(to - 1))) to--;
  return text(from, <u32>(to - from));
}

function split(source: Text, separator: Text): Value {
  const end = source.bytes + source.length;
  const count: u32 = 1 + occurrences(source, separator);
  if (count > MAX_LIST_LENGTH) return raiseBounds(MAX_LIST_LENGTH, "list-len");
  if (!spend(count)) return RAISED;
  const items = allocateItems(count);
  let from = source.bytes;
  for (let i: u32 = 0; i < count; i++) {
    const next = i + 1 < count ? find(from, end - separator.length, separator) : end;
    store<usize>(items + (i << 2), changetype<usize>(text(from, <u32>(next - from))));
    from = next + separator.length;
  }
  return list(items, count);
}

/** How often the separator stands in the text, not counting overlaps. */
function occurrences(source: Text, separator: Text): u32 {
  if (separator.length > source.length) return 0;
  const last = source.bytes + source.length - separator.length;
  let count: u32 = 0;
  let at = find(source.bytes, last, separator);
  while (at != 0) {
    count++;
    at = find(at + separator.length, last, separator);
  }
  return count;
}

function concatTexts(call: List): Value {
  const items = evaluateAll(call);
  if (items == 0) return RAISED;
  const count = argumentCount(call);
  for (let i: u32 = 0; i < count; i++) {
    if (failed(required(call, i, itemAt(items, i), TEXT))) return RAISED;
  }
  return joined(items, count, 4, text(items, 0));
}

function join(call: List): Value {
  const first = evaluateAs(call, 0, LIST);
  if (failed(first)) return RAISED;
  const separator = evaluateAs(call, 1, TEXT);
  if (failed(separator)) return RAISED;
  const source = changetype<List>(first);
  for (let i: u32 = 0; i < source.count; i++) {
    if (failed(required(call, i, source.at(i), TEXT))) return RAISED;
  }
  return joined(source.items, source.count, source.stride, changetype<Text>(separator));
}

/** `count` texts, whose references lie `stride` bytes apart, with a separator between them. */
function joined(items: usize, count: u32, stride: i32, separator: Text): Value {
  if (count == 0) return text(items, 0);
  let length = separator.length * (count - 1);
  for (let i: u32 = 0; i < count; i++) length += textAt(items, i, stride).length;
  if (length > MAX_STRING_BYTES) return raiseBounds(MAX_STRING_BYTES, "string-bytes");
  if (!spend(length)) return RAISED;
  const bytes = allocate(length);
  let to = bytes;
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) to = append(to, separator);
    to = append(to, textAt(items, i, stride));
  }
  return text(bytes, length);
}

@inline
function textAt(items: usize, index: u32, stride: i32): Text {
  return changetype<Text>(load<usize>(items + <i32>index * stride));
}

function append(to: usize, part: Text): usize {
  memory.copy(to, part.bytes, part.length);
  return to + part.length;
}

function toText(call: List): Value {
  const value = evaluate(argument(call, 0));
  if (failed(value)) return RAISED;
  if (!spend(value.clen)) return RAISED;
  if (value.clen > MAX_STRING_BYTES) return raiseBounds(MAX_STRING_BYTES, "string-bytes");
  begin(value.clen);
  writeValue(value);
  return text(writtenBytes(), value.clen);
}
