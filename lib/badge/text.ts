/**
 * The two forms of a text: as it is said (titles, `aria-label`, JSON), where no font is needed, and
 * as it is drawn. What a font can't draw is damaged in the drawing at most.
 */

/** Longest label, in characters as people count them (grapheme clusters). */
const MAX_LABEL = 40;

/**
 * Code points of one character, and of a whole label: no character of any script has as many, but
 * a letter can have marks without end. A family with four skin tones has 11.
 */
const MAX_CLUSTER = 32;
const MAX_CODE_POINTS = 480;

/** UTF-16 units of a label that are looked at: megabytes are nobody's label. */
const MAX_UNITS = 4096;

/** Texts that both forms leave as they are. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** Texts of letters and punctuation that are drawn as they are. */
const SIMPLE =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e]*$/;

/** White space of any kind, with the controls among them. */
const SPACES = /\p{White_Space}+/gu;

/** Controls, and what turns the direction of the text that follows. */
const COMMANDS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text as it is said: without controls and without bidi embeddings, overrides and isolates, each
 * run of white space one blank, none at either end. Lone surrogates and code points that are no
 * characters, which XML can't hold, become U+FFFD. Everything else stays as it was given.
 */
export function said(text: string): string {
  if (PLAIN.test(text)) return text;
  const kept = text.toWellFormed()
    .replace(SPACES, " ")
    .replace(COMMANDS, "")
    .replace(/\p{Noncharacter_Code_Point}/gu, "\ufffd");
  return tidy(kept);
}

/** Without the blanks that what was removed leaves behind. */
function tidy(text: string): string {
  return text.replace(/ {2,}/g, " ").replace(/^ | $/g, "");
}

/** A label as it is said, of at most 40 characters; what is cut off leaves an ellipsis. */
export function saidLabel(label: string): string {
  return shorten(said(label.slice(0, MAX_UNITS)), MAX_LABEL);
}

/**
 * What draws nothing. Joiners are kept where they choose the form of a letter; whole emoji are kept
 * with all that holds them together.
 */
const IGNORABLE =
  /(\p{RGI_Emoji}|(?<=[\p{scx=Deva}\p{scx=Arab}]\p{M}*)[\u200c\u200d])|\p{Default_Ignorable_Code_Point}/gv;

/** What has no form: unassigned, for private use, the blank Braille cell, the object placeholder. */
const FORMLESS =
  /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Default_Ignorable_Code_Point}\u0600-\u0605\u06dd ]|[\u2800\ufffc]/gu;

/**
 * A text as it is drawn: what is said of it, composed (NFC), without what draws nothing. A mark that
 * has no base stands on a dotted circle; what has no form is U+FFFD. Characters that no font of ours
 * has remain; they are drawn as a box.
 */
export function drawn(text: string): string {
  const plain = said(text);
  if (SIMPLE.test(plain)) return plain;
  // The list of all emoji is long, and few texts have anything to be left out.
  const visible = /\p{Default_Ignorable_Code_Point}/u.test(plain)
    ? tidy(plain.replace(IGNORABLE, "$1"))
    : plain;
  return visible.normalize("NFC")
    .replace(FORMLESS, "\ufffd")
    .replace(/(?<=^| )(?=\p{M})/gu, "\u25cc");
}

let graphemes: Intl.Segmenter | null = null;

/** The characters of a text as people count them (grapheme clusters). */
export function charactersOf(text: string): string[] {
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/**
 * `text` of at most `limit` characters, the last an ellipsis where some were cut off. Characters are
 * kept whole; one with more than 32 code points is cut off too, and what follows it.
 */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  // Longer than any text that fits: the rest needs no look.
  const characters = charactersOf(text.slice(0, 2 * MAX_CODE_POINTS + 2 * MAX_CLUSTER));
  let codePoints = 0;
  const fits = characters.findIndex((character) => {
    const size = [...character].length;
    codePoints += size;
    return size > MAX_CLUSTER || codePoints > MAX_CODE_POINTS;
  });
  const whole = fits === -1 ? characters : characters.slice(0, fits);
  if (whole.length <= limit && whole.join("") === text) return text;
  return `${whole.slice(0, limit - 1).join("").trimEnd()}…`;
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
