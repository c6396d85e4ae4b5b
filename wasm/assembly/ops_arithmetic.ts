/** Arithmetic (spec section 10). */
import {
  argumentCount,
  evaluateAll,
  evaluateAs,
  itemAt,
  numberOf,
  RAISED,
  required,
} from "./evaluate";
import { raiseArgument, raiseDivZero, raiseNumber } from "./failure";
import { ABS, ADD, CEIL, CLAMP, DIV, FLOOR, MIN, MUL, NEG, SUB } from "./operations";
import { failed, List, number, NUMBER, Value } from "./value";

export function callArithmetic(call: List): Value {
  const op = call.op;
  if (op < SUB) return accumulate(call);
  const first = evaluateAs(call, 0, NUMBER);
  if (failed(first)) return RAISED;
  const x = numberOf(first);
  if (op < NEG) return binary(call, x);
  if (op == CLAMP) return clamp(call, x);
  return finite(op, unary(op, x));
}

function finite(op: u32, x: f64): Value {
  return isFinite(x) ? number(x) : raiseNumber(op);
}

function accumulate(call: List): Value {
  const op = call.op;
  const items = evaluateAll(call);
  if (items == 0) return RAISED;
  const count = argumentCount(call);
  let result: f64 = op == ADD ? 0 : op == MUL ? 1 : op == MIN ? Infinity : -Infinity;
  for (let i: u32 = 0; i < count; i++) {
    const item = required(call, i, itemAt(items, i), NUMBER);
    if (failed(item)) return RAISED;
    const x = numberOf(item);
    if (op == ADD) result += x;
    else if (op == MUL) result *= x;
    else if (op == MIN) result = min(result, x);
    else result = max(result, x);
  }
  return finite(op, result);
}

function binary(call: List, a: f64): Value {
  const second = evaluateAs(call, 1, NUMBER);
  if (failed(second)) return RAISED;
  const b = numberOf(second);
  const op = call.op;
  if (op == SUB) return finite(op, a - b);
  if (b == 0) return raiseDivZero(op);
  return finite(op, op == DIV ? a / b : a % b);
}

function unary(op: u32, x: f64): f64 {
  switch (op) {
    case NEG:
      return -x;
    case ABS:
      return Math.abs(x);
    case FLOOR:
      return Math.floor(x);
    case CEIL:
      return Math.ceil(x);
    default: {
      const below = Math.floor(x);
      return x - below < 0.5 ? below : below + 1;
    }
  }
}

function clamp(call: List, x: f64): Value {
  const second = evaluateAs(call, 1, NUMBER);
  if (failed(second)) return RAISED;
  const third = evaluateAs(call, 2, NUMBER);
  if (failed(third)) return RAISED;
  const low = numberOf(second);
  const high = numberOf(third);
  if (low > high) return raiseArgument(call.op, "clamp lo must be <= hi");
  return number(min(max(x, low), high));
}
