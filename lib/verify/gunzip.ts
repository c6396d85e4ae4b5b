/**
 * Unpacks gzip within a size limit.
 */

/** Deflate grows at most about 1032 times, so a slice this size never becomes more than 17 MB at once. */
const SLICE = 16 * 1024;

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
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    const unpacked = slices(bytes).pipeThrough(new DecompressionStream("gzip"));
    for await (const chunk of unpacked) {
      total += chunk.length;
      if (total > limit) return "too-large";
      chunks.push(chunk);
    }
  } catch {
    return "malformed";
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function slices(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + SLICE));
      at += SLICE;
    },
  }, { highWaterMark: 0 });
}
