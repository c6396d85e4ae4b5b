/**
 * Which characters look alike: Unicode's confusables (UTS #39), as the package `unhomoglyph` has
 * them, with what its table lacks. Loaded when a label is to be read, never at start.
 */
import { once } from "../async/once.ts";

/** What each character looks like; a character that isn't in it looks like itself. */
export type Confusables = Readonly<Record<string, string>>;

/** Loads the table, about 6,300 characters. */
export const loadConfusables = once(async (): Promise<Confusables> => {
  const { default: table } = await import("unhomoglyph/data.json", { with: { type: "json" } });
  return table as Confusables;
});

/** Small capitals and letters in frames, in the order of the alphabet; NFKC leaves them as they are. */
const SMALL_CAPITALS = [..."ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ\0ʏᴢ"];
const FRAMED = [0x1f150, 0x1f170, 0x1f1e6];

function letterOf(character: string): string | undefined {
  const small = SMALL_CAPITALS.indexOf(character);
  const code = character.codePointAt(0) ?? 0;
  const start = FRAMED.find((start) => code >= start && code < start + 26);
  const index = start === undefined ? small : code - start;
  return index < 0 ? undefined : String.fromCharCode(0x61 + index);
}

/** NFKC without marks and without what draws nothing. */
function compatible(text: string): string {
  return text.normalize("NFKC").normalize("NFD")
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "");
}

const ASCII = /^[!-~]+$/;

/**
 * What a character looks like, in ASCII where that can be told. NFKC first: Unicode's table takes a
 * full-width I for an l. But NFKC makes another letter of a Greek ϲ, which only looks like a c; and
 * the table has nothing for a Cyrillic к, but a K for its capital.
 */
function looksOf(character: string, table: Confusables): string {
  const letter = letterOf(character);
  if (letter !== undefined) return letter;
  const plain = compatible(character);
  if (ASCII.test(plain)) return plain;
  const parts = [...plain];
  if (parts.length > 1) return parts.map((part) => looksOf(part, table)).join("");
  const forms = [character, plain, character.toUpperCase(), character.toLowerCase()];
  const looks = forms.map((form) => compatible(table[form] ?? ""));
  return looks.find((look) => ASCII.test(look)) ?? (looks[1] || plain);
}

/**
 * What a text looks like, in lower case: texts that look alike have one skeleton.
 *
 * @param table see {@link loadConfusables}.
 */
export function skeletonOf(text: string, table: Confusables): string {
  const looks = [...text].map((character) =>
    character <= "~" ? character : looksOf(character, table)
  );
  // Twice, as what a character looks like may have another case, and marks.
  return compatible(compatible(looks.join("")).toLowerCase());
}

/**
 * A skeleton in which ASCII characters are taken for each other too: I, i, 1 and | for l, 0 for o,
 * rn for m.
 */
export function shapesOf(skeleton: string, table: Confusables): string {
  return [...skeleton].map((letter) => table[letter] ?? letter).join("").toLowerCase()
    .replaceAll("i", "l");
}
