/** Addresses of badges, as they are written: badges come whatever is wrong with them. */
import { type Format, FORMATS } from "../../lib/badge/render.ts";

/** Path and query of a URL, as they were written. */
export function addressOf(url: string): string {
  return url.slice(url.indexOf("/", "https://".length));
}

/** Whether a badge is asked for by its result's id. */
export function isOfResult(address: string): boolean {
  return address.startsWith("/badge/") && !address.startsWith("/badge/session/");
}

/**
 * The query within {@link addressOf}, without its question mark. Not by `URL`: a Host header that
 * names no host leaves an address that is none. Nor of the whole address: a Host header may hold a
 * query of its own, and a badge drawn for that would be at hand for everybody.
 */
export function queryOf(url: string): string {
  const address = addressOf(url);
  const at = address.indexOf("?");
  return at < 0 ? "" : address.slice(at + 1);
}

/** What the last part of an address names. */
export interface Named {
  name: string;
  format: Format;
  /** Whether there is an extension, and not that of a format. */
  otherFormat: boolean;
}

/** Reads `name.svg` at an address's end; without an extension, or with another one, the SVG is meant. */
export function namedIn(url: string): Named {
  const file = lastPart(url);
  const dot = file.lastIndexOf(".");
  if (dot < 0) return { name: file, format: "svg", otherFormat: false };
  const extension = file.slice(dot + 1).toLowerCase();
  const format = FORMATS.find((known) => known === extension);
  return { name: file.slice(0, dot), format: format ?? "svg", otherFormat: format === undefined };
}

/** The last part of an address's path, decoded where it can be. */
function lastPart(url: string): string {
  const path = addressOf(url).split(/[?#]/, 1)[0]!.replace(/\/+$/, "");
  const part = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
