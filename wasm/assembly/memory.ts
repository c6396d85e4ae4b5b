/**
 * Memory without a runtime. Blocks (request and response buffers, arena chunks) are kept in address
 * order and freed one by one; everything an evaluation makes comes from an arena that is emptied
 * when the call ends.
 *
 * No collector is needed: every operation allocates at most a few dozen bytes per unit of fuel it
 * spends, because `reverse`, `take`, `drop`, `split` and `trim` are views of what they were given
 * (see value.ts). `keys` and `values` are the worst with about 1 KiB per 5 units. 10,000 units of
 * fuel and a request of 64 KiB so stay below 4 MiB, whatever the program does.
 */

const HEADER: usize = 8;
const PAGE: usize = 65536;
/**
 * Requests beyond this could exhaust the address space while being read; they count as out of
 * memory.
 */
const MAX_BUFFER: u32 = 1 << 26;
const CHUNK: usize = 32768;

/** A block's header, directly in front of its payload. */
@unmanaged
class Block {
  /** Payload bytes, a multiple of 8. */
  size: u32;
  used: u32;
}

const heapStart: usize = (__heap_base + 7) & ~7;
let heapEnd: usize = heapStart;

@inline
function align(size: usize): usize {
  return (size + 7) & ~7;
}

/** First fit in address order; 0 when memory can't grow. */
function acquire(size: usize): usize {
  const wanted = align(size);
  let at = heapStart;
  while (at < heapEnd) {
    const block = changetype<Block>(at);
    if (!block.used) {
      mergeFollowing(block);
      if (at + HEADER + block.size >= heapEnd) {
        heapEnd = at;
        break;
      }
      if (block.size >= wanted) {
        const rest = block.size - wanted;
        if (rest > HEADER) {
          block.size = <u32>wanted;
          const free = changetype<Block>(at + HEADER + wanted);
          free.size = <u32>(rest - HEADER);
          free.used = 0;
        }
        block.used = 1;
        return at + HEADER;
      }
    }
    at += HEADER + block.size;
  }
  return extend(wanted);
}

function mergeFollowing(block: Block): void {
  let next = changetype<usize>(block) + HEADER + block.size;
  while (next < heapEnd) {
    const following = changetype<Block>(next);
    if (following.used) break;
    block.size += <u32>HEADER + following.size;
    next = changetype<usize>(block) + HEADER + block.size;
  }
}

function extend(wanted: usize): usize {
  const end = <u64>heapEnd + HEADER + wanted;
  const held = <u64>memory.size() << 16;
  if (end > held) {
    const pages = (end - held + PAGE - 1) >> 16;
    if (end > 0xffff0000 || memory.grow(<i32>pages) < 0) return 0;
  }
  const block = changetype<Block>(heapEnd);
  block.size = <u32>wanted;
  block.used = 1;
  const payload = heapEnd + HEADER;
  heapEnd = <usize>end;
  return payload;
}

/** Frees a block; a pointer that is no block in use is ignored. */
function release(payload: usize): void {
  let at = heapStart;
  while (at < heapEnd) {
    const block = changetype<Block>(at);
    if (at + HEADER == payload) {
      block.used = 0;
      return;
    }
    at += HEADER + block.size;
  }
}

/** A buffer for the host: 0 for length 0 or when there is no memory for it. */
export function acquireBuffer(length: u32): usize {
  return length == 0 || length > MAX_BUFFER ? 0 : acquire(length);
}

export function releaseBuffer(pointer: usize, length: u32): void {
  if (pointer != 0 && length != 0) release(pointer);
}

/** Whether the bytes are inside memory, so that they can be read at all. */
export function isReadable(pointer: usize, length: u32): bool {
  return length <= MAX_BUFFER && <u64>pointer + length <= <u64>memory.size() << 16;
}

// Arena: a stack of chunks, each beginning with the address of the one below.

let topChunk: usize = 0;
let cursor: usize = 0;
let limit: usize = 0;

/** Uninitialised memory that lives until the arena is cut back, 8-byte aligned. */
export function allocate(size: usize): usize {
  const wanted = align(size);
  if (wanted > limit - cursor) return allocateChunk(wanted);
  const result = cursor;
  cursor += wanted;
  return result;
}

function allocateChunk(wanted: usize): usize {
  const large = wanted > CHUNK / 4;
  const chunk = acquire(HEADER + (large ? wanted : CHUNK));
  // Only requests far over any host's limit come here with no memory left.
  if (chunk == 0) unreachable();
  store<usize>(chunk, topChunk);
  topChunk = chunk;
  const start = chunk + HEADER;
  // A large piece has a chunk of its own, and the one in use goes on being filled.
  if (!large) {
    cursor = start + wanted;
    limit = start + CHUNK;
  }
  return start;
}

/** A point to cut the arena back to. */
@unmanaged
export class Mark {
  topChunk: usize;
  cursor: usize;
  limit: usize;
}

/** Remembers the arena's state in the arena itself. */
export function mark(): Mark {
  const state = changetype<Mark>(allocate(offsetof<Mark>()));
  state.topChunk = topChunk;
  state.cursor = cursor;
  state.limit = limit;
  return state;
}

/** Frees everything allocated after `state`. */
export function cutBack(state: Mark): void {
  const keptChunk = state.topChunk;
  cursor = state.cursor;
  limit = state.limit;
  dropChunks(keptChunk);
}

/** Empties the arena. */
export function clearArena(): void {
  cursor = 0;
  limit = 0;
  dropChunks(0);
}

function dropChunks(kept: usize): void {
  while (topChunk != kept) {
    const below = load<usize>(topChunk);
    release(topChunk);
    topChunk = below;
  }
}

/** Takes the place of the compiler's own way of failing, which is an import. Never called. */
export function abort(): void {
  unreachable();
}
