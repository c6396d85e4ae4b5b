/** A map bounded by the summed weight of its values; what was used least recently goes first. */
export class Cache<V> {
  readonly #entries = new Map<string, { value: V; weight: number }>();
  readonly #capacity: number;
  #weight = 0;

  /** `capacity`: the largest summed weight, in any unit, say bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The summed weight of what is kept. */
  get weight(): number {
    return this.#weight;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // A Map iterates in order of insertion: re-inserting makes this the youngest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value; one heavier than the whole capacity is not kept. */
  set(key: string, value: V, weight: number): void {
    this.#remove(key);
    if (weight > this.#capacity) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#capacity) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
