/** Fuel (spec section 9): what is left, and spending it. */
import { raiseFuel } from "./failure";

let budget: u32 = 0;
let left: u32 = 0;

export function fillFuel(amount: u32): void {
  budget = amount;
  left = amount;
}

export function spentFuel(): u32 {
  return budget - left;
}

/** False, and nothing spent, when `cost` is more than what is left: EXPR_FUEL was raised then. */
export function spend(cost: u32): bool {
  if (cost > left) {
    raiseFuel(cost, left);
    return false;
  }
  left -= cost;
  return true;
}
