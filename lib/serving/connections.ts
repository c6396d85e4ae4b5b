/** The connections that are open, and which of them go. */
import type { Bounds } from "./bounds.ts";
import { abortConnection, type Handler, type ServeConnection } from "./runtime.ts";
import { failed } from "./serving.ts";
import { announcesBody, givenUp } from "./unfinished.ts";

interface Connections {
  /** Serves a connection, or closes it when there is no room. `client` null: nobody's share. */
  add(connection: Deno.TcpConn, client: string | null): void;
  /** Closes those whose client let too much time pass. */
  sweep(): void;
  /** Descriptors ran out: half as many connections may be open from now on. Returns how many. */
  halve(): number;
  /** Closes all of them, those with a request under way once it is answered, or after a while. */
  end(): Promise<void>;
}

interface Open {
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

interface Options {
  bounds: Bounds;
  maxConnections: number;
}

export function createConnections(
  handler: Handler,
  serveConnection: ServeConnection,
  { bounds, maxConnections }: Options,
): Connections {
  // In the order in which they were opened.
  const open = new Set<Open>();
  const counts = new Map<string, number>();
  const none = Promise.withResolvers<void>();
  let most = maxConnections;
  let ending = false;
  // Milliseconds, as of the last sweep or new connection: exact enough, and free on every request.
  let clock = performance.now();
  const readMs = 1000 / bounds.leastRate;

  const mostOfClient = () => Math.max(1, Math.ceil(most * bounds.clientPart));

  function close(one: Open): void {
    if (one.over) return;
    one.over = true;
    abortConnection(one.closing);
    forget(one);
  }

  /** Its descriptor is free as soon as it is closed, before its server has ended. */
  function forget(one: Open): void {
    if (!open.delete(one)) return;
    if (one.client !== null) {
      const left = (counts.get(one.client) ?? 1) - 1;
      if (left === 0) counts.delete(one.client);
      else counts.set(one.client, left);
    }
    if (ending && open.size === 0) none.resolve();
  }

  /** Closes the one that has been idle longest; false when none is idle. */
  function closeOldest(client: string | null): boolean {
    let oldest: Open | null = null;
    for (const one of open) {
      if (one.active > 0 || client !== null && one.client !== client) continue;
      if (oldest === null || one.since < oldest.since) oldest = one;
    }
    if (oldest === null) return false;
    close(oldest);
    return true;
  }

  function makeRoom(client: string | null): boolean {
    if (client !== null && (counts.get(client) ?? 0) >= mostOfClient() && !closeOldest(client)) {
      return false;
    }
    return open.size < most || closeOldest(null);
  }

  /** The connection is closed a little later, so that the answer gets there. */
  function closeSoon(one: Open): void {
    setTimeout(() => close(one), bounds.lingerMs);
  }

  /** @param length of the answer, in bytes, as its header has it. */
  function answered(one: Open, length: string | null): void {
    one.since = clock;
    // An answer that is still being read makes its connection look idle.
    one.patience = length === null ? bounds.idleMs : bounds.idleMs + Number(length) * readMs;
    one.active--;
    if (ending && one.active === 0) closeSoon(one);
  }

  /** An event stream is under way until it ends or its client leaves. */
  function stream(one: Open, completed: Promise<void>): void {
    const tooLong = setTimeout(() => close(one), bounds.streamMs);
    const end = () => {
      clearTimeout(tooLong);
      answered(one, null);
    };
    completed.then(end, end);
  }

  function finish(one: Open, answer: Response, info: Deno.ServeHandlerInfo): Response {
    const { headers } = answer;
    const length = headers.get("content-length");
    const isStream = length === null && headers.get("content-type") === "text/event-stream" &&
      answer.body !== null;
    if (isStream) stream(one, info.completed);
    else answered(one, length);
    return answer;
  }

  /** The rest of a body that nobody read must be given up, or its socket stays open for ever. */
  async function finishBody(
    one: Open,
    request: Request,
    answer: Response,
  ): Promise<void> {
    if (!announcesBody(request)) return;
    const cancel = givenUp(request);
    if (request.bodyUsed && cancel === null) return;
    if (!request.bodyUsed) await request.body?.cancel();
    answer.headers.set("connection", "close");
    setTimeout(async () => {
      await cancel?.().catch(() => {});
      close(one);
    }, bounds.lingerMs);
  }

  function handlerOf(one: Open): Handler {
    return (request, info) => {
      one.active++;
      let answer: Response | Promise<Response>;
      try {
        answer = handler(request, info);
      } catch {
        answered(one, null);
        return failed();
      }
      const { method } = request;
      const bare = method === "GET" || method === "HEAD";
      if (bare && !(answer instanceof Promise)) {
        // What is at hand is small and no stream; looking at its headers would cost it a tenth.
        answered(one, null);
        return answer;
      }
      return (async () => {
        try {
          const made = await answer;
          if (!bare) await finishBody(one, request, made);
          return finish(one, made, info);
        } catch {
          answered(one, null);
          return failed();
        }
      })();
    };
  }

  function add(connection: Deno.TcpConn, client: string | null): void {
    clock = performance.now();
    if (ending || !makeRoom(client)) return connection.close();
    const one: Open = {
      client,
      closing: new AbortController(),
      active: 0,
      since: clock,
      patience: bounds.headMs,
      over: false,
    };
    open.add(one);
    if (client !== null) counts.set(client, (counts.get(client) ?? 0) + 1);
    const gone = () => {
      // Aborting what has ended is an error that nobody could catch.
      one.over = true;
      forget(one);
    };
    serveConnection(connection, one.closing.signal, handlerOf(one), failed).then(gone, gone);
  }

  return {
    add,
    sweep() {
      // By the time of the sweep before: an answer since then was dated by that one.
      for (const one of open) {
        if (one.active === 0 && clock - one.since > one.patience) close(one);
      }
      clock = performance.now();
    },
    halve() {
      most = Math.max(FEWEST, Math.floor(Math.min(most, open.size) / 2));
      while (open.size > most && closeOldest(null)) { /* the next one */ }
      return most;
    },
    async end() {
      ending = true;
      for (const one of open) if (one.active === 0) close(one);
      if (open.size === 0) return;
      const enough = setTimeout(() => {
        for (const one of open) close(one);
      }, bounds.stopMs);
      await none.promise;
      clearTimeout(enough);
    },
  };
}
