/** The kind of news that a statement brings, and its state in one word. */

/**
 * What kind of news a statement brings. `pass` (full green) is only for a verified pass of which
 * everything was replayed, signed by an issuer of the registry whose key is active or rotated.
 * `unvouched`: such a pass under a key that nobody vouches for. `claimed`: something is unreplayed.
 * `partial`: some documents of a whole passed, others failed. `reported`: replayed, and nobody signed.
 * `refused`: not what was asked for, or signed with a revoked key. `invalid`, the colour of a forgery:
 * a signature, commitment, binding, regeneration or sum is wrong. `foreign`: no receipt at all.
 * `neutral`: nothing to tell, an unknown suite or protocol included.
 */
export type Tone =
  | "pass"
  | "unvouched"
  | "partial"
  | "fail"
  | "claimed"
  | "reported"
  | "refused"
  | "invalid"
  | "foreign"
  | "neutral";

/** A state in one word, for programs and for style sheets. */
export type State =
  | "verified"
  | "issuer-claimed"
  | "invalid"
  | "unknown-suite"
  | "unknown-protocol"
  | "not-a-receipt"
  | "not-accepted"
  | "conflicting"
  | "not-finished"
  | "checking"
  | "not-found"
  | "unreachable"
  | "gone"
  | "ambiguous";
