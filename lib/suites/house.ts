/**
 * The texts of the house suite `touchstone-algal-v1`: the one suite that Touchstone can mint.
 * Frozen with the version: a changed text needs a new suite version (docs/architecture.md, "House suite").
 */

/** Phrase texts by id. Their pins stand in `families/algal.ts`. */
export const HOUSE_PHRASES: Readonly<Record<string, string>> = {
  "touchstone.algal.intro":
    "Below is a small program in ALGAL's expression language, algal.expr.v1, with the values its " +
    "names stand for. Work out its result by hand and answer with that single whole number: no " +
    "words, no working, no formatting.\n\n" +
    "How to read it: JSON arrays are calls, with the operation's name in front. [get, NAME, I, …] " +
    "looks a name up and then takes element I, counted from 0, and so on inwards. [list, …] builds " +
    "a list and [nth, L, I] takes one element of it. [add, …] and [mul, …] give the sum and the " +
    "product of their arguments, [gt, A, B] asks whether A exceeds B, and [mod, A, B] is what " +
    "remains of A after division by B. [filter, L, x, TEST] keeps the elements x of L that pass " +
    "the test, [map, L, x, BODY] puts the body's value in each element's place, and [fold, L, " +
    "START, acc, x, BODY] goes through L from its first element to its last: acc is START at first " +
    "and then always the body's latest value. A name means its innermost binding.",
};
