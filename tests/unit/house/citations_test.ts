/**
 * Every citation in a comment can be opened: its page is in `docs/`, and the section that it names is
 * a heading there.
 */
import assert from "node:assert/strict";
import { sourceFiles } from "../../support/sources.ts";

const ROOT = new URL("../../../", import.meta.url);

/** Pages by the name that citations of sections use: `protocols spec 7.3`. */
const PAGES: Readonly<Record<string, string>> = {
  protocols: "docs/specification/protocols.md",
  runs: "docs/specification/runs.md",
  scoring: "docs/specification/rng-and-scoring.md",
  rng: "docs/specification/rng-and-scoring.md",
  "algal-expr": "docs/specification/algal-expr.md",
};

const SECTION = String.raw`\d+(?:\.\d+)?`;
const CITED = new RegExp(
  String.raw`\b(${
    Object.keys(PAGES).join("|")
  }) spec,?\s+(${SECTION}(?:(?:,| and| to)\s+${SECTION})*)`,
  "g",
);
const DOCUMENT = /\bdocs\/[\w./-]+\.(?:md|json)(?:,\s+"([^"]+)")?/g;
/** Names that citations had before the pages were in the repository, and sections without a page. */
const ORPHAN =
  /\bdesign\.md|\bfacts\.md|(?<!docs\/)(?<!\w)spec\/(?:suites|phrases|runs|rng|protocols)|(?<!(?:protocols|runs|scoring|rng|algal-expr) )\b[Ss]pec \d/g;

/** Comments without the stars of their lines, so that a citation may be broken over two. */
function commentsOf(text: string): string {
  const comments = text.match(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g) ?? [];
  return comments.join("\n").replace(/\n\s*\*\s?/g, " ").replace(/\n\s*\/\/\s?/g, " ");
}

const sections = new Map<string, Set<string>>();

/** The numbers and the texts of a page's headings. */
function headingsOf(page: string): Set<string> {
  const known = sections.get(page);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const [, heading] of Deno.readTextFileSync(new URL(page, ROOT)).matchAll(/^#+ (.+)$/gm)) {
    found.add(heading!.trim());
    const number = /^\d+(?:\.\d+)?/.exec(heading!);
    if (number !== null) found.add(number[0]);
  }
  sections.set(page, found);
  return found;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(new URL(path, ROOT)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("every cited section and page exists", () => {
  let cited = 0;
  const faults: string[] = [];
  for (const { path, text } of sourceFiles()) {
    const comments = commentsOf(text);
    for (const [whole, page, numbers] of comments.matchAll(CITED)) {
      cited++;
      for (const [number] of numbers!.matchAll(/\d+(?:\.\d+)?/g)) {
        if (!headingsOf(PAGES[page!]!).has(number)) faults.push(`${path}: ${whole}`);
      }
    }
    for (const [whole, heading] of comments.matchAll(DOCUMENT)) {
      cited++;
      const page = /docs\/[\w./-]+\.(?:md|json)/.exec(whole)![0];
      if (!isFile(page)) faults.push(`${path}: ${whole}`);
      else if (heading !== undefined && !headingsOf(page).has(heading)) {
        faults.push(`${path}: ${whole}`);
      }
    }
    for (const [whole] of comments.matchAll(ORPHAN)) faults.push(`${path}: ${whole} (no page)`);
  }
  assert.deepEqual(faults, []);
  assert.ok(cited > 150, `only ${cited} citations were found`);
});
