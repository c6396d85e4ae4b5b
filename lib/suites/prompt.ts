/**
 * Prompts as parts, and phrase pins.
 *
 * A generator yields its prompt as a list of parts: text that it computed, or a phrase named by id.
 * A phrase is pinned by its length and hash, so that a check needs no copy of its text
 * (docs/architecture.md, "Prompt pins").
 */
import { sha256Hex } from "../encoding/digest.ts";

/** A piece of a prompt: computed text, or a phrase by its id. */
export type Part = { readonly text: string } | { readonly phrase: string };

/** Length in UTF-16 code units, and SHA-256 (hex) of the UTF-8 bytes, of a phrase's text. */
interface PhrasePin {
  readonly chars: number;
  readonly sha256: string;
}

export type PhrasePins = Readonly<Record<string, PhrasePin>>;

/**
 * Texts that have matched their pin once. A text equal to one of these needs no second hash; a pin
 * admits only one text (up to SHA-256 collisions), so there is at most one entry a phrase.
 */
const seen = new Map<string, string>();

/**
 * Whether `prompt` is exactly the prompt that `parts` describe: computed parts equal, phrases of the
 * pinned length and hash, nothing left over. Walks the prompt once.
 *
 * @throws {Error} if a part names a phrase that has no pin: a fault of the generator, not of the prompt.
 */
export function matchesPrompt(prompt: string, parts: readonly Part[], pins: PhrasePins): boolean {
  let at = 0;
  for (const part of parts) {
    if ("text" in part) {
      if (!prompt.startsWith(part.text, at)) return false;
      at += part.text.length;
    } else {
      const pin = pinOf(part.phrase, pins);
      const text = prompt.slice(at, at + pin.chars);
      if (!isPhrase(text, pin)) return false;
      at += pin.chars;
    }
  }
  return at === prompt.length;
}

/** Whether `text` is the phrase that `pin` pins. */
export function isPhrase(text: string, pin: PhrasePin): boolean {
  if (text.length !== pin.chars) return false;
  if (seen.get(pin.sha256) === text) return true;
  // A lone surrogate would be hashed as U+FFFD, and so stand in for it.
  if (!text.isWellFormed() || sha256Hex(text) !== pin.sha256) return false;
  seen.set(pin.sha256, text);
  return true;
}

/**
 * The prompt as text, for suites whose phrases we have (the house suite).
 *
 * @throws {Error} if a phrase's text is not among `texts`.
 */
export function renderPrompt(
  parts: readonly Part[],
  texts: Readonly<Record<string, string>>,
): string {
  return parts.map((part) => {
    if ("text" in part) return part.text;
    const text = Object.hasOwn(texts, part.phrase) ? texts[part.phrase] : undefined;
    if (text === undefined) throw new Error(`the text of phrase ${part.phrase} is not at hand`);
    return text;
  }).join("");
}

function pinOf(id: string, pins: PhrasePins): PhrasePin {
  const pin = Object.hasOwn(pins, id) ? pins[id] : undefined;
  if (pin === undefined) throw new Error(`phrase ${id} has no pin`);
  return pin;
}
