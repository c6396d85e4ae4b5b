/** Map operations and kind tests (spec section 10). */
import {
  argument,
  argumentCount,
  evaluate,
  evaluateAll,
  evaluateAs,
  itemAt,
  RAISED,
  required,
} from "./evaluate";
import { raiseBounds } from "./failure";
import { spend } from "./fuel";
import { allocate } from "./memory";
import { HAS, IS_BOOL, IS_LIST, IS_MAP, IS_NUM, IS_TEXT, KEYS, MERGE } from "./operations";
import { compareKeys, fieldAt, findKey } from "./order";
import {
  allocateItems,
  truth,
  BOOL,
  failed,
  fields,
  Fields,
  list,
  LIST,
  List,
  MAP,
  MAX_KEYS,
  NULL,
  NUMBER,
  TEXT,
  Text,
  Value,
} from "./value";

export function callMap(call: List): Value {
  const op = call.op;
  if (op >= IS_TEXT) {
    const value = evaluate(argument(call, 0));
    return failed(value) ? RAISED : truth(value.kind == testedKind(op));
  }
  if (op == MERGE) return merge(call);
  const first = evaluateAs(call, 0, MAP);
  if (failed(first)) return RAISED;
  const map = changetype<Fields>(first);
  if (op != HAS) return listOf(map, op == KEYS);
  const key = evaluateAs(call, 1, TEXT);
  return failed(key) ? RAISED : truth(findKey(map, changetype<Text>(key)) >= 0);
}

function testedKind(op: u32): u8 {
  switch (op) {
    case IS_TEXT:
      return TEXT;
    case IS_NUM:
      return NUMBER;
    case IS_BOOL:
      return BOOL;
    case IS_LIST:
      return LIST;
    case IS_MAP:
      return MAP;
    default:
      return NULL;
  }
}

/** `keys` or `values`, in output order. */
function listOf(map: Fields, keys: bool): Value {
  const items = allocateItems(map.count);
  for (let i: u32 = 0; i < map.count; i++) {
    const field = fieldAt(map, i);
    const item = keys ? changetype<usize>(map.key(field)) : changetype<usize>(map.value(field));
    store<usize>(items + (i << 2), item);
  }
  return list(items, map.count);
}

function merge(call: List): Value {
  const maps = evaluateAll(call);
  if (maps == 0) return RAISED;
  const count = argumentCount(call);
  const capacity = mergedCapacity(maps, count);
  let entries = allocate(<usize>capacity << 3);
  let spare = allocate(<usize>capacity << 3);
  let merged: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const value = required(call, i, itemAt(maps, i), MAP);
    if (failed(value)) return RAISED;
    const map = changetype<Fields>(value);
    if (!spend(map.count)) return RAISED;
    if (map.count == 0) continue;
    merged = mergeInto(spare, entries, merged, map);
    if (merged > MAX_KEYS) return raiseBounds(MAX_KEYS, "object-keys");
    const swap = entries;
    entries = spare;
    spare = swap;
  }
  return fields(entries, merged);
}

/** Room for all fields, yet never more than what one map can add to a full one. */
function mergedCapacity(maps: usize, count: u32): u32 {
  let total: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const value = itemAt(maps, i);
    if (value.kind == MAP) total += changetype<Fields>(value).count;
  }
  return min(total, 2 * MAX_KEYS);
}

/** Writes the union of `count` entries and a map's fields, which win, to `to`; returns its size. */
function mergeInto(to: usize, entries: usize, count: u32, map: Fields): u32 {
  let size: u32 = 0;
  let left: u32 = 0;
  let right: u32 = 0;
  while (left < count || right < map.count) {
    const at = entries + (left << 3);
    let order: i32 = left < count ? -1 : 1;
    if (left < count && right < map.count) {
      order = compareKeys(changetype<Text>(load<usize>(at)), map.key(right));
    }
    store<u64>(to + (size++ << 3), load<u64>(order < 0 ? at : map.entries + (right << 3)));
    if (order <= 0) left++;
    if (order >= 0) right++;
  }
  return size;
}
