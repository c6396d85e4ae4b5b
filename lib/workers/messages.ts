/** What passes between a process and its workers. */

/** To a worker, once, before anything else. */
export interface Setup {
  /** One cell a lane: the number of the job there that nobody wants any more. */
  stops: Int32Array<SharedArrayBuffer>;
  /** What the worker's module needs; plain data. */
  settings: unknown;
}

/** To a worker. Numbers count from 1. */
export type Order =
  /** `lane`: index into `stops`. */
  | { number: number; lane: number; job: unknown }
  /** To a question. */
  | { number: number; answer: unknown }
  /** The job is not to go on. */
  | { number: number; refused: true };

/** From a worker. */
export type Message =
  | { ready: true }
  /** `milliseconds`: how long the job took, without what it waited for answers. */
  | { number: number; value: unknown; milliseconds: number }
  /** The job goes on when this is answered. */
  | { number: number; question: unknown }
  /** The job threw, which none should. */
  | { number: number; fault: string; milliseconds: number }
  /** Something threw outside of the jobs. */
  | { failed: string }
  /** For the operator. */
  | { log: string };
