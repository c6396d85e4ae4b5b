/**
 * Words and letters: the lists that families pick from. Source: docs/specification/suites/words.md.
 *
 * The order is part of the generators: a pick or shuffle works on positions.
 */

export const WORDS: readonly string[] = [
  "anchor",
  "basalt",
  "cinder",
  "dagger",
  "ember",
  "fjord",
  "granite",
  "harbor",
  "island",
  "juniper",
  "kelp",
  "lantern",
  "marble",
  "nectar",
  "onyx",
  "prism",
  "quartz",
  "riddle",
  "sable",
  "tundra",
  "umber",
  "velvet",
  "willow",
  "xenon",
  "yonder",
  "zephyr",
  "clover",
  "meadow",
  "pepper",
  "tulip",
  "mosaic",
  "harvest",
  "signal",
  "copper",
  "beacon",
];

/** Names of runners; the spec's list is longer, but only these are ever picked from. */
export const NAMES: readonly string[] = ["ada", "bo", "cy", "di", "el", "fay", "gus", "hal"];

/** `word` (of letters a–z) with every letter moved `places` (0 … 25) forward, z followed by a. */
export function shiftLetters(word: string, places: number): string {
  const a = 97;
  let shifted = "";
  for (let i = 0; i < word.length; i++) {
    shifted += String.fromCharCode(a + (word.charCodeAt(i) - a + places) % 26);
  }
  return shifted;
}

/** The capital letter that stands for the person numbered `i` (0 … 25). */
export function letterOf(i: number): string {
  return String.fromCharCode(65 + i);
}
