/** A map that forgets what was used least recently once it is full. */
export class LruMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #capacity: number;
  #youngest: string | undefined;

  /** `capacity`: how many entries to keep, at least 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    // One key many times in a row is the usual case, and needs no reordering.
    if (value !== undefined && key !== this.#youngest) this.#refresh(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#refresh(key, value);
    if (this.#entries.size > this.#capacity) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }

  /** A Map iterates in order of insertion: re-inserting makes this the youngest. */
  #refresh(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#youngest = key;
  }
}
