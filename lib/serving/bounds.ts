/**
 * Every number that bounds connections and bodies, each with its reason. Times are in milliseconds.
 */

export interface Bounds {
  /**
   * From the opening of a connection to the end of its first request's head. A head is one or two
   * packets: even a satellite link with lost packets needs only a few seconds.
   */
  headMs: number;
  /**
   * Without a request on a connection that had one. Proxies keep connections for 60 s by default, and
   * a proxy that reuses one just as it is closed shows its visitor an error: a little more than that.
   */
  idleMs: number;
  /** From the request to the first byte of its body, which clients send at once after the head. */
  firstByteMs: number;
  /** From when on a body's average rate counts: a phone may need some seconds to get going. */
  rateAfterMs: number;
  /**
   * Bytes a second, the least that a body is sent and an answer is read with. The slowest mobile
   * networks still in use (EDGE) give several times as much.
   */
  leastRate: number;
  /**
   * For a whole body. At the least rate that is 1.2 MiB, some four hundred times an ordinary receipt;
   * the largest body needs 14 KiB/s.
   */
  bodyMs: number;
  /**
   * For an event stream. Upgrades take minutes; a client of a longer one comes back by itself and goes
   * on where it was (`Last-Event-ID`). A stream's reader is bounded by the stream itself besides.
   */
  streamMs: number;
  /** From a refusal to the closing of its connection: closed at once, the answer would be lost. */
  lingerMs: number;
  /** From the signal to stop to the end of what is under way. Deno Deploy gives 5 s in all. */
  stopMs: number;
  /** Between an error of accepting and the next attempt: long enough for idle connections to close. */
  pauseMs: number;
  /** Between two lines of the log about the same thing. */
  logMs: number;
  /** The part of all connections that one client may hold: four clients together fill them. */
  clientPart: number;
  /** Bytes of bodies that are being received, in all: sixteen of the largest. */
  receiving: number;
  /** The same for one client: a quarter, so that one client leaves room for others. */
  receivingClient: number;
}

export const BOUNDS: Readonly<Bounds> = {
  headMs: 15_000,
  idleMs: 75_000,
  firstByteMs: 15_000,
  rateAfterMs: 5_000,
  leastRate: 4 * 1024,
  bodyMs: 300_000,
  streamMs: 3_600_000,
  lingerMs: 250,
  stopMs: 2_000,
  pauseMs: 250,
  logMs: 60_000,
  clientPart: 1 / 4,
  receiving: 64 * 1024 * 1024,
  receivingClient: 16 * 1024 * 1024,
};
