/** Text that is safe to draw and to put into XML. */

/** Longest label drawn, in code points. */
const MAX_LABEL = 40;

/**
 * Text with a glyph for every character: composed (NFC), spaces of any kind as U+0020, and
 * whatever draws nothing (controls, lone surrogates, bidi and zero-width marks, stray combining
 * marks, private use, the blank Braille cell) as U+FFFD. Characters that the font lacks remain; they are drawn as a box.
 */
export function drawable(text: string): string {
  return text.toWellFormed().normalize("NFC")
    .replace(/[\p{Zs}]/gu, " ")
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}|\u2800/gu, "\ufffd");
}

/** A label that fits on a badge; what is cut off leaves an ellipsis. */
export function drawableLabel(label: string): string {
  // Cut first: a normalisation of megabytes is nobody's label.
  const letters = [...drawable(label.slice(0, 8 * MAX_LABEL))];
  return letters.length <= MAX_LABEL
    ? letters.join("")
    : `${letters.slice(0, MAX_LABEL - 1).join("")}…`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes for XML text and for attributes in either quotes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
