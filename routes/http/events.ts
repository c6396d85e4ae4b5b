/** Server-sent events: one way for all streams. Source: HTML standard, "Server-sent events". */

/** One event; `id` comes back as `Last-Event-ID` when a client connects again. */
export interface ServerEvent {
  event: string;
  id: string;
  data: unknown;
}

/** A comment this often keeps proxies and clients from giving up on a quiet stream. */
const HEARTBEAT_MS = 10_000;

/**
 * Bytes that wait in memory for a client that doesn't read, besides what the system holds: some
 * thousand events. Whoever has not read those by then isn't watching, and is left.
 */
export const UNREAD_BYTES = 256 * 1024;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // Some proxies collect a body before they pass it on, unless told not to.
  "x-accel-buffering": "no",
};

/**
 * Answers with the events of `source`, and ends with them. For HEAD nothing is asked of the source.
 *
 * @param source makes the events; its signal is aborted when the client is gone.
 * @param onFault told when the source fails: the stream then just ends, and clients come back.
 */
export function replyEvents(
  request: Request,
  source: (signal: AbortSignal) => AsyncIterable<ServerEvent>,
  onFault: (error: unknown) => void,
  heartbeat = HEARTBEAT_MS,
): Response {
  if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: UNREAD_BYTES });
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string) => {
        if (gone.signal.aborted) return;
        controller.enqueue(encoder.encode(text));
        if (controller.desiredSize! >= 0) return;
        gone.abort();
        // Closed, it would keep what waits until that is read.
        controller.error(new Error("the client doesn't read"));
      };
      send("retry: 1000\n\n");
      const beat = setInterval(() => send(": heartbeat\n\n"), heartbeat);
      try {
        for await (const { event, id, data } of source(gone.signal)) {
          send(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
        }
      } catch (error) {
        onFault(error);
      } finally {
        clearInterval(beat);
        if (!gone.signal.aborted) controller.close();
      }
    },
    cancel() {
      gone.abort();
    },
  }, strategy);
  return new Response(body, { headers: HEADERS });
}
