/** The bounded size of a value (spec section 4). */
import { raiseBounds } from "./failure";
import {
  Fields,
  List,
  LIST,
  MAP,
  MAX_KEYS,
  MAX_LIST_LENGTH,
  MAX_STRING_BYTES,
  Text,
  TEXT,
  Value,
} from "./value";

export const MAX_VALUE_BYTES: u32 = 262144;
export const MAX_VALUE_DEPTH: u32 = 32;

/** What `size` and `grow` give after raising an error. */
export const OVER: u32 = u32.MAX_VALUE;

/** `add(t, n)`: the sum, or OVER. */
export function grow(total: u32, bytes: u32): u32 {
  const sum = total + bytes;
  if (sum <= MAX_VALUE_BYTES) return sum;
  raiseBounds(MAX_VALUE_BYTES, "value-bytes");
  return OVER;
}

/** `size(value, level)`: its canonical length, or OVER. */
export function sizeOf(value: Value, level: u32): u32 {
  // Nothing inside can raise: the measures say so, and the walk, whose order matters, is not
  // needed.
  if (
    !value.oversized && value.clen <= MAX_VALUE_BYTES && level + value.height <= MAX_VALUE_DEPTH
  ) return value.clen;
  return walk(value, level);
}

function over(max: u32, what: string): u32 {
  raiseBounds(max, what);
  return OVER;
}

function walk(value: Value, level: u32): u32 {
  if (level > MAX_VALUE_DEPTH) return over(MAX_VALUE_DEPTH, "value-depth");
  if (value.kind == TEXT) {
    return changetype<Text>(value).length > MAX_STRING_BYTES
      ? over(MAX_STRING_BYTES, "string-bytes")
      : value.clen;
  }
  if (value.kind == LIST) return walkList(changetype<List>(value), level);
  if (value.kind == MAP) return walkMap(changetype<Fields>(value), level);
  return value.clen;
}

function walkList(value: List, level: u32): u32 {
  if (value.count > MAX_LIST_LENGTH) return over(MAX_LIST_LENGTH, "list-len");
  let total = separators(value.count);
  for (let i: u32 = 0; i < value.count; i++) {
    const bytes = sizeOf(value.at(i), level + 1);
    if (bytes == OVER) return OVER;
    total = grow(total, bytes);
    if (total == OVER) return OVER;
  }
  return total;
}

function walkMap(value: Fields, level: u32): u32 {
  if (value.count > MAX_KEYS) return over(MAX_KEYS, "object-keys");
  let total = separators(value.count);
  for (let i: u32 = 0; i < value.count; i++) {
    const key = value.key(i);
    if (key.length > MAX_STRING_BYTES) return over(MAX_STRING_BYTES, "string-bytes");
    total = grow(total, key.clen + 1);
    if (total == OVER) return OVER;
    const bytes = sizeOf(value.value(i), level + 1);
    if (bytes == OVER) return OVER;
    total = grow(total, bytes);
    if (total == OVER) return OVER;
  }
  return total;
}

@inline
function separators(count: u32): u32 {
  return 2 + (count > 0 ? count - 1 : 0);
}
