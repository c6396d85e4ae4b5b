/** Serving the connections that are open, and how long each goes on. */
import type { Bounds } from "./bounds.ts";
import { type Open, OpenConnections } from "./open.ts";
import type { Handler, ServeConnection } from "./runtime.ts";
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

interface Options {
  bounds: Bounds;
  maxConnections: number;
}

export function createConnections(
  handler: Handler,
  serveConnection: ServeConnection,
  { bounds, maxConnections }: Options,
): Connections {
  const open = new OpenConnections(bounds, maxConnections);
  const requests = new Requests(handler, open, bounds);
  return {
    add(connection, client) {
      const one = requests.ending ? null : open.add(client);
      if (one === null) return connection.close();
      const ended = () => open.ended(one);
      serveConnection(connection, one.closing.signal, requests.handlerOf(one), failed)
        .then(ended, ended);
    },
    sweep: () => open.sweep(),
    halve: () => open.halve(),
    async end() {
      requests.ending = true;
      open.closeIdle();
      const enough = setTimeout(() => open.closeAll(), bounds.stopMs);
      await open.empty();
      clearTimeout(enough);
    },
  };
}

/** What a request and its answer mean for the time that its connection has. */
class Requests {
  /** Connections are closed as soon as nothing is under way on them. */
  ending = false;
  readonly #handler: Handler;
  readonly #open: OpenConnections;
  readonly #bounds: Bounds;

  constructor(handler: Handler, open: OpenConnections, bounds: Bounds) {
    this.#handler = handler;
    this.#open = open;
    this.#bounds = bounds;
  }

  handlerOf(one: Open): Handler {
    return (request, info) => {
      one.active++;
      let answer: Response | Promise<Response>;
      try {
        answer = this.#handler(request, info);
      } catch {
        this.#answered(one, null);
        return failed();
      }
      const isBare = request.method === "GET" || request.method === "HEAD";
      if (!isBare || answer instanceof Promise) {
        return this.#finish(one, { request, info, answer, isBare });
      }
      // What is at hand is small and no stream; looking at its headers would cost it a tenth.
      this.#answered(one, null);
      return answer;
    };
  }

  async #finish(one: Open, under: UnderWay): Promise<Response> {
    try {
      const answer = await under.answer;
      if (!under.isBare) await this.#finishBody(one, under.request, answer);
      const length = answer.headers.get("content-length");
      if (length === null && isStream(answer)) this.#streaming(one, under.info.completed);
      else this.#answered(one, length);
      return answer;
    } catch {
      this.#answered(one, null);
      return failed();
    }
  }

  /** @param length of the answer, in bytes, as its header has it. */
  #answered(one: Open, length: string | null): void {
    const { idleMs, leastRate } = this.#bounds;
    one.since = this.#open.clock;
    // An answer that is still being read makes its connection look idle.
    one.patience = length === null ? idleMs : idleMs + Number(length) * 1000 / leastRate;
    one.active--;
    if (this.ending && one.active === 0) this.#closeSoon(one);
  }

  /** An event stream is under way until it ends or its client leaves. */
  #streaming(one: Open, completed: Promise<void>): void {
    const tooLong = setTimeout(() => this.#open.close(one), this.#bounds.streamMs);
    const end = () => {
      clearTimeout(tooLong);
      this.#answered(one, null);
    };
    completed.then(end, end);
  }

  /** The rest of a body that nobody read must be given up, or its socket stays open for ever. */
  async #finishBody(one: Open, request: Request, answer: Response): Promise<void> {
    if (!announcesBody(request)) return;
    const cancel = givenUp(request);
    if (request.bodyUsed && cancel === null) return;
    if (!request.bodyUsed) await request.body?.cancel();
    answer.headers.set("connection", "close");
    this.#closeSoon(one, cancel);
  }

  /** The connection is closed a little later, so that the answer gets there. */
  #closeSoon(one: Open, cancel: (() => Promise<void>) | null = null): void {
    setTimeout(async () => {
      await cancel?.().catch(() => {});
      this.#open.close(one);
    }, this.#bounds.lingerMs);
  }
}

interface UnderWay {
  request: Request;
  info: Deno.ServeHandlerInfo<Deno.NetAddr>;
  answer: Response | Promise<Response>;
  /** It has no body. */
  isBare: boolean;
}

function isStream({ headers, body }: Response): boolean {
  return headers.get("content-type") === "text/event-stream" && body !== null;
}
