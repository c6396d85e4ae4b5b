/** Bytes of bodies that are being received, bounded in all and for each client. */
import type { Bounds } from "./bounds.ts";

/** Why there is no room: the client's own share is full, or everybody's together. */
export type NoRoom = "client" | "all";

/** What one body holds. */
export interface Share {
  /** Takes more; null: taken. */
  take(bytes: number): NoRoom | null;
  /** Gives everything back. */
  release(): void;
}

interface Receiving {
  /** @param client null: whoever can't be told from others shares one share with them. */
  share(client: string | null): Share;
}

export function createReceiving(
  { receiving, receivingClient }: Pick<Bounds, "receiving" | "receivingClient">,
): Receiving {
  const held = new Map<string | null, number>();
  let all = 0;

  function add(client: string | null, bytes: number): void {
    all += bytes;
    const of = (held.get(client) ?? 0) + bytes;
    if (of === 0) held.delete(client);
    else held.set(client, of);
  }
  return {
    share(client) {
      let mine = 0;
      return {
        take(bytes) {
          if ((held.get(client) ?? 0) + bytes > receivingClient) return "client";
          if (all + bytes > receiving) return "all";
          mine += bytes;
          add(client, bytes);
          return null;
        },
        release() {
          add(client, -mine);
          mine = 0;
        },
      };
    },
  };
}
