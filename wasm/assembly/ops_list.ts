/** List operations (spec section 10). */
import {
  argument,
  argumentCount,
  evaluate,
  evaluateAll,
  evaluateAs,
  evaluateIndex,
  isTrue,
  itemAt,
  numberOf,
  RAISED,
  required,
} from "./evaluate";
import { grow, OVER, sizeOf } from "./bounds";
import { raiseBounds, raiseIndex, raiseType } from "./failure";
import { spend } from "./fuel";
import {
  CONCAT,
  CONTAINS,
  DROP,
  FILTER,
  FLAT,
  FOLD,
  LEN,
  MAP_EACH,
  NTH,
  REVERSE,
  TAKE,
  UNIQUE,
} from "./operations";
import { same, sortValues } from "./order";
import { makeBinding, popBinding, pushBinding } from "./scope";
import {
  allocateItems,
  truth,
  BOOL,
  failed,
  list,
  LIST,
  List,
  MAX_LIST_LENGTH,
  number,
  reversed,
  Text,
  Value,
  view,
} from "./value";

export function callList(call: List): Value {
  const op = call.op;
  if (op == CONCAT) return concat(call);
  const first = evaluateAs(call, 0, LIST);
  if (failed(first)) return RAISED;
  const source = changetype<List>(first);
  switch (op) {
    case LEN:
      return number(source.count);
    case NTH:
      return nth(call, source);
    case MAP_EACH:
      return mapEach(call, source);
    case FILTER:
      return filter(call, source);
    case FOLD:
      return fold(call, source);
    case CONTAINS:
      return contains(call, source);
    case REVERSE:
      return reversed(source);
    case TAKE:
    case DROP:
      return part(call, source);
    case FLAT:
      return flat(call, source);
    case UNIQUE:
      return unique(source);
    default:
      return sort(source);
  }
}

function nth(call: List, source: List): Value {
  const index = evaluateIndex(call, 1);
  if (failed(index)) return RAISED;
  const x = numberOf(index);
  if (x >= <f64>source.count) return raiseIndex(call.op, x, source.count);
  return source.at(<u32>x);
}

function mapEach(call: List, source: List): Value {
  const count = source.count;
  const items = allocateItems(count);
  const binding = makeBinding(changetype<Text>(argument(call, 1)));
  const body = argument(call, 2);
  let total: u32 = 2;
  for (let i: u32 = 0; i < count; i++) {
    if (!spend(1)) return RAISED;
    pushBinding(binding, source.at(i));
    const value = evaluate(body);
    popBinding();
    if (failed(value)) return RAISED;
    total = growBy(total, value, i > 0);
    if (total == OVER) return RAISED;
    store<usize>(items + (i << 2), changetype<usize>(value));
  }
  return list(items, count);
}

function growBy(total: u32, element: Value, separated: bool): u32 {
  const bytes = sizeOf(element, 1);
  return bytes == OVER ? OVER : grow(total, bytes + u32(separated));
}

function filter(call: List, source: List): Value {
  const count = source.count;
  const items = allocateItems(count);
  const binding = makeBinding(changetype<Text>(argument(call, 1)));
  const body = argument(call, 2);
  let kept: u32 = 0;
  let total: u32 = 2;
  for (let i: u32 = 0; i < count; i++) {
    if (!spend(1)) return RAISED;
    const element = source.at(i);
    pushBinding(binding, element);
    const keep = evaluate(body);
    popBinding();
    if (failed(keep)) return RAISED;
    if (keep.kind != BOOL) return raiseType(call.op, i, keep, "bool");
    if (!isTrue(keep)) continue;
    total = growBy(total, element, kept > 0);
    if (total == OVER) return RAISED;
    store<usize>(items + (kept++ << 2), changetype<usize>(element));
  }
  return list(items, kept);
}

function fold(call: List, source: List): Value {
  let result = evaluate(argument(call, 1));
  if (failed(result)) return RAISED;
  const accumulator = makeBinding(changetype<Text>(argument(call, 2)));
  const element = makeBinding(changetype<Text>(argument(call, 3)));
  const body = argument(call, 4);
  for (let i: u32 = 0; i < source.count; i++) {
    if (!spend(1)) return RAISED;
    pushBinding(accumulator, result);
    pushBinding(element, source.at(i));
    result = evaluate(body);
    popBinding();
    popBinding();
    if (failed(result)) return RAISED;
  }
  return result;
}

function contains(call: List, source: List): Value {
  const wanted = evaluate(argument(call, 1));
  if (failed(wanted)) return RAISED;
  for (let i: u32 = 0; i < source.count; i++) {
    if (!spend(1)) return RAISED;
    if (same(source.at(i), wanted)) return truth(true);
  }
  return truth(false);
}

/** `take` and `drop`: a view of the first or of the other elements. */
function part(call: List, source: List): Value {
  const index = evaluateIndex(call, 1);
  if (failed(index)) return RAISED;
  const x = numberOf(index);
  const k: u32 = x < <f64>source.count ? <u32>x : source.count;
  if (call.op == TAKE) return view(source.items, k, source.stride);
  return view(source.items + <i32>k * source.stride, source.count - k, source.stride);
}

function concat(call: List): Value {
  const lists = evaluateAll(call);
  if (lists == 0) return RAISED;
  const count = argumentCount(call);
  for (let i: u32 = 0; i < count; i++) {
    if (failed(required(call, i, itemAt(lists, i), LIST))) return RAISED;
  }
  return joined(lists, count, 4);
}

function flat(call: List, source: List): Value {
  for (let i: u32 = 0; i < source.count; i++) {
    if (failed(required(call, i, source.at(i), LIST))) return RAISED;
  }
  return joined(source.items, source.count, source.stride);
}

/** All items of `count` lists, whose references lie `stride` bytes apart. */
function joined(lists: usize, count: u32, stride: i32): Value {
  let total: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    total += changetype<List>(load<usize>(lists + <i32>i * stride)).count;
  }
  if (!spend(total)) return RAISED;
  if (total > MAX_LIST_LENGTH) return raiseBounds(MAX_LIST_LENGTH, "list-len");
  const items = allocateItems(total);
  let to = items;
  for (let i: u32 = 0; i < count; i++) {
    to = copyItems(changetype<List>(load<usize>(lists + <i32>i * stride)), to);
  }
  return list(items, total);
}

/** Copies all references to `to`; returns the address after them. */
function copyItems(source: List, to: usize): usize {
  for (let i: u32 = 0; i < source.count; i++) {
    store<usize>(to + (i << 2), changetype<usize>(source.at(i)));
  }
  return to + (source.count << 2);
}

function unique(source: List): Value {
  const items = allocateItems(source.count);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < source.count; i++) {
    const element = source.at(i);
    let known = false;
    for (let k: u32 = 0; k < kept && !known; k++) {
      if (!spend(1)) return RAISED;
      known = same(itemAt(items, k), element);
    }
    if (!known) store<usize>(items + (kept++ << 2), changetype<usize>(element));
  }
  return list(items, kept);
}

function sort(source: List): Value {
  if (!spend(source.count)) return RAISED;
  const items = allocateItems(source.count);
  copyItems(source, items);
  sortValues(items, source.count);
  return list(items, source.count);
}
