/** Canonical JSON: the text that signatures and digests cover. Source: protocols spec 1.1. */

/** Canonical decimal spelling of an integer of at most ten digits. */
const INDEX_LIKE = /^(?:0|[1-9][0-9]{0,9})$/;
const MAX_INDEX = 4294967294;

/**
 * The canonical JSON of a value as `JSON.parse` yields it: members sorted by UTF-16 code units with
 * array-index keys first in numeric order, no white space, numbers and strings as JavaScript prints
 * them. `__proto__` and `toJSON` are ordinary keys. Of a value built in code, members that are
 * `undefined` are left out.
 *
 * Recurses: bound the depth first (`parseJson` does). Throws a TypeError for a value that JSON has
 * no text for (undefined, a function, a symbol, a bigint).
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    let text = "[";
    for (let i = 0; i < value.length; i++) {
      if (i > 0) text += ",";
      text += canonicalJson(value[i]);
    }
    return text + "]";
  }
  if (isObject(value)) {
    let text = "{";
    for (const key of Object.keys(value).sort(compareKeys)) {
      const member = value[key];
      if (member === undefined) continue;
      if (text.length > 1) text += ",";
      text += JSON.stringify(key) + ":" + canonicalJson(member);
    }
    return text + "}";
  }
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return JSON.stringify(value);
    case "object":
      return "null";
    default:
      throw new TypeError(`no JSON for a value of type ${typeof value}`);
  }
}

/**
 * Whether `text` is canonical, given `parsed`, which must be what `JSON.parse(text)` yielded.
 *
 * Equals `text === canonicalJson(parsed)` at a fraction of the cost: the native serialiser already
 * decides everything but the order of members, and checking an order is cheaper than making one.
 * Recurses: bound the depth first.
 */
export function isCanonicalJson(text: string, parsed: unknown): boolean {
  return JSON.stringify(parsed) === text && hasSortedMembers(parsed);
}

/**
 * Whether two values out of canonical JSON texts have the same canonical JSON, told without making
 * it. Recurses: bound the depth first.
 */
export function sameCanonical(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  return keys.length === others.length &&
    keys.every((key, i) => key === others[i] && sameCanonical(a[key], b[key]));
}

function hasSortedMembers(value: unknown): boolean {
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === "object" && !hasSortedMembers(item)) return false;
    }
    return true;
  }
  if (!isObject(value)) return true;
  let previous: string | undefined;
  for (const key of Object.keys(value)) {
    if (previous !== undefined && compareKeys(previous, key) > 0) return false;
    const member = value[key];
    if (typeof member === "object" && !hasSortedMembers(member)) return false;
    previous = key;
  }
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** protocols spec 1.1, rule 2: array indexes first, numerically; then by UTF-16 code units. */
function compareKeys(a: string, b: string): number {
  const aIsIndex = isIndex(a);
  const bIsIndex = isIndex(b);
  if (aIsIndex && bIsIndex) return Number(a) - Number(b);
  if (aIsIndex !== bIsIndex) return aIsIndex ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function isIndex(key: string): boolean {
  // Nearly every key starts with a letter: settle those without the regular expression.
  const first = key.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39)) return false;
  return INDEX_LIKE.test(key) && Number(key) <= MAX_INDEX;
}
