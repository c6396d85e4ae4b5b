/** Bytes that arrive piece by piece, put together as they come. */

/** A buffer that grows as it fills, up to a limit. */
export class ByteSink {
  #bytes = new Uint8Array(0);
  #length = 0;
  readonly #limit: number;
  readonly #least: number;

  /**
   * @param limit the most bytes that the buffer takes; whoever appends sees to that.
   * @param least bytes that there is room for from the first piece on.
   */
  constructor(limit: number, least = 0) {
    this.#limit = limit;
    this.#least = least;
  }

  /** Bytes that have been appended. */
  get length(): number {
    return this.#length;
  }

  /** Bytes that the buffer grows by when `more` are appended; 0 where these fit. */
  growth(more: number): number {
    return this.#roomFor(this.#length + more) - this.#bytes.length;
  }

  /** Appends a copy of a piece. */
  append(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    const room = this.#roomFor(needed);
    if (room > this.#bytes.length) {
      const larger = new Uint8Array(room);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = needed;
  }

  /** All that has been appended, in a buffer of just that size. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#length);
  }

  #roomFor(needed: number): number {
    const room = this.#bytes.length;
    if (needed <= room) return room;
    return Math.max(needed, Math.min(this.#limit, Math.max(this.#least, 2 * room)));
  }
}
