/** Comparison, logic, control, lookup, and `list` (spec section 10). */
import {
  argument,
  argumentCount,
  evaluate,
  evaluateAll,
  evaluateAs,
  isIndex,
  isTrue,
  itemAt,
  numberOf,
  RAISED,
} from "./evaluate";
import { raiseComparison, raiseType, raiseUnbound } from "./failure";
import { spend } from "./fuel";
import {
  AND,
  EQ,
  GET,
  GT,
  IF,
  LET,
  LIST_OF,
  LT,
  LTE,
  NEQ,
  NOT,
  OR,
  QUOTE,
} from "./operations";
import { compareTexts, findKey, same } from "./order";
import { lookUp, makeBinding, popBinding, pushBinding } from "./scope";
import {
  truth,
  BOOL,
  failed,
  Fields,
  LIST,
  list,
  List,
  MAP,
  nil,
  nodesOf,
  NUMBER,
  TEXT,
  Text,
  Value,
} from "./value";

export function callControl(call: List): Value {
  switch (call.op) {
    case EQ:
    case NEQ:
      return equality(call);
    case AND:
      return junction(call, false);
    case OR:
      return junction(call, true);
    case NOT: {
      const value = evaluateAs(call, 0, BOOL);
      return failed(value) ? RAISED : truth(!isTrue(value));
    }
    case IF: {
      const condition = evaluateAs(call, 0, BOOL);
      if (failed(condition)) return RAISED;
      return evaluate(argument(call, isTrue(condition) ? 1 : 2));
    }
    case LET:
      return bind(call);
    case QUOTE:
      return argument(call, 0);
    case GET:
      return get(call);
    case LIST_OF: {
      const items = evaluateAll(call);
      return items == 0 ? RAISED : list(items, argumentCount(call));
    }
    default:
      return comparison(call);
  }
}

function comparison(call: List): Value {
  const items = evaluateAll(call);
  if (items == 0) return RAISED;
  const a = itemAt(items, 0);
  const b = itemAt(items, 1);
  let order: i32;
  if (a.kind == NUMBER && b.kind == NUMBER) {
    const x = numberOf(a);
    const y = numberOf(b);
    order = i32(x > y) - i32(x < y);
  } else if (a.kind == TEXT && b.kind == TEXT) {
    order = compareTexts(changetype<Text>(a), changetype<Text>(b));
  } else {
    return raiseComparison(call.op, a, b);
  }
  switch (call.op) {
    case LT:
      return truth(order < 0);
    case LTE:
      return truth(order <= 0);
    case GT:
      return truth(order > 0);
    default:
      return truth(order >= 0);
  }
}

function equality(call: List): Value {
  const items = evaluateAll(call);
  if (items == 0) return RAISED;
  const a = itemAt(items, 0);
  const b = itemAt(items, 1);
  if (!spend(nodesOf(a) + nodesOf(b))) return RAISED;
  return truth(same(a, b) == (call.op == EQ));
}

/** `and` stops at the first false, `or` at the first true. */
function junction(call: List, stop: bool): Value {
  const count = argumentCount(call);
  for (let i: u32 = 0; i < count; i++) {
    const value = evaluateAs(call, i, BOOL);
    if (failed(value)) return RAISED;
    if (isTrue(value) == stop) return value;
  }
  return truth(!stop);
}

function bind(call: List): Value {
  const value = evaluate(argument(call, 1));
  if (failed(value)) return RAISED;
  pushBinding(makeBinding(changetype<Text>(argument(call, 0))), value);
  const result = evaluate(argument(call, 2));
  popBinding();
  return result;
}

function get(call: List): Value {
  const op = call.op;
  const name = evaluate(argument(call, 0));
  if (failed(name)) return RAISED;
  if (name.kind != TEXT) return raiseType(op, 0, name, "name string");
  let current = lookUp(changetype<Text>(name));
  if (failed(current)) return raiseUnbound(changetype<Text>(name));

  const count = argumentCount(call);
  for (let i: u32 = 1; i < count; i++) {
    const step = evaluate(argument(call, i));
    if (failed(step)) return RAISED;
    if (step.kind == TEXT) {
      if (current.kind != MAP) return nil;
      const map = changetype<Fields>(current);
      const field = findKey(map, changetype<Text>(step));
      if (field < 0) return nil;
      current = map.value(field);
    } else if (step.kind == NUMBER) {
      if (!isIndex(step)) return raiseType(op, i, step, "nonneg integer index");
      if (current.kind != LIST) return nil;
      const items = changetype<List>(current);
      const index = numberOf(step);
      if (index >= <f64>items.count) return nil;
      current = items.at(<u32>index);
    } else {
      return raiseType(op, i, step, "string key or nonneg integer index");
    }
  }
  return current;
}
