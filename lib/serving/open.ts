/** The connections that are open, whose they are, and which of them go for want of room. */
import type { Bounds } from "./bounds.ts";
import { abortConnection } from "./runtime.ts";

export interface Open {
  /** Null: nobody's share. */
  client: string | null;
  closing: AbortController;
  /** Requests under way. */
  active: number;
  /** When it was opened, or its last request answered. */
  since: number;
  /** How long it may go on from there without a request, in milliseconds. */
  patience: number;
  /** It is closed, or will be after the answer. */
  over: boolean;
}

/** However few descriptors there are: an operator needs one to look, and a few visitors theirs. */
const FEWEST = 4;

/**
 * Between two halvings, in milliseconds: the descriptors of what was closed become free a little
 * later, and until then each failure to accept is the same shortage over again.
 */
const SETTLING_MS = 10_000;

type Given = Pick<Bounds, "clientPart" | "headMs">;

export class OpenConnections {
  // In the order in which they were opened.
  readonly #open = new Set<Open>();
  readonly #counts = new Map<string, number>();
  readonly #bounds: Given;
  #most: number;
  #halvedAt = -Infinity;
  #onEmpty: (() => void) | null = null;
  /**
   * Milliseconds, as of the last sweep or new connection: exact enough, and reading a clock for each
   * request would cost more than all else that is done for it here.
   */
  clock = performance.now();

  constructor(bounds: Given, most: number) {
    this.#bounds = bounds;
    this.#most = most;
  }

  /** Takes one in; null: there is no room, and none could be made. */
  add(client: string | null): Open | null {
    this.clock = performance.now();
    if (!this.#makeRoom(client)) return null;
    const one: Open = {
      client,
      closing: new AbortController(),
      active: 0,
      since: this.clock,
      patience: this.#bounds.headMs,
      over: false,
    };
    this.#open.add(one);
    if (client !== null) this.#counts.set(client, this.#countOf(client) + 1);
    return one;
  }

  close(one: Open): void {
    if (one.over) return;
    one.over = true;
    abortConnection(one.closing);
    this.#forget(one);
  }

  /** Its client or its server has closed it: aborting it now is an error that nobody could catch. */
  ended(one: Open): void {
    one.over = true;
    this.#forget(one);
  }

  /** Closes those that have been idle for longer than they may. */
  sweep(): void {
    // By the time of the sweep before: an answer since then was dated by that one.
    for (const one of this.#open) {
      if (one.active === 0 && this.clock - one.since > one.patience) this.close(one);
    }
    this.clock = performance.now();
  }

  /** Half as many may be open from now on, unless that was done just now. Returns how many. */
  halve(): number {
    const now = performance.now();
    if (now - this.#halvedAt < SETTLING_MS) return this.#most;
    this.#halvedAt = now;
    this.#most = Math.max(FEWEST, Math.floor(Math.min(this.#most, this.#open.size) / 2));
    while (this.#open.size > this.#most && this.#closeOldest(null)) { /* the next one */ }
    return this.#most;
  }

  closeIdle(): void {
    for (const one of this.#open) if (one.active === 0) this.close(one);
  }

  closeAll(): void {
    for (const one of this.#open) this.close(one);
  }

  /** Resolves as soon as none is open. Nobody adds one any more. */
  async empty(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty = resolve);
  }

  /** Its descriptor is free as soon as it is closed, before its server has ended. */
  #forget(one: Open): void {
    if (!this.#open.delete(one)) return;
    if (one.client !== null) {
      const left = this.#countOf(one.client) - 1;
      if (left === 0) this.#counts.delete(one.client);
      else this.#counts.set(one.client, left);
    }
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** A client's share first: whoever has no room in it takes none from others. */
  #makeRoom(client: string | null): boolean {
    const share = Math.max(1, Math.ceil(this.#most * this.#bounds.clientPart));
    const isFull = client !== null && this.#countOf(client) >= share;
    if (isFull && !this.#closeOldest(client)) return false;
    return this.#open.size < this.#most || this.#closeOldest(null);
  }

  #countOf(client: string | null): number {
    return client === null ? 0 : this.#counts.get(client) ?? 0;
  }

  /**
   * Closes the one that has been idle longest: of a client, or (null) of whoever has most, as nobody
   * should lose the only one to the hundreds of another. False when none is idle.
   */
  #closeOldest(client: string | null): boolean {
    let oldest: Open | null = null;
    let count = 0;
    for (const one of this.#open) {
      if (one.active > 0 || client !== null && one.client !== client) continue;
      const its = this.#countOf(one.client);
      if (oldest !== null && (its < count || its === count && one.since >= oldest.since)) continue;
      oldest = one;
      count = its;
    }
    if (oldest === null) return false;
    this.close(oldest);
    return true;
  }
}
