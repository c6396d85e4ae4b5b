/**
 * Budgets: work on a stranger's document stops cooperatively, since a busy worker can't be stopped
 * from outside. Steps are counted everywhere, and now and then a clock or flag is looked at.
 */
import { CodedError } from "../base/coded_error.ts";

/** What remains of an allowance of work. */
export interface Budget {
  /**
   * Takes `steps` off. A step is one unit of a search's inner loop, in the order of 10 ns.
   *
   * @throws {BudgetExceeded} when less than that is left, or the time is up.
   */
  spend(steps: number): void;
}

/** The allowance is used up: the check is not finished, which says nothing about the document. */
export class BudgetExceeded extends CodedError<"budget-exceeded"> {
  constructor(message: string) {
    super("budget-exceeded", message);
  }
}

/** Steps between two looks at the clock: some tenths of a millisecond. */
const STEPS_PER_LOOK = 20_000;

/**
 * A budget of `steps`.
 *
 * @param expired whether the time is up; asked at least every {@link STEPS_PER_LOOK} steps.
 */
export function createBudget(steps: number, expired: () => boolean = () => false): Budget {
  let left = steps;
  let nextLook = left;
  return {
    spend(amount) {
      left -= amount;
      // One comparison on the hot path.
      if (left > nextLook) return;
      if (left < 0) throw new BudgetExceeded("the check needs more steps than it may take");
      if (expired()) throw new BudgetExceeded("the check takes longer than it may");
      nextLook = Math.max(0, left - STEPS_PER_LOOK);
    },
  };
}
