/** @jsxImportSource satori/jsx */
/** A text in the fonts that its characters need. */
import type { Element } from "../drawing.ts";
import { type Setting, settingOf } from "../scripts.ts";
import { drawn } from "../text.ts";

interface Written {
  style: { fontFamily: string; lineHeight: number; fontSynthesis: "none" };
  children: string | Element[];
}

/**
 * The properties of an element that shows a text.
 *
 * @param line height of its line, relative to the font size.
 * @param loud in capitals.
 */
export function written(text: string, line: number, loud = false): Written {
  const shown = drawn(text);
  const { fonts, leading, runs } = settingOf(loud ? shown.toUpperCase() : shown);
  const [first] = runs;
  return {
    style: { fontFamily: fonts.join(", "), lineHeight: line + leading, fontSynthesis: "none" },
    children: first !== undefined && runs.length === 1 && first.font === fonts[0]
      ? first.text
      : runs.map(part),
  };
}

/** A part has no height of its own, so that it stands on the line of the whole. */
function part({ text, font }: Setting["runs"][number]): Element {
  return <span style={{ fontFamily: font, lineHeight: 0 }}>{text}</span>;
}
