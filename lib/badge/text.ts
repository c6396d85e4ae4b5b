/** Text that is safe to draw and to put into XML. */

/** Longest label drawn, in code points. */
const MAX_LABEL = 40;

/**
 * What draws nothing: controls, lone surrogates, bidi and zero-width marks, stray combining marks,
 * private use, the blank Braille cell, the object placeholder.
 */
const BLANK = /[^\p{L}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}|[\u2800\ufffc]/gu;

/**
 * Text with a glyph for every character: composed (NFC), spaces of any kind as U+0020, and
 * whatever draws nothing as U+FFFD. Characters that the font lacks remain; they are drawn as a box.
 */
export function drawable(text: string): string {
  return text.toWellFormed().normalize("NFC")
    .replace(/\p{Zs}/gu, " ")
    .replace(BLANK, "\ufffd");
}

/** A label that fits on a badge; what is cut off leaves an ellipsis. */
export function drawableLabel(label: string): string {
  // Cut first: a normalisation of megabytes is nobody's label.
  return shorten(drawable(label.slice(0, 8 * MAX_LABEL)), MAX_LABEL);
}

/** `text` of at most `limit` code points, the last an ellipsis where some were cut off. */
export function shorten(text: string, limit: number): string {
  const letters = [...text];
  return letters.length <= limit ? text : `${letters.slice(0, limit - 1).join("")}…`;
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
