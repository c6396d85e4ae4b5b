/**
 * Reading JSON that strangers wrote. Source: protocols spec 13, 14 (no. 2 and 3), 20.
 */

/**
 * Members and elements allowed in one text. A genuine document has a few thousand; hundreds of
 * thousands would only cost memory.
 */
export const MAX_MEMBERS = 250_000;

/** Nesting depth allowed at each parsing step; the outermost container counts as 1. */
export const MAX_DEPTH = 64;

/** What {@link parseJson} made of a text. */
type ParsedJson =
  | { ok: true; value: unknown }
  | { ok: false; code: "not-json" | "too-deep" | "too-many-members" };

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The text that `bytes` encode, or null when they aren't UTF-8. A byte order mark stays in the
 * text, where {@link parseJson} refuses it: dropping it would give one text two byte forms.
 */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Parses `text` if it nests at most `maxDepth` containers and has at most {@link MAX_MEMBERS}
 * members, never throws.
 *
 * Both are measured on the text, in one pass, before anything is built from it: whatever walks the
 * value later may recurse. A text that is also not JSON gets either code. As in
 * JavaScript: the last of duplicate members wins, numbers are binary64, `__proto__` is an own
 * member, white space around is allowed, a byte order mark is not.
 */
export function parseJson(text: string, maxDepth: number = MAX_DEPTH): ParsedJson {
  const excess = excessOf(text, maxDepth);
  if (excess !== null) return { ok: false, code: excess };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, code: "not-json" };
  }
}

/** Where a text stops being JSON: line and column, both from 1. */
export interface JsonEnd {
  line: number;
  column: number;
  /** The text ends before its value does: it was cut off. */
  atEnd: boolean;
  /** A value is complete there, and more follows. */
  isWhole: boolean;
}

/** What may stand next in a JSON text, each matched at a place. */
const BLANKS = /[ \t\n\r]*/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// deno-lint-ignore no-control-regex
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Where a text that {@link parseJson} calls `not-json` stops being JSON; null when it is JSON. The
 * runtime's own parser doesn't always tell. For messages only: it costs several times the parsing.
 */
export function whereJsonEnds(text: string): JsonEnd | null {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return false;
    at += found[0].length;
    return true;
  };
  const backTo = (start: number): false => {
    at = start;
    return false;
  };
  const take = (char: string): boolean => {
    skip(BLANKS);
    if (text[at] !== char) return false;
    at++;
    return true;
  };
  // One pattern for a whole text would need as much stack as the text is long.
  const string = (): boolean => {
    const start = at;
    if (text[at++] !== '"') return backTo(start);
    do skip(PLAIN); while (skip(ESCAPE));
    return text[at++] === '"' || backTo(start);
  };
  const items = (close: string, item: () => boolean): boolean => {
    if (take(close)) return true;
    do {
      if (!item()) return false;
    } while (take(","));
    return take(close);
  };
  const value = (): boolean => {
    if (take("[")) return items("]", value);
    if (take("{")) return items("}", member);
    return string() || skip(WORD);
  };
  const member = (): boolean => {
    skip(BLANKS);
    return string() && take(":") && value();
  };
  const isWhole = value();
  skip(BLANKS);
  if (isWhole && at === text.length) return null;
  const before = text.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  // A string that was cut off ends nowhere: only what follows it could close it.
  const atEnd = at === text.length || text[at] === '"' && !text.slice(at + 1).includes('"');
  return { line: before.split("\n").length, column: at - start + 1, atEnd, isWhole };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

/** Which limit the text exceeds, if any. */
function excessOf(text: string, maxDepth: number): "too-deep" | "too-many-members" | null {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > maxDepth) return "too-deep";
        break;
      case COMMA:
        if (++members > MAX_MEMBERS) return "too-many-members";
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      case QUOTE:
        i = endOfString(text, i);
        if (i < 0) return null; // never closed: the parser will refuse it
        break;
    }
  }
  return null;
}

/** Index of the quote that closes the string opened at `start`, or -1. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
  } while (end >= 0 && isEscaped(text, end));
  return end;
}

/** Whether an odd number of backslashes stands before `index`; the opening quote ends the count. */
function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text.charCodeAt(start - 1) === BACKSLASH) start--;
  return (index - start) % 2 === 1;
}

declare const VALUE: unique symbol;

/** JSON text that this service made of a `T` itself: what it holds needn't be checked again. */
export type JsonText<T> = string & { readonly [VALUE]: T };

/** Writes a value as JSON text that remembers what it holds. */
export function toJsonText<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>;
}

/** Reads what {@link toJsonText} wrote; never for a text that came from outside. */
export function fromJsonText<T>(text: JsonText<T>): T {
  return JSON.parse(text);
}
