/**
 * Shortest decimal text of a double, as ECMAScript's Number::toString (spec section 3).
 *
 * Digits come from Schubfach (R. Giulietti, "The Schubfach way to render doubles"): the rounding
 * interval is scaled by a power of ten held to 128 bits, and of the at most four candidates of the
 * two shortest lengths the closest one inside the interval is taken, an even last digit first.
 */
import { POWERS_128 } from "./powers";

const FIRST_POWER: i32 = -292;
const SIGNIFICAND: u64 = 0x000fffffffffffff;

/** The text of the last `formatDouble`; 25 bytes are enough for any double. */
export const formatted: usize = memory.data(32);
/** Digits before they are laid out, at most 17. */
const digits: usize = memory.data(24);

let significand: u64 = 0;
let exponent: i32 = 0;

/** Writes the text of a finite `value` to `formatted`; returns its length in bytes. */
export function formatDouble(value: f64): u32 {
  let at = formatted;
  if (value < 0) {
    store<u8>(at++, 0x2d);
    value = -value;
  }
  if (value < 9007199254740992 && value == Math.trunc(value)) {
    const count = writeDigits(<u64>value);
    memory.copy(at, digits, count);
    return <u32>(at + count - formatted);
  }
  shortest(reinterpret<u64>(value));
  while (significand % 10 == 0) {
    significand /= 10;
    exponent++;
  }
  const count = writeDigits(significand);
  return <u32>(layOut(at, count, <i32>count + exponent) - formatted);
}

/** Decimal digits of `value` to `digits`; returns how many. */
function writeDigits(value: u64): u32 {
  let count: u32 = 1;
  let bound: u64 = 10;
  while (count < 20 && value >= bound) {
    count++;
    bound *= 10;
    if (count == 20) break;
  }
  for (let i = count; i > 0; i--) {
    store<u8>(digits + i - 1, <u8>(0x30 + value % 10));
    value /= 10;
  }
  return count;
}

/** Writes `count` digits with the decimal point after the first `point` of them. */
function layOut(at: usize, count: u32, point: i32): usize {
  if (<i32>count <= point && point <= 21) {
    memory.copy(at, digits, count);
    memory.fill(at + count, 0x30, point - count);
    return at + point;
  }
  if (0 < point && point <= 21) {
    memory.copy(at, digits, point);
    store<u8>(at + point, 0x2e);
    memory.copy(at + point + 1, digits + point, count - point);
    return at + count + 1;
  }
  if (-6 < point && point <= 0) {
    store<u8>(at, 0x30);
    store<u8>(at, 0x2e, 1);
    memory.fill(at + 2, 0x30, -point);
    memory.copy(at + 2 - point, digits, count);
    return at + 2 - point + count;
  }
  store<u8>(at++, load<u8>(digits));
  if (count > 1) {
    store<u8>(at++, 0x2e);
    memory.copy(at, digits + 1, count - 1);
    at += count - 1;
  }
  store<u8>(at++, 0x65);
  store<u8>(at++, point > 0 ? 0x2b : 0x2d);
  const written = writeDigits(<u64>abs(point - 1));
  memory.copy(at, digits, written);
  return at + written;
}

/**
 * Sets `significand` and `exponent` (base 10) for a positive finite double that is no small
 * integer.
 */
function shortest(bits: u64): void {
  const fraction = bits & SIGNIFICAND;
  const biased = <i32>(bits >> 52);
  const c = biased != 0 ? fraction | (1 << 52) : fraction;
  const q = biased != 0 ? biased - 1075 : -1074;
  // Below a power of two the neighbour is half as far away.
  const lowerIsCloser = fraction == 0 && biased > 1;
  const odd = c & 1;

  // All of these are four times what they stand for.
  const k = (q * 1262611 - (lowerIsCloser ? 524031 : 0)) >> 22;
  const h = q + ((-k * 1741647) >> 19) + 1;
  const index = (-k - FIRST_POWER) << 1;
  const high = unchecked(POWERS_128[index]);
  const low = unchecked(POWERS_128[index + 1]);
  const value = roundToOdd(high, low, (4 * c) << h);
  const lower = roundToOdd(high, low, (4 * c - (lowerIsCloser ? 1 : 2)) << h) + odd;
  const upper = roundToOdd(high, low, (4 * c + 2) << h) - odd;

  const s = value >> 2;
  if (s >= 10) {
    const tenth = s / 10;
    const downInside = lower <= 40 * tenth;
    const upInside = 40 * tenth + 40 <= upper;
    if (downInside != upInside) {
      significand = tenth + <u64>upInside;
      exponent = k + 1;
      return;
    }
  }
  exponent = k;
  const downInside = lower <= 4 * s;
  const upInside = 4 * s + 4 <= upper;
  if (downInside != upInside) {
    significand = s + <u64>upInside;
    return;
  }
  const middle = 4 * s + 2;
  significand = s + <u64>(value > middle || (value == middle && (s & 1) != 0));
}

/** The top 64 bits of a 192-bit product, the lowest of them set when anything below is lost. */
function roundToOdd(high: u64, low: u64, factor: u64): u64 {
  const carry = multiplyHigh(low, factor);
  const middle = high * factor;
  const sum = middle + carry;
  return (multiplyHigh(high, factor) + <u64>(sum < middle)) | <u64>(sum > 1);
}

/** The upper half of the 128-bit product. */
function multiplyHigh(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff;
  const a1 = a >> 32;
  const b0 = b & 0xffffffff;
  const b1 = b >> 32;
  const low = a0 * b0;
  const cross = a1 * b0 + (low >> 32);
  const other = a0 * b1 + (cross & 0xffffffff);
  return a1 * b1 + (cross >> 32) + (other >> 32);
}
