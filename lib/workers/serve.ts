/** The worker's side. */
import { whereThrown } from "../verify/fault.ts";
import { stopwatch } from "./stopwatch.ts";
import type { Message, Order, Setup } from "./messages.ts";

/** What a job has of whoever ordered it. */
interface Client {
  /** Whether nobody wants the answer any more. */
  stopped(): boolean;
  /** Asks something; one question at a time. Rejects when the job is not to go on. */
  ask(question: unknown): Promise<unknown>;
  /** The answer takes this buffer along, instead of a copy of it. */
  giveAway(buffer: ArrayBuffer): void;
}

/** Does a job. */
export type Handler = (job: unknown, client: Client) => Promise<unknown>;

/** The job is not to go on; nobody waits for its answer. */
class Refused extends Error {
  override readonly name = "Refused";
}

/** What a worker's global scope has; the libraries know it as a window. */
interface Scope extends EventTarget {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: Message, transfer?: ArrayBuffer[]): void;
}

/**
 * Serves jobs in a worker; the module calls it once, at its top level. Several jobs may be under way
 * at a time, one a lane.
 *
 * @param create makes the handler out of the settings; `log` reaches the operator.
 */
export function serveJobs(
  create: (settings: unknown, log: (message: string) => void) => Handler,
): void {
  const scope = globalThis as unknown as Scope;
  const log = (message: string) => scope.postMessage({ log: message });
  // Left alone, the runtime would print the message, which may quote a document.
  const fail = (event: Event, error: unknown) => {
    event.preventDefault();
    scope.postMessage({ failed: whereThrown(error) });
  };
  scope.addEventListener("error", (event) => fail(event, (event as ErrorEvent).error));
  scope.addEventListener("unhandledrejection", (event) => {
    fail(event, (event as PromiseRejectionEvent).reason);
  });
  scope.onmessage = ({ data }: MessageEvent<Setup>) => {
    const handler = create(data.settings, log);
    scope.onmessage = serve(scope, handler, data.stops);
  };
  scope.postMessage({ ready: true });
}

function serve(
  scope: Scope,
  handler: Handler,
  stops: Int32Array<SharedArrayBuffer>,
): (event: MessageEvent<Order>) => void {
  const questions = new Map<number, PromiseWithResolvers<unknown>>();

  async function take(number: number, lane: number, job: unknown): Promise<void> {
    const transfer: ArrayBuffer[] = [];
    const spent = stopwatch();
    try {
      const value = await handler(job, {
        stopped: () => Atomics.load(stops, lane) === number,
        ask(question) {
          const asked = Promise.withResolvers<unknown>();
          questions.set(number, asked);
          scope.postMessage({ number, question });
          return spent.without(() => asked.promise);
        },
        giveAway: (buffer) => void transfer.push(buffer),
      });
      scope.postMessage({ number, value, milliseconds: spent.milliseconds() }, transfer);
    } catch (error) {
      const milliseconds = spent.milliseconds();
      if (error instanceof Refused) scope.postMessage({ number, value: null, milliseconds });
      else scope.postMessage({ number, fault: whereThrown(error), milliseconds });
    }
  }

  return ({ data: order }) => {
    if ("job" in order) {
      void take(order.number, order.lane, order.job);
      return;
    }
    const asked = questions.get(order.number);
    questions.delete(order.number);
    if ("refused" in order) asked?.reject(new Refused("the job is not to go on"));
    else asked?.resolve(order.answer);
  };
}
