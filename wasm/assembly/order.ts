/** Output order of a map's keys (protocols spec 1.1), equality and the order of `sort`. */
import { allocate, cutBack, mark } from "./memory";
import { begin, writeValue, writtenBytes } from "./sink";
import { sortItems } from "./sort";
import { compareBytes, compareUnits, sameBytes } from "./utf8";
import { Bool, BOOL, Fields, List, LIST, NULL, NUMBER, Num, Text, TEXT, Value } from "./value";

/** Storage order: by the UTF-8 bytes of the key. */
export function compareKeys(a: Text, b: Text): i32 {
  return compareBytes(a.bytes, a.length, b.bytes, b.length);
}

/**
 * Field numbers (u32 each) in output order, or 0 when they are in storage order already. Made with
 * the map, because a list made later could sit in memory that a sort cuts back.
 */
export function makeOrder(map: Fields): usize {
  const count = map.count;
  let i: u32 = 1;
  while (i < count && compareOutput(i - 1, i, changetype<usize>(map)) < 0) i++;
  if (i >= count) return 0;
  const order = allocate(<usize>count << 2);
  for (let i: u32 = 0; i < count; i++) store<u32>(order + (i << 2), i);
  sortItems(order, count, compareOutput, changetype<usize>(map));
  return order;
}

/** The number of the field that is written as the `index`th. */
export function fieldAt(map: Fields, index: u32): u32 {
  return map.order == 0 ? index : load<u32>(map.order + (index << 2));
}

function compareOutput(a: usize, b: usize, context: usize): i32 {
  const map = changetype<Fields>(context);
  const x = map.key(<u32>a);
  const y = map.key(<u32>b);
  const xIndex = indexOf(x);
  const yIndex = indexOf(y);
  if (xIndex < 0 && yIndex < 0) return compareUnits(x.bytes, x.length, y.bytes, y.length);
  if (xIndex < 0 || yIndex < 0) return xIndex < 0 ? 1 : -1;
  return <i32>(xIndex > yIndex) - <i32>(xIndex < yIndex);
}

/** The number that an index key spells, or -1. */
function indexOf(key: Text): i64 {
  const length = key.length;
  if (length == 0 || length > 10) return -1;
  if (length > 1 && load<u8>(key.bytes) == 0x30) return -1;
  let result: i64 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const digit = load<u8>(key.bytes + i) - 0x30;
    if (digit > 9) return -1;
    result = result * 10 + digit;
  }
  return result <= 4294967294 ? result : -1;
}

/** The field number of a key, or -1. */
export function findKey(map: Fields, key: Text): i32 {
  let low: i32 = 0;
  let high: i32 = <i32>map.count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compareKeys(key, map.key(middle));
    if (order == 0) return middle;
    if (order < 0) high = middle - 1;
    else low = middle + 1;
  }
  return -1;
}

/** `same` of section 9. */
export function same(a: Value, b: Value): bool {
  if (changetype<usize>(a) == changetype<usize>(b)) return true;
  // Equal values have equal canonical texts.
  if (a.kind != b.kind || a.clen != b.clen) return false;
  switch (a.kind) {
    case NULL:
      return true;
    case BOOL:
      return changetype<Bool>(a).value == changetype<Bool>(b).value;
    case NUMBER:
      return changetype<Num>(a).value == changetype<Num>(b).value;
    case TEXT:
      return sameText(changetype<Text>(a), changetype<Text>(b));
    case LIST:
      return sameItems(changetype<List>(a), changetype<List>(b));
    default:
      return sameFields(changetype<Fields>(a), changetype<Fields>(b));
  }
}

export function sameText(a: Text, b: Text): bool {
  return a.length == b.length && sameBytes(a.bytes, b.bytes, a.length);
}

function sameItems(a: List, b: List): bool {
  if (a.count != b.count) return false;
  for (let i: u32 = 0; i < a.count; i++) {
    if (!same(a.at(i), b.at(i))) return false;
  }
  return true;
}

function sameFields(a: Fields, b: Fields): bool {
  if (a.count != b.count) return false;
  // Both are in storage order, so equal maps have equal keys at equal places.
  for (let i: u32 = 0; i < a.count; i++) {
    if (!sameText(a.key(i), b.key(i)) || !same(a.value(i), b.value(i))) return false;
  }
  return true;
}

/** Maps that carry their canonical text during the sort at hand. */
let firstWithText: usize = 0;

/** Sorts references to values by the order of `sort` (section 10). */
export function sortValues(items: usize, count: u32): void {
  const before = mark();
  firstWithText = 0;
  sortItems(items, count, compareValues, 0);
  // The texts go, so that they don't add up; none may be left pointing at them.
  while (firstWithText != 0) {
    const map = changetype<Fields>(firstWithText);
    firstWithText = map.nextWithText;
    map.text = 0;
    map.nextWithText = 0;
  }
  cutBack(before);
}

function compareValues(x: usize, y: usize, context: usize): i32 {
  if (x == y) return 0;
  const a = changetype<Value>(x);
  const b = changetype<Value>(y);
  // Kinds are numbered in sort order.
  if (a.kind != b.kind) return <i32>a.kind - <i32>b.kind;
  switch (a.kind) {
    case NULL:
      return 0;
    case BOOL:
      return <i32>changetype<Bool>(a).value - <i32>changetype<Bool>(b).value;
    case NUMBER: {
      const p = changetype<Num>(a).value;
      const q = changetype<Num>(b).value;
      return <i32>(p > q) - <i32>(p < q);
    }
    case TEXT:
      return compareTexts(changetype<Text>(a), changetype<Text>(b));
    case LIST:
      return compareLists(changetype<List>(a), changetype<List>(b), context);
    default: {
      const p = canonicalText(changetype<Fields>(a));
      const q = canonicalText(changetype<Fields>(b));
      return compareBytes(p, a.clen, q, b.clen);
    }
  }
}

/** Order by UTF-16 code units. */
export function compareTexts(a: Text, b: Text): i32 {
  return compareUnits(a.bytes, a.length, b.bytes, b.length);
}

function compareLists(a: List, b: List, context: usize): i32 {
  const common = min(a.count, b.count);
  for (let i: u32 = 0; i < common; i++) {
    const order = compareValues(changetype<usize>(a.at(i)), changetype<usize>(b.at(i)), context);
    if (order != 0) return order;
  }
  return <i32>(a.count > b.count) - <i32>(a.count < b.count);
}

function canonicalText(map: Fields): usize {
  if (map.text == 0) {
    begin(map.clen);
    writeValue(map);
    map.text = writtenBytes();
    map.nextWithText = firstWithText;
    firstWithText = changetype<usize>(map);
  }
  return map.text;
}
