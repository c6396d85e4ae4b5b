/** Evaluation of program nodes (spec section 9). A null reference means: an error was raised. */
import { callArithmetic } from "./ops_arithmetic";
import { callControl } from "./ops_control";
import { callList } from "./ops_list";
import { callMap } from "./ops_map";
import { callText } from "./ops_text";
import { allocate } from "./memory";
import { grow, OVER, sizeOf } from "./bounds";
import { raiseBounds, raiseType } from "./failure";
import { spend } from "./fuel";
import { baseCost, CLAMP, LEN, SORT, TO_TEXT } from "./operations";
import {
  allocateItems,
  BOOL,
  Bool,
  failed,
  Fields,
  fields,
  LIST,
  List,
  MAP,
  MAX_KEYS,
  NUMBER,
  Num,
  TEXT,
  Value,
} from "./value";

export const RAISED: Value = changetype<Value>(0);

/** `eval(node)`. */
export function evaluate(node: Value): Value {
  let result: Value;
  if (node.kind == LIST) {
    const call = changetype<List>(node);
    if (!spend(baseCost(call.op, call.count - 1))) return RAISED;
    result = dispatch(call);
  } else if (!spend(1)) {
    return RAISED;
  } else {
    result = node.kind == MAP ? evaluateFields(changetype<Fields>(node)) : node;
  }
  if (failed(result) || sizeOf(result, 0) == OVER) return RAISED;
  return result;
}

/** Operations are numbered in the groups of section 10. */
function dispatch(call: List): Value {
  const op = call.op;
  if (op <= CLAMP) return callArithmetic(call);
  if (op < LEN) return callControl(call);
  if (op <= SORT) return callList(call);
  if (op <= TO_TEXT) return callText(call);
  return callMap(call);
}

function evaluateFields(node: Fields): Value {
  const count = node.count;
  if (count > MAX_KEYS) return raiseBounds(MAX_KEYS, "object-keys");
  const entries = allocate(<usize>count << 3);
  let total: u32 = 2;
  for (let i: u32 = 0; i < count; i++) {
    const key = node.key(i);
    const value = evaluate(node.value(i));
    if (failed(value)) return RAISED;
    total = grow(total, key.clen + 1 + u32(i > 0));
    if (total == OVER) return RAISED;
    const bytes = sizeOf(value, 1);
    if (bytes == OVER) return RAISED;
    total = grow(total, bytes);
    if (total == OVER) return RAISED;
    store<usize>(entries + (i << 3), changetype<usize>(key));
    store<usize>(entries + (i << 3), changetype<usize>(value), 4);
  }
  return fields(entries, count);
}

/** Argument number `index` of a call, unevaluated. */
@inline
export function argument(call: List, index: u32): Value {
  return call.at(index + 1);
}

/** How many arguments a call has. */
@inline
export function argumentCount(call: List): u32 {
  return call.count - 1;
}

/** The helper rule `args`: addresses of all evaluated arguments, or 0. */
export function evaluateAll(call: List): usize {
  const count = argumentCount(call);
  // One more, so that the address of no arguments isn't 0.
  const items = allocateItems(count + 1);
  let total: u32 = 2;
  for (let i: u32 = 0; i < count; i++) {
    const value = evaluate(argument(call, i));
    if (failed(value)) return 0;
    total = grow(total, value.clen + u32(i > 0));
    if (total == OVER) return 0;
    store<usize>(items + (i << 2), changetype<usize>(value));
  }
  return items;
}

/** The `index`th of the items that `evaluateAll` gave. */
@inline
export function itemAt(items: usize, index: u32): Value {
  return changetype<Value>(load<usize>(items + (index << 2)));
}

/** Evaluates an argument and requires its kind. */
export function evaluateAs(call: List, index: u32, kind: u8): Value {
  return required(call, index, evaluate(argument(call, index)), kind);
}

/** Passes a value of the required kind on; raises EXPR_TYPE for another. */
export function required(call: List, index: u32, value: Value, kind: u8): Value {
  if (failed(value) || value.kind == kind) return value;
  return raiseType(call.op, index, value, wanted(kind));
}

function wanted(kind: u8): string {
  switch (kind) {
    case BOOL:
      return "bool";
    case NUMBER:
      return "number";
    case TEXT:
      return "string";
    case LIST:
      return "list";
    default:
      return "map";
  }
}

/** The helper rule `index`: an evaluated number of elements, or null. */
export function evaluateIndex(call: List, index: u32): Value {
  const value = evaluate(argument(call, index));
  if (failed(value) || isIndex(value)) return value;
  return raiseType(call.op, index, value, "nonneg integer");
}

/** Whether a value is a number from 0 without a fraction. */
export function isIndex(value: Value): bool {
  if (value.kind != NUMBER) return false;
  const x = numberOf(value);
  return x >= 0 && x == Math.trunc(x);
}

@inline
export function numberOf(value: Value): f64 {
  return changetype<Num>(value).value;
}

@inline
export function isTrue(value: Value): bool {
  return changetype<Bool>(value).value;
}
