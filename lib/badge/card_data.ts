/** What the style `card` says besides what every badge says: the shape of its data. */

/**
 * What became of a challenge. `unreplayed`: a pass by the issuer's word; `unreplayed-failed`: a
 * failure by its word; `void`: not counted, as the whole is invalid or not finished.
 */
export type MarkState =
  | "passed"
  | "failed"
  | "unanswered"
  | "unreplayed"
  | "unreplayed-failed"
  | "invalid"
  | "void";

/** The mark of one challenge. */
export interface CardMark {
  state: MarkState;
  /**
   * The challenge's cell, without the family when it is that of the mark before; null for a member
   * of a whole.
   */
  name: string | null;
}

/** What shows how the parts fared: a mark each, a column for each cell of a run, or shares of all. */
export type Picture =
  | { kind: "marks"; marks: CardMark[] }
  | { kind: "columns"; columns: { passed: number; total: number }[] }
  | { kind: "shares"; shares: { state: MarkState; count: number }[] };

/** What a card draws besides. */
export interface Card {
  /** What is shown, and of which suite: `admission · clankdar-algal-v1`. */
  subject: string;
  /**
   * What else is known, in reading order: the result of what isn't accepted, the reason of what is
   * invalid, the floor (`floor algal-floor-v1`, `own floor: 1 of 16 required`), the day of the decision.
   */
  facts: string[];
  picture: Picture | null;
  /** The picture in words, without what is zero: `1 passed`, `2 unreplayed`. */
  legend: { state: MarkState; text: string }[];
  /**
   * Who signed: `signed by Clankdar staging`, `self-reported: nobody signed it`; null: it names no
   * signer, as what is invalid or not finished doesn't.
   */
  issuer: string | null;
}
