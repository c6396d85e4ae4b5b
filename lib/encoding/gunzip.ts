/**
 * Unpacks gzip within a size limit: one member or several after one another (RFC 1952, 2.2).
 */

/** Deflate grows at most about 1032 times, so a slice this size never becomes more than 17 MB at once. */
const SLICE = 16 * 1024;

/** Places where a further member may begin that are tried: each costs a call of its own. */
const MAX_HEADS = 10_000;

/** Members that are read: each costs about two milliseconds, however small it is. */
const MAX_MEMBERS = 256;

/** Smallest member: head, empty block, checksum and length. */
const MIN_MEMBER = 20;

/**
 * The bytes unpacked if they begin like gzip, unchanged otherwise. Stops as soon as the output
 * passes `limit` bytes, and feeds the decompressor small slices, since it inflates each into one
 * chunk.
 */
export async function gunzip(
  bytes: Uint8Array,
  limit: number,
): Promise<Uint8Array | "malformed" | "too-large"> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const heads = headsOf(bytes);
  const chunks: Uint8Array[] = [];
  let left = limit;
  let members = 0;
  for (let start = 0; start < bytes.length;) {
    if (++members > MAX_MEMBERS) return "malformed";
    let end = bytes.length;
    let member = await inflate(bytes, piecesOf(start, end, heads), left);
    if (member.state === "failed") {
      // The runtime's decompressor refuses what follows a member. Where that may be the next one,
      // the member is read again up to there, which also checks its sum.
      end = member.at;
      if (end <= start || !heads.includes(end)) return "malformed";
      member = await inflate(bytes, piecesOf(start, end, heads), left);
    }
    if (member.state === "too-large") return "too-large";
    if (member.state === "failed") return "malformed";
    chunks.push(...member.chunks);
    left -= member.chunks.reduce((sum, { length }) => sum + length, 0);
    start = end;
  }
  return joined(chunks, limit - left);
}

/** Places behind the first at which the head of a gzip member may stand. */
function headsOf(bytes: Uint8Array): number[] {
  const heads: number[] = [];
  for (let at = bytes.indexOf(0x1f, MIN_MEMBER); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
    if (bytes[at + 1] === 0x8b && bytes[at + 2] === 8 && (bytes[at + 3] ?? 0xff) < 0x20) {
      heads.push(at);
      if (heads.length === MAX_HEADS) break;
    }
  }
  return heads;
}

type Piece = readonly [start: number, end: number];

/** Slices from `start` to `end`, none of which holds the start of a head but at its own start. */
function* piecesOf(start: number, end: number, heads: readonly number[]): Generator<Piece> {
  const cuts = [...heads.filter((head) => head > start && head < end), end];
  let at = start;
  for (const cut of cuts) {
    for (; at < cut; at = Math.min(cut, at + SLICE)) yield [at, Math.min(cut, at + SLICE)];
  }
}

type Inflated =
  | { state: "whole"; chunks: Uint8Array[] }
  | { state: "too-large" }
  /** `at`: start of the slice that was refused; the number of bytes, if that was the end. */
  | { state: "failed"; at: number };

async function inflate(
  bytes: Uint8Array,
  pieces: Iterable<Piece>,
  limit: number,
): Promise<Inflated> {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const reading = collect(readable, limit);
  let at = bytes.length;
  try {
    for (const [start, end] of pieces) {
      at = start;
      await writer.write(bytes.slice(start, end));
    }
    at = bytes.length;
    await writer.close();
  } catch {
    // Which of the two ends it was, the reading side tells.
  }
  const read = await reading;
  return read === "failed" ? { state: "failed", at } : read;
}

/** What comes out; never rejects, so that nothing is left unhandled while the other side writes. */
async function collect(
  readable: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Extract<Inflated, { state: "whole" | "too-large" }> | "failed"> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const chunk of readable) {
      total += chunk.length;
      // Leaving the loop cancels the stream, and with it the writing side.
      if (total > limit) return { state: "too-large" };
      chunks.push(chunk);
    }
  } catch {
    return "failed";
  }
  return { state: "whole", chunks };
}

function joined(chunks: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
