/** Text as well-formed UTF-8: measuring and the two orders. */

/** Bytes of the canonical text (spec section 3), quotes included. */
export function canonicalLength(bytes: usize, length: u32): u32 {
  let result = length + 2;
  const end = bytes + length;
  for (let at = bytes; at < end; at++) {
    const byte = load<u8>(at);
    if (byte < 0x20) result += shortEscape(byte) != 0 ? 1 : 5;
    else if (byte == 0x22 || byte == 0x5c) result += 1;
  }
  return result;
}

/** The letter of a two-character escape for a control character, or 0. */
@inline
export function shortEscape(byte: u8): u8 {
  switch (byte) {
    case 0x08:
      return 0x62;
    case 0x09:
      return 0x74;
    case 0x0a:
      return 0x6e;
    case 0x0c:
      return 0x66;
    case 0x0d:
      return 0x72;
    default:
      return 0;
  }
}

/** UTF-16 code units of UTF-8 bytes: one a lead byte, two where it leads four bytes. */
export function utf16Length(bytes: usize, length: u32): u32 {
  let result: u32 = 0;
  const end = bytes + length;
  for (let at = bytes; at < end; at++) {
    const byte = load<u8>(at);
    result += <u32>((byte & 0xc0) != 0x80) + <u32>(byte >= 0xf0);
  }
  return result;
}

/**
 * The length of the well-formed sequence at `at` (before `end`), or 0 when there is none. ASCII is
 * 1.
 */
export function sequenceLength(at: usize, end: usize): u32 {
  const lead = load<u8>(at);
  if (lead < 0x80) return 1;
  const left = end - at;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return left >= 2 && isContinuation(at + 1) ? 2 : 0;
  if (left < 3) return 0;
  const second = load<u8>(at, 1);
  if (lead < 0xf0) {
    // No overlong forms, no surrogates.
    if (lead == 0xe0 && second < 0xa0) return 0;
    if (lead == 0xed && second > 0x9f) return 0;
    return isContinuation(at + 1) && isContinuation(at + 2) ? 3 : 0;
  }
  if (left < 4 || lead > 0xf4) return 0;
  // No overlong forms, nothing above U+10FFFF.
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second > 0x8f) return 0;
  return isContinuation(at + 1) && isContinuation(at + 2) && isContinuation(at + 3) ? 4 : 0;
}

@inline
function isContinuation(at: usize): bool {
  return (load<u8>(at) & 0xc0) == 0x80;
}

/** Writes a code point as UTF-8; returns the address after it. */
export function encodeCodePoint(at: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(at, <u8>code);
    return at + 1;
  }
  if (code < 0x800) {
    store<u8>(at, <u8>(0xc0 | (code >> 6)));
    store<u8>(at, <u8>(0x80 | (code & 0x3f)), 1);
    return at + 2;
  }
  if (code < 0x10000) {
    store<u8>(at, <u8>(0xe0 | (code >> 12)));
    store<u8>(at, <u8>(0x80 | ((code >> 6) & 0x3f)), 1);
    store<u8>(at, <u8>(0x80 | (code & 0x3f)), 2);
    return at + 3;
  }
  store<u8>(at, <u8>(0xf0 | (code >> 18)));
  store<u8>(at, <u8>(0x80 | ((code >> 12) & 0x3f)), 1);
  store<u8>(at, <u8>(0x80 | ((code >> 6) & 0x3f)), 2);
  store<u8>(at, <u8>(0x80 | (code & 0x3f)), 3);
  return at + 4;
}

/** The index of the first difference within the first `length` bytes, or `length`. */
function firstDifference(a: usize, b: usize, length: u32): u32 {
  let i: u32 = 0;
  while (i + 8 <= length && load<u64>(a + i) == load<u64>(b + i)) i += 8;
  while (i < length && load<u8>(a + i) == load<u8>(b + i)) i++;
  return i;
}

export function sameBytes(a: usize, b: usize, length: u32): bool {
  return firstDifference(a, b, length) == length;
}

/** Order by bytes, which is the order by code point: negative, zero or positive. */
export function compareBytes(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const common = min(aLength, bLength);
  const i = firstDifference(a, b, common);
  if (i < common) return <i32>load<u8>(a + i) - <i32>load<u8>(b + i);
  return compareLengths(aLength, bLength);
}

/**
 * Order by UTF-16 code units. It differs from the order by bytes only where a code point above
 * U+FFFF (lead byte F0 to F4, written with surrogates) meets one from U+E000 on (lead byte EE, EF).
 */
export function compareUnits(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const common = min(aLength, bLength);
  const i = firstDifference(a, b, common);
  if (i == common) return compareLengths(aLength, bLength);
  const x = load<u8>(a + i);
  const y = load<u8>(b + i);
  if (x >= 0xee && y >= 0xee && x >= 0xf0 != y >= 0xf0) return x >= 0xf0 ? -1 : 1;
  return <i32>x - <i32>y;
}

@inline
function compareLengths(a: u32, b: u32): i32 {
  return <i32>(a > b) - <i32>(a < b);
}
