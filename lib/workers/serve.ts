/** The worker's side. */
import { whereThrown } from "../verify/fault.ts";
import type { Message, Order, Setup } from "./messages.ts";

/** Does a job. `stopped`: whether nobody wants the answer any more. */
export type Handler = (job: unknown, stopped: () => boolean) => Promise<unknown>;

/** What a worker's global scope has; the libraries know it as a window. */
interface Scope extends EventTarget {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: Message): void;
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
    scope.onmessage = ({ data: order }: MessageEvent<Order>) =>
      void answer(scope, handler, data.stops, order);
  };
  scope.postMessage({ ready: true });
}

async function answer(
  scope: Scope,
  handler: Handler,
  stops: Int32Array<SharedArrayBuffer>,
  { number, lane, job }: Order,
): Promise<void> {
  try {
    const value = await handler(job, () => Atomics.load(stops, lane) === number);
    scope.postMessage({ number, value });
  } catch (error) {
    scope.postMessage({ number, fault: whereThrown(error) });
  }
}
