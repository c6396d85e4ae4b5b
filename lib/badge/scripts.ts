/** Which fonts a text needs, and which part of it is set in which. */
import { charactersOf, drawn } from "./text.ts";

/** The font of everything that no other one is for. */
export const BASE = "DejaVu Sans";

/** Ascent less descent of that font, both weights, in em. */
export const MIDDLE = 0.692;

interface Font {
  /** Found in the characters that the font is for. */
  of: RegExp;
  /** Of a right-to-left script: ascent less descent, in em. */
  turned?: number;
}

/** Fonts beside the usual one. */
const SCRIPTS = {
  "Noto Sans Arabic": { of: /\p{scx=Arab}/u, turned: 0.636 },
  "Noto Sans Hebrew": { of: /\p{scx=Hebr}/u, turned: 0.776 },
  "Noto Sans Devanagari": { of: /\p{scx=Deva}/u },
  "Noto Sans Thai": { of: /\p{scx=Thai}/u },
  // The usual font has the signs that aren't emoji unless a selector says so.
  "Noto Emoji": { of: /\p{Emoji_Presentation}|(?=[\u{1f000}-\u{1ffff}])\p{Emoji}|\ufe0f|\u20e3/u },
} as const satisfies Record<string, Font>;

export type Script = keyof typeof SCRIPTS;

const FONTS: Record<Script, Font> = SCRIPTS;
const NAMES = Object.keys(SCRIPTS) as Script[];

/** Texts that need the usual font only. */
const USUAL = /^[\0-\u052f\u2000-\u206f]*$/;

/** The fonts that texts need beside the usual one. */
export function scriptsOf(texts: readonly string[]): Script[] {
  const foreign = texts.filter((text) => !USUAL.test(text)).map(drawn);
  return NAMES.filter((name) => foreign.some((text) => FONTS[name].of.test(text)));
}

/** How a text is set. */
export interface Setting {
  /** Of the whole: the first that has a character draws it. */
  fonts: readonly string[];
  /** What the line height has to be changed by to leave the baseline where it is, in em. */
  leading: number;
  /** The parts in order, each with the font that goes before those of the whole. */
  runs: readonly { text: string; font: string }[];
}

/**
 * The setting of a text that is to be drawn. Blanks go with the usual font. A text with right-to-left
 * letters stays whole, as satori puts the letters of each part in order for itself.
 */
export function settingOf(text: string): Setting {
  const scripts = scriptsOf([text]);
  const [first] = scripts;
  if (first === undefined) return { fonts: [BASE], leading: 0, runs: [{ text, font: BASE }] };
  const { turned } = FONTS[first];
  if (turned === undefined) return { fonts: [BASE], leading: 0, runs: partsOf(text, scripts) };
  const fonts = scripts.filter((name) => FONTS[name].turned !== undefined);
  const others = scripts.filter((name) => FONTS[name].turned === undefined);
  return {
    fonts: [...fonts, BASE, ...others],
    leading: MIDDLE - turned,
    // A blank keeps to the font before it, and that of the emoji has very wide ones.
    runs: [{ text: others.length === 0 ? text : text.replaceAll(" ", "\u00a0"), font: first }],
  };
}

function partsOf(text: string, scripts: readonly Script[]): Setting["runs"] {
  const runs: { text: string; font: string }[] = [];
  for (const character of charactersOf(text)) {
    const font = scripts.find((name) => FONTS[name].of.test(character)) ?? BASE;
    const last = runs.at(-1);
    if (last?.font === font) last.text += character;
    else runs.push({ text: character, font });
  }
  return runs;
}
