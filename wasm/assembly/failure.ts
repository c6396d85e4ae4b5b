/**
 * Raising errors (spec section 8): the `err` object is written at once, in output order, and a null
 * reference travels up. Every function here returns that null reference.
 */
import { operationName } from "./operations";
import {
  begin,
  writeAscii,
  writeByte,
  writeEscaped,
  writeNumber,
  writeText,
  writtenBytes,
  writtenLength,
} from "./sink";
import { kindName, Text, Value } from "./value";

let errorBytes: usize = 0;
let errorLength: u32 = 0;

/** Address of the raised `err` object's text. */
export function raisedBytes(): usize {
  return errorBytes;
}

export function raisedLength(): u32 {
  return errorLength;
}

function raised(): Value {
  errorBytes = writtenBytes();
  errorLength = writtenLength();
  return changetype<Value>(0);
}

function member(name: string, value: string): void {
  writeAscii(name);
  writeByte(0x22);
  writeAscii(value);
  writeByte(0x22);
}

function integer(name: string, value: f64): void {
  writeAscii(name);
  writeNumber(value);
}

function end(): Value {
  writeByte(0x7d);
  return raised();
}

export function raiseArgument(op: u32, what: string): Value {
  begin(128);
  member('{"code":"EXPR_ARG","op":', operationName(op));
  member(',"what":', what);
  return end();
}

export function raiseArity(op: u32, got: u32, want: string): Value {
  begin(128);
  integer('{"code":"EXPR_ARITY","got":', got);
  member(',"op":', operationName(op));
  member(',"want":', want);
  return end();
}

export function raiseBounds(max: u32, what: string): Value {
  begin(128);
  integer('{"code":"EXPR_BOUNDS","max":', max);
  member(',"what":', what);
  return end();
}

export function raiseDivZero(op: u32): Value {
  begin(128);
  member('{"code":"EXPR_DIV_ZERO","op":', operationName(op));
  return end();
}

export function raiseFuel(cost: u32, left: u32): Value {
  begin(128);
  integer('{"code":"EXPR_FUEL","cost":', cost);
  integer(',"left":', left);
  return end();
}

export function raiseNumber(op: u32): Value {
  begin(128);
  member('{"code":"EXPR_NUM","op":', operationName(op));
  return end();
}

export function raiseUnknownOperation(op: Text): Value {
  begin(32 + op.clen);
  writeAscii('{"code":"EXPR_OP","op":');
  writeText(op);
  return end();
}

export function raiseParse(what: string): Value {
  begin(128);
  member('{"code":"EXPR_PARSE","what":', what);
  return end();
}

export function raiseBinder(op: u32, argument: u32): Value {
  begin(128);
  member('{"code":"EXPR_PARSE","op":', operationName(op));
  writeAscii(',"what":"binder arg ');
  writeNumber(argument);
  writeAscii(' must be an identifier <= 64 chars"');
  return end();
}

export function raiseUnbound(name: Text): Value {
  begin(64 + name.clen);
  writeAscii('{"code":"EXPR_PATH","op":"get","what":"unbound name \\"');
  writeEscaped(name.bytes, name.length);
  writeAscii('\\""');
  return end();
}

export function raiseIndex(op: u32, index: f64, length: u32): Value {
  begin(128);
  member('{"code":"EXPR_PATH","op":', operationName(op));
  writeAscii(',"what":"index ');
  writeNumber(index);
  writeAscii(" out of range ");
  writeNumber(length);
  writeByte(0x22);
  return end();
}

export function raiseType(op: u32, argument: u32, got: Value, want: string): Value {
  begin(128);
  integer('{"arg":', argument);
  member(',"code":"EXPR_TYPE","got":', kindName(got));
  member(',"op":', operationName(op));
  member(',"want":', want);
  return end();
}

/** The type error of a comparison, which names both kinds. */
export function raiseComparison(op: u32, a: Value, b: Value): Value {
  begin(128);
  writeAscii('{"arg":0,"code":"EXPR_TYPE","got":"');
  writeAscii(kindName(a));
  writeByte(0x2c);
  writeAscii(kindName(b));
  member('","op":', operationName(op));
  member(',"want":', "two numbers or two strings");
  return end();
}
