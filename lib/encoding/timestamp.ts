/** Timestamps of the protocols. Source: protocols spec 1.5. */

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/**
 * Milliseconds since 1970-01-01T00:00:00Z, or null when `text` isn't exactly
 * `YYYY-MM-DDTHH:MM:SS[.fraction]Z` with a real calendar date (proleptic Gregorian, years 0000 to
 * 9999), hours 00 to 23, no leap second, and 1 to 9 fractional digits, which are truncated to
 * milliseconds. Never throws.
 *
 * Not `Date.parse`: that takes many other forms, and yields NaN for what it can't read, against
 * which every "is it late?" comparison is false.
 */
export function parseTimestamp(text: string): number | null {
  if (!FORM.test(text)) return null;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  if (hour > 23 || minute > 59 || second > 59) return null;
  const fraction = text.length > 20 ? text.slice(20, -1).slice(0, 3).padEnd(3, "0") : "0";

  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + Number(fraction);
}

/** The number that `count` digits at `start` spell. */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at++) value = value * 10 + text.charCodeAt(at) - 0x30;
  return value;
}
