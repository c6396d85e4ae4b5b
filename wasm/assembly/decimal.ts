/** Reading numbers (spec sections 2.2 and 2.3): not the nearest double for every spelling. */
import { POWERS } from "./powers";

/** Where the number ended; 0 when it could not be read. */
export let numberEnd: usize = 0;
/** Whether the spelling was a non-negative integer of at most 64 bits. */
export let integerSpelled: bool = false;

const MAX_BEFORE_DIGIT: u64 = u64.MAX_VALUE / 10;
const MAX_LAST_DIGIT: u64 = u64.MAX_VALUE % 10;

@inline
function digitAt(at: usize, end: usize): u8 {
  // Everything that is no digit, the end included, is above 9.
  return at < end ? load<u8>(at) - 0x30 : 0xff;
}

@inline
function fits(sig: u64, digit: u8): bool {
  return sig < MAX_BEFORE_DIGIT || (sig == MAX_BEFORE_DIGIT && <u64>digit <= MAX_LAST_DIGIT);
}

function fail(): f64 {
  numberEnd = 0;
  return 0;
}

/** Reads a number at `at`; sets `numberEnd` and `integerSpelled`. */
export function readDouble(at: usize, end: usize): f64 {
  integerSpelled = false;
  const negative = at < end && load<u8>(at) == 0x2d;
  if (negative) at++;
  let sig: u64 = 0;
  let e10: i32 = 0;

  let digit = digitAt(at, end);
  if (digit > 9) return fail();
  const leadingZero = digit == 0;
  let dropped = false;
  while (digit <= 9) {
    dropped = dropped || !fits(sig, digit);
    if (dropped) e10++;
    else sig = sig * 10 + digit;
    digit = digitAt(++at, end);
    if (leadingZero && digit <= 9) return fail();
  }

  let isInteger = !dropped;
  if (at < end && load<u8>(at) == 0x2e) {
    isInteger = false;
    digit = digitAt(++at, end);
    if (digit > 9) return fail();
    let skipping = false;
    while (digit <= 9) {
      skipping = skipping || !fits(sig, digit);
      if (!skipping) {
        sig = sig * 10 + digit;
        e10--;
      }
      digit = digitAt(++at, end);
    }
  }
  if (at < end && (load<u8>(at) | 0x20) == 0x65) {
    isInteger = false;
    at++;
    let down = false;
    if (at < end && (load<u8>(at) == 0x2b || load<u8>(at) == 0x2d)) {
      down = load<u8>(at) == 0x2d;
      at++;
    }
    digit = digitAt(at, end);
    if (digit > 9) return fail();
    let x: i64 = 0;
    while (digit <= 9) {
      if (x * 10 + digit > i32.MAX_VALUE) {
        if (sig != 0 && !down) return fail();
        while (digitAt(at, end) <= 9) at++;
        numberEnd = at;
        return negative ? -0.0 : 0;
      }
      x = x * 10 + digit;
      digit = digitAt(++at, end);
    }
    const sum = <i64>e10 + (down ? -x : x);
    e10 = <i32>max<i64>(min<i64>(sum, i32.MAX_VALUE), i32.MIN_VALUE);
  }
  numberEnd = at;
  if (isInteger) {
    integerSpelled = !negative;
    return negative ? -(<f64>sig) : <f64>sig;
  }
  const magnitude = scale(<f64>sig, e10);
  if (magnitude == Infinity) return fail();
  return negative ? -magnitude : magnitude;
}

/** Step 5 of section 2.3; Infinity where it says "fail". */
function scale(f: f64, e10: i32): f64 {
  // Widened, because -2^31 has no 32-bit magnitude.
  while (abs<i64>(e10) > 308) {
    if (f == 0) return f;
    if (e10 >= 0) return Infinity;
    f /= 1e308;
    e10 += 308;
  }
  const p = unchecked(POWERS[abs(e10)]);
  return e10 >= 0 ? f * p : f / p;
}
