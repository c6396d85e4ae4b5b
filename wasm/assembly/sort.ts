/** Stable merge sort of four-byte items (references or numbers). */
import { allocate, cutBack, mark } from "./memory";

/** Negative when `a` goes before `b`, positive when after; `context` is what the caller passed. */
type Compare = (a: usize, b: usize, context: usize) => i32;

/** Sorts `count` items at `items` in place. Leaves nothing behind in the arena. */
export function sortItems(items: usize, count: u32, compare: Compare, context: usize): void {
  if (count < 2) return;
  const before = mark();
  let from = items;
  let to = allocate(<usize>count << 2);
  for (let width: u32 = 1; width < count; width <<= 1) {
    for (let low: u32 = 0; low < count; low += width << 1) {
      const middle = min(low + width, count);
      mergeRuns(from, to, low, middle, min(middle + width, count), compare, context);
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from != items) memory.copy(items, from, <usize>count << 2);
  cutBack(before);
}

function mergeRuns(
  from: usize,
  to: usize,
  low: u32,
  middle: u32,
  high: u32,
  compare: Compare,
  context: usize,
): void {
  let left = low;
  let right = middle;
  for (let i = low; i < high; i++) {
    // On a tie the left one goes first: stable.
    const takeLeft = left < middle &&
      (right >= high || compare(item(from, left), item(from, right), context) <= 0);
    store<usize>(to + (i << 2), takeLeft ? item(from, left++) : item(from, right++));
  }
}

@inline
function item(items: usize, index: u32): usize {
  return load<usize>(items + (index << 2));
}
