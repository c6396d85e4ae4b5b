/** The 61 operations of section 10: numbers, names, argument counts, binders and base costs. */
import { Text } from "./value";

export const ADD: u32 = 0;
export const MUL: u32 = 1;
export const MIN: u32 = 2;
export const MAX: u32 = 3;
export const SUB: u32 = 4;
export const DIV: u32 = 5;
export const MOD: u32 = 6;
export const NEG: u32 = 7;
export const ABS: u32 = 8;
export const FLOOR: u32 = 9;
export const CEIL: u32 = 10;
export const ROUND: u32 = 11;
export const CLAMP: u32 = 12;
export const LT: u32 = 13;
export const LTE: u32 = 14;
export const GT: u32 = 15;
export const GTE: u32 = 16;
export const EQ: u32 = 17;
export const NEQ: u32 = 18;
export const AND: u32 = 19;
export const OR: u32 = 20;
export const NOT: u32 = 21;
export const IF: u32 = 22;
export const LET: u32 = 23;
export const QUOTE: u32 = 24;
export const GET: u32 = 25;
export const LIST_OF: u32 = 26;
export const LEN: u32 = 27;
export const NTH: u32 = 28;
export const CONCAT: u32 = 29;
export const MAP_EACH: u32 = 30;
export const FILTER: u32 = 31;
export const FOLD: u32 = 32;
export const CONTAINS: u32 = 33;
export const REVERSE: u32 = 34;
export const TAKE: u32 = 35;
export const DROP: u32 = 36;
export const FLAT: u32 = 37;
export const UNIQUE: u32 = 38;
export const SORT: u32 = 39;
export const SLEN: u32 = 40;
export const SCONCAT: u32 = 41;
export const UPPER: u32 = 42;
export const LOWER: u32 = 43;
export const TRIM: u32 = 44;
export const SPLIT: u32 = 45;
export const JOIN: u32 = 46;
export const SCONTAINS: u32 = 47;
export const STARTS: u32 = 48;
export const ENDS: u32 = 49;
export const TO_TEXT: u32 = 50;
export const HAS: u32 = 51;
export const KEYS: u32 = 52;
export const VALUES: u32 = 53;
export const MERGE: u32 = 54;
export const IS_TEXT: u32 = 55;
export const IS_NUM: u32 = 56;
export const IS_BOOL: u32 = 57;
export const IS_LIST: u32 = 58;
export const IS_MAP: u32 = 59;
export const IS_NULL: u32 = 60;

/** Not an operation. */
export const UNKNOWN: u32 = 61;

const NAMES: StaticArray<string> = [
  "add", "mul", "min", "max", "sub", "div", "mod", "neg", "abs", "floor", "ceil", "round",
  "clamp", "lt", "lte", "gt", "gte", "eq", "neq", "and", "or", "not", "if", "let", "quote",
  "get", "list", "len", "nth", "concat", "map", "filter", "fold", "contains", "reverse", "take",
  "drop", "flat", "unique", "sort", "slen", "sconcat", "upper", "lower", "trim", "split", "join",
  "scontains", "starts", "ends", "toText", "has", "keys", "values", "merge", "isText", "isNum",
  "isBool", "isList", "isMap", "isNull",
];

/** Least number of arguments, one digit an operation in the order above. */
const LEAST = "1111222111113222222111331101213352122111111112222212111111111";
/** Largest number of arguments; 0 for no limit. */
const MOST = "0000222111113222222001331001203352122111101112222212110111111";

export function operationName(op: u32): string {
  return unchecked(NAMES[op]);
}

/** The operation with this exact name, or UNKNOWN. */
export function findOperation(name: Text): u32 {
  for (let op: u32 = 0; op < UNKNOWN; op++) {
    if (isAscii(name, operationName(op))) return op;
  }
  return UNKNOWN;
}

/** Whether a text equals an ASCII literal. */
export function isAscii(value: Text, literal: string): bool {
  const length = <u32>literal.length;
  if (value.length != length) return false;
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(value.bytes + i) != unit(literal, i)) return false;
  }
  return true;
}

@inline
function unit(literal: string, index: u32): u16 {
  return load<u16>(changetype<usize>(literal) + (index << 1));
}

export function acceptsCount(op: u32, count: u32): bool {
  const most: u32 = unit(MOST, op) - 0x30;
  return count >= <u32>unit(LEAST, op) - 0x30 && (most == 0 || count <= most);
}

/** The accepted argument counts as EXPR_ARITY names them. */
export function wantedCount(op: u32): string {
  switch (unit(MOST, op) - 0x30) {
    case 1:
      return "1..1";
    case 2:
      return "2..2";
    case 3:
      return "3..3";
    case 5:
      return "5..5";
    default:
      return op == LIST_OF ? "0.." : "1..";
  }
}

/** How many binder arguments the operation has. */
export function binderCount(op: u32): u32 {
  return op == FOLD ? 2 : op == LET || op == MAP_EACH || op == FILTER ? 1 : 0;
}

/** The argument number of the first binder; a second one follows it. */
export function firstBinder(op: u32): u32 {
  return op == LET ? 0 : op == FOLD ? 2 : 1;
}

/** Fuel for the call itself, before any argument. */
export function baseCost(op: u32, count: u32): u32 {
  if (op == GET) return 2 + count;
  const cheap = (op >= AND && op <= QUOTE) || op == LIST_OF || op >= IS_TEXT;
  return cheap ? 1 : 2;
}
