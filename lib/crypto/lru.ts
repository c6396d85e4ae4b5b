/** A map that forgets what was used least recently once it is full. */
export class LruMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #capacity: number;

  /** `capacity`: how many entries to keep, at least 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      // A Map iterates in order of insertion: re-inserting makes this the youngest.
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }
}
