/** URLs of this service, answered without connecting to anything. */
import { isHex64 } from "../../lib/encoding/hex.ts";
import { FORMATS } from "../../lib/badge/render.ts";
import { isMarked, patternOf, ROUTES } from "../table.ts";

/** Paths that are about one document, each with its one group. */
const DOCUMENTS = ROUTES.filter((route) => isMarked(route, "document"))
  .map(([, path]) => ({ pattern: patternOf(path), isFile: path.endsWith(":file") }));

/** `.svg`, `.png`, `.json` at the end of a badge's file name. */
const EXTENSION = new RegExp(`\\.(?:${FORMATS.join("|")})$`);

/**
 * The id of the stored document that a URL of this service is about, or null: then the URL is about
 * none, and above all it isn't asked for, since a URL that verifies a URL could lead in a circle.
 *
 * @param path the service's own, put before all of its addresses; mostly empty.
 */
export function ownDocument(url: URL, path: string): string | null {
  const within = url.pathname.startsWith(`${path}/`) ? url.pathname.slice(path.length) : null;
  if (within === null) return null;
  for (const { pattern, isFile } of DOCUMENTS) {
    const name = pattern.exec(within)?.[1];
    if (name === undefined || isFile && !EXTENSION.test(name)) continue;
    const id = isFile ? name.replace(EXTENSION, "") : name;
    if (isHex64(id)) return id;
  }
  return null;
}
