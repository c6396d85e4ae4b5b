/**
 * Values: immutable records in the arena, shared freely. Each carries its measures (spec section
 * 4), computed once when it is made, so that the size test after every step costs nothing.
 */
import { allocate } from "./memory";
import { formatDouble } from "./double";
import { makeOrder } from "./order";
import { canonicalLength, utf16Length } from "./utf8";

export const NULL: u8 = 0;
export const BOOL: u8 = 1;
export const NUMBER: u8 = 2;
export const TEXT: u8 = 3;
export const LIST: u8 = 4;
export const MAP: u8 = 5;

export const MAX_STRING_BYTES: u32 = 65536;
export const MAX_LIST_LENGTH: u32 = 1024;
export const MAX_KEYS: u32 = 256;

/** Common head of all values. A null reference stands for "an error was raised". */
@unmanaged
export class Value {
  kind: u8;
  /** Whether some text, list or map inside exceeds its own limit, so that `size` has to walk. */
  oversized: bool;
  /** Levels below this value; 0 for scalars and for empty containers. */
  height: u8;
  /** `depth` of section 4: like `height`, but an empty container counts 1. */
  depth: u8;
  /** Canonical length in bytes. */
  clen: u32;
}

@unmanaged
export class Bool extends Value {
  value: bool;
}

@unmanaged
export class Num extends Value {
  value: f64;
  /**
   * Read as a non-negative integer of at most 64 bits (2.3); only the request's `fuel` looks at it.
   */
  integerSpelled: bool;
}

@unmanaged
export class Text extends Value {
  /** Address of the UTF-8 bytes, which may lie in the request or inside another text. */
  bytes: usize;
  length: u32;
  /** UTF-16 code units, or -1 while nobody asked. */
  units: i32;
}

/** A list is a view: `reverse`, `take` and `drop` share the items of the list they are given. */
@unmanaged
export class List extends Value {
  count: u32;
  nodes: u32;
  /** Address of the first item. */
  items: usize;
  /** 4, or -4 for a reversed view. */
  stride: i32;
  /** The operation it calls as a program node; set by the static check. */
  op: u32;

  @inline
  at(index: u32): Value {
    return changetype<Value>(load<usize>(this.items + <i32>index * this.stride));
  }
}

/** Fields are (key, value) pairs of references in storage order. */
@unmanaged
export class Fields extends Value {
  count: u32;
  nodes: u32;
  entries: usize;
  /** Field numbers in output order, or 0 when that is the storage order. */
  order: usize;
  /** Canonical text while a sort compares maps, else 0. */
  text: usize;
  /** The next map with such a text. */
  nextWithText: usize;

  @inline
  key(index: u32): Text {
    return changetype<Text>(load<usize>(this.entries + (index << 3)));
  }

  @inline
  value(index: u32): Value {
    return changetype<Value>(load<usize>(this.entries + (index << 3), 4));
  }
}

/** The reference that stands for a raised error. */
@inline
export function failed(value: Value): bool {
  return changetype<usize>(value) == 0;
}

@inline
function scalar(at: usize, kind: u8, clen: u32): Value {
  const value = changetype<Value>(at);
  value.kind = kind;
  value.oversized = false;
  value.height = 0;
  value.depth = 0;
  value.clen = clen;
  return value;
}

export let nil: Value = changetype<Value>(0);
export let yes: Value = changetype<Value>(0);
export let no: Value = changetype<Value>(0);

/** Makes the three constants anew in an empty arena. */
export function makeConstants(): void {
  nil = scalar(allocate(offsetof<Value>()), NULL, 4);
  yes = makeBool(true);
  no = makeBool(false);
}

function makeBool(value: bool): Value {
  const result = changetype<Bool>(scalar(allocate(offsetof<Bool>()), BOOL, value ? 4 : 5));
  result.value = value;
  return result;
}

@inline
export function truth(value: bool): Value {
  return value ? yes : no;
}

export function number(value: f64): Value {
  const at = allocate(offsetof<Num>());
  const result = changetype<Num>(scalar(at, NUMBER, formatDouble(value)));
  result.value = value;
  result.integerSpelled = false;
  return result;
}

/** A text over existing bytes, which must be well-formed UTF-8 and stay as they are. */
export function text(bytes: usize, length: u32): Text {
  return measuredText(bytes, length, canonicalLength(bytes, length));
}

/** Like `text` when the canonical length is known. */
export function measuredText(bytes: usize, length: u32, clen: u32): Text {
  const result = changetype<Text>(scalar(allocate(offsetof<Text>()), TEXT, clen));
  result.oversized = length > MAX_STRING_BYTES;
  result.bytes = bytes;
  result.length = length;
  result.units = -1;
  return result;
}

/** The text's length in UTF-16 code units. */
export function unitsOf(value: Text): u32 {
  if (value.units < 0) value.units = <i32>utf16Length(value.bytes, value.length);
  return <u32>value.units;
}

/** Room for `count` references. */
@inline
export function allocateItems(count: u32): usize {
  return allocate(<usize>count << 2);
}

/** A list of `count` references at `items`, measured. */
export function list(items: usize, count: u32): Value {
  return view(items, count, 4);
}

/** A list over items that lie `stride` bytes apart, measured. */
export function view(items: usize, count: u32, stride: i32): Value {
  const result = changetype<List>(allocate(offsetof<List>()));
  result.kind = LIST;
  result.items = items;
  result.count = count;
  result.stride = stride;
  result.op = 0;
  let clen: u32 = 2 + (count > 0 ? count - 1 : 0);
  let nodes: u32 = 1;
  let height: u32 = 0;
  let depth: u32 = 1;
  let oversized = count > MAX_LIST_LENGTH;
  for (let i: u32 = 0; i < count; i++) {
    const item = result.at(i);
    clen += item.clen;
    nodes += nodesOf(item);
    height = max<u32>(height, 1 + item.height);
    depth = max<u32>(depth, 1 + item.depth);
    oversized = oversized || item.oversized;
  }
  result.clen = clen;
  result.nodes = nodes;
  result.height = <u8>height;
  result.depth = <u8>depth;
  result.oversized = oversized;
  return result;
}

/** The list backwards; its measures are the same. */
export function reversed(source: List): Value {
  const result = changetype<List>(allocate(offsetof<List>()));
  memory.copy(changetype<usize>(result), changetype<usize>(source), offsetof<List>());
  result.op = 0;
  if (source.count > 0) {
    result.items = source.items + <i32>(source.count - 1) * source.stride;
    result.stride = -source.stride;
  }
  return result;
}

/**
 * A map of `count` (key, value) pairs at `entries`, in storage order without repetitions, measured.
 */
export function fields(entries: usize, count: u32): Value {
  const result = changetype<Fields>(allocate(offsetof<Fields>()));
  result.kind = MAP;
  result.entries = entries;
  result.count = count;
  result.order = makeOrder(result);
  result.text = 0;
  result.nextWithText = 0;
  let clen: u32 = 2 + (count > 0 ? count - 1 : 0);
  let nodes: u32 = 1;
  let height: u32 = 0;
  let depth: u32 = 1;
  let oversized = count > MAX_KEYS;
  for (let i: u32 = 0; i < count; i++) {
    const key = result.key(i);
    const value = result.value(i);
    clen += key.clen + 1 + value.clen;
    nodes += nodesOf(value);
    height = max<u32>(height, 1 + value.height);
    depth = max<u32>(depth, 1 + value.depth);
    oversized = oversized || key.oversized || value.oversized;
  }
  result.clen = clen;
  result.nodes = nodes;
  result.height = <u8>height;
  result.depth = <u8>depth;
  result.oversized = oversized;
  return result;
}

/** `nodes` of section 4. */
@inline
export function nodesOf(value: Value): u32 {
  if (value.kind == LIST) return changetype<List>(value).nodes;
  if (value.kind == MAP) return changetype<Fields>(value).nodes;
  return 1;
}

/** The kind's name in error details. */
export function kindName(value: Value): string {
  switch (value.kind) {
    case NULL:
      return "null";
    case BOOL:
      return "bool";
    case NUMBER:
      return "number";
    case TEXT:
      return "text";
    case LIST:
      return "list";
    default:
      return "map";
  }
}
