/** The static check (spec section 7). */
import {
  raiseArity,
  raiseBinder,
  raiseBounds,
  raiseParse,
  raiseUnbound,
  raiseUnknownOperation,
} from "./failure";
import {
  acceptsCount,
  binderCount,
  findOperation,
  firstBinder,
  GET,
  QUOTE,
  UNKNOWN,
  wantedCount,
} from "./operations";
import { isInput, isListed, makeBinding, openScope, popBinding, pushBinding } from "./scope";
import { failed, Fields, List, LIST, MAP, nil, nodesOf, Text, TEXT, Value } from "./value";

const MAX_PROGRAM_BYTES: u32 = 16384;
const MAX_PROGRAM_NODES: u32 = 512;
const MAX_PROGRAM_DEPTH: u32 = 16;
const MAX_NAME_BYTES: u32 = 64;

/** Whether `names` is the map of inputs, or the list of a check request. */
let namesAreInputs: bool = false;

/**
 * Checks a program with the keys of a map, or the texts of a list, as its visible names, and notes
 * in each call which operation it is. Null when an error was raised.
 */
export function checkProgram(program: Value, names: Value): Value {
  if (program.clen > MAX_PROGRAM_BYTES) return raiseBounds(MAX_PROGRAM_BYTES, "program-bytes");
  if (nodesOf(program) > MAX_PROGRAM_NODES) return raiseBounds(MAX_PROGRAM_NODES, "program-nodes");
  namesAreInputs = names.kind == MAP;
  openScope(names);
  return check(program, 1);
}

function check(node: Value, level: u32): Value {
  if (level > MAX_PROGRAM_DEPTH) return raiseBounds(MAX_PROGRAM_DEPTH, "program-depth");
  if (node.kind == LIST) return checkCall(changetype<List>(node), level);
  if (node.kind == MAP) {
    const map = changetype<Fields>(node);
    for (let i: u32 = 0; i < map.count; i++) {
      if (failed(check(map.value(i), level + 1))) return changetype<Value>(0);
    }
  }
  return nil;
}

function checkCall(call: List, level: u32): Value {
  if (call.count == 0 || call.at(0).kind != TEXT) return raiseParse("op head must be a string");
  const head = changetype<Text>(call.at(0));
  const op = findOperation(head);
  if (op == UNKNOWN) return raiseUnknownOperation(head);
  const count = call.count - 1;
  if (!acceptsCount(op, count)) return raiseArity(op, count, wantedCount(op));

  const binders = binderCount(op);
  const first = firstBinder(op);
  for (let i: u32 = 0; i < binders; i++) {
    if (!isName(call.at(1 + first + i))) return raiseBinder(op, first + i);
  }
  call.op = op;
  if (op == QUOTE) return nil;
  if (op == GET && call.at(1).kind == TEXT) {
    const name = changetype<Text>(call.at(1));
    if (!(namesAreInputs ? isInput(name) : isListed(name))) return raiseUnbound(name);
  }

  for (let i: u32 = 1; i < count; i++) {
    if (failed(check(call.at(i), level + 1))) return changetype<Value>(0);
  }
  if (count == 0) return nil;
  for (let i: u32 = 0; i < binders; i++) {
    pushBinding(makeBinding(changetype<Text>(call.at(1 + first + i))), nil);
  }
  const last = check(call.at(count), level + 1);
  for (let i: u32 = 0; i < binders; i++) popBinding();
  return last;
}

/** A name in the sense of section 7.1. */
function isName(value: Value): bool {
  if (value.kind != TEXT) return false;
  const name = changetype<Text>(value);
  if (name.length == 0 || name.length > MAX_NAME_BYTES) return false;
  for (let i: u32 = 0; i < name.length; i++) {
    const byte = load<u8>(name.bytes + i);
    const letter = byte | 0x20;
    const isLetter = (letter >= 0x61 && letter <= 0x7a) || byte == 0x5f;
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (!isLetter && !(isDigit && i > 0)) return false;
  }
  return true;
}
