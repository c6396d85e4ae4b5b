/**
 * Step budgets: work on a stranger's document stops cooperatively, since a busy worker can't be
 * stopped from outside.
 */

/** What remains of an allowance of work. */
export interface Budget {
  /**
   * Takes `steps` off. A step is one unit of a search's inner loop, in the order of 10 ns.
   *
   * @throws {BudgetExceeded} when less than that is left.
   */
  spend(steps: number): void;
}

/** The allowance is used up: the check is not finished, which says nothing about the document. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
  readonly code = "budget-exceeded";
}

/** A budget of `steps`. */
export function createBudget(steps: number): Budget {
  let left = steps;
  return {
    spend(amount) {
      left -= amount;
      if (left < 0) throw new BudgetExceeded("the check needs more steps than it may take");
    },
  };
}
