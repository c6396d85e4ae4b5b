import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { canonicalAnswer, extractFinalAnswer, scoreAnswer } from "../../lib/suites/scoring.ts";

// A plain reading of scoring spec 3 to 5, by other means than the code under
// test: explicit character sets, big integers, and whole-text patterns that may be slow.

const SPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008" +
  "\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
const isSpace = (char: string | undefined) => char !== undefined && SPACE.includes(char);

function trim(text: string): string {
  const chars = text.split("");
  while (isSpace(chars[0])) chars.shift();
  while (isSpace(chars.at(-1))) chars.pop();
  return chars.join("");
}

const lineFeeds = (text: string) => text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");

function plainCanonical(answer: string, format: string): string | null {
  const controls = answer.split("").some((char) => {
    const code = char.charCodeAt(0);
    return code <= 8 || code === 11 || code === 12 || (code >= 14 && code <= 31) || code === 127;
  });
  const t = trim(answer);
  if (controls || t === "") return null;
  if (format === "integer") {
    const digits = /^[+-]/.test(t) ? t.slice(1) : t;
    if (!/^[0-9]+$/.test(digits)) return null;
    return String(t.startsWith("-") ? -BigInt(digits) : BigInt(digits));
  }
  if (format === "bits") return /^(0|1)+$/.test(t) ? t : null;
  if (format === "tokens") {
    if (!new RegExp(`^[a-zA-Z]([${SPACE},]+[a-zA-Z])*$`).test(t)) return null;
    return t.split("").filter((char) => /[a-zA-Z]/.test(char)).join(" ").toUpperCase();
  }
  if (format === "assignments") {
    const lower = t.split("").map((c) => /[A-Z\u212a]/.test(c) ? c.toLowerCase() : c).join("");
    const compact = lower.replace(new RegExp(`[${SPACE}]*=[${SPACE}]*`, "g"), "=");
    const item = "[a-z]=(?:knight|knave)";
    if (!new RegExp(`^${item}(?:[${SPACE},]+${item})*$`).test(compact)) return null;
    const items = compact.match(new RegExp(item, "g")) ?? [];
    const repeated = items.some((one, i) => items.findIndex((o) => o[0] === one[0]) < i);
    return repeated ? null : items.join(" ");
  }
  if (format === "grid") {
    const rows = lineFeeds(t).split(new RegExp(`[${SPACE}]*/[${SPACE}]*|\n`)).map(trim);
    if (!rows.every((row) => /^[0-9](?:[ \t]+[0-9])*$/.test(row))) return null;
    const cells = rows.map((row) => row.split("").filter((char) => /[0-9]/.test(char)));
    if (new Set(cells.map((row) => row.length)).size !== 1) return null;
    const texts = cells.map((row) => `[${row.map((digit) => `"${digit}"`).join(",")}]`);
    return `[${texts.join(",")}]`;
  }
  if (format !== "text") return null;
  let out = "";
  for (const char of t.split("")) {
    if (!isSpace(char)) out += char;
    else if (!out.endsWith(" ")) out += " ";
  }
  return out;
}

function plainExtract(response: string, format: string): string {
  const lines = lineFeeds(trim(response)).split("\n");
  const last = trim(lines.at(-1) ?? "");
  if (last === "```") {
    const body = lines.slice(0, -1);
    const open = body.map(trim).findLastIndex((line) =>
      line.startsWith("```") && line.slice(3).split("").every((char) => /[A-Za-z]/.test(char))
    );
    return open < 0 ? "" : trim(body.slice(open + 1).join("\n"));
  }
  if (format === "grid") {
    const stop = lines.findLastIndex((line) =>
      line === "" || line.split("").some((char) => !"0123456789 \t/".includes(char))
    );
    return lines.slice(stop + 1).join("\n");
  }
  let text = last;
  for (const word of ["final answer", "answer"]) {
    if (text.slice(0, word.length).replace(/[A-Z]/g, (c) => c.toLowerCase()) !== word) continue;
    const rest = trim(text.slice(word.length));
    // A colon at once, or after white space; what follows it is trimmed on the left only, but the
    // line has no white space at its end anyway.
    if (rest.startsWith(":")) text = trim(rest.slice(1));
    break;
  }
  const between = text.slice(2, -2);
  const bold = text.length >= 5 && text.slice(0, 2) === "**" && text.slice(-2) === "**";
  if (bold && !between.includes("\u2028") && !between.includes("\u2029")) text = between;
  const pieces = text.split("`");
  const [before, code, after] = pieces;
  return pieces.length === 3 && before === "" && after === "" && code ? code : text;
}

const FORMATS = ["integer", "grid", "bits", "tokens", "assignments", "text"] as const;

const SPECIAL = [
  "\u0085",
  "\u180e",
  "\u200b",
  "\u2060",
  "\u212a",
  "\u017f",
  "\u0130",
  "\u0661",
  "\uff11",
  "\u0007",
  "\u007f",
  "\ud83d",
  "\u{1d7d9}",
];
const GLUE = [...SPACE.split(""), "\r\n", "\n\n", " ", "  ", ","];
const MARKUP = ["```", "```\n", "\n```", "```text\n", "`", "**", "*", "Answer:", "FINAL answer :"];
const PIECES: Record<typeof FORMATS[number], string[]> = {
  integer: ["0", "00", "7", "12", "+", "-", ".", "9007199254740993"],
  grid: ["1", "2 3", "4", "1 2", "3\t4", "/", " / ", "\n/\n", "\n"],
  bits: ["0", "1", "01", "2"],
  tokens: ["A", "b", "C", "AB", ",", " "],
  assignments: ["a=knight", "B = Knave", "C=KNAVE", "=", "a", "knight", "\u212a=\u212anave", " "],
  text: ["tulip", "7", "+7", "a", "\u00e9"],
};

/** Responses that are often, but not always, near a right answer of the format. */
function responses(format: typeof FORMATS[number]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...PIECES[format]) },
    { weight: 4, arbitrary: fc.constantFrom(" ", "\n", ...GLUE) },
    { weight: 1, arbitrary: fc.constantFrom(...MARKUP) },
    { weight: 1, arbitrary: fc.constantFrom(...SPECIAL) },
  );
  const free = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const glue = fc.constantFrom(" ", " ", "\n", ", ", "/", "\t");
  const neat = fc.array(fc.tuple(fc.constantFrom(...PIECES[format]), glue), { maxLength: 6 })
    .map((items) => items.flat().slice(0, -1).join(""));
  const wrap = fc.constantFrom("", "", "so\n", "Answer: ", "final answer:", "**", "`", "```\n");
  return fc.oneof(free, neat, fc.tuple(wrap, neat, wrap).map((parts) => parts.join("")));
}

const RUNS = { numRuns: 3000 };

for (const format of FORMATS) {
  Deno.test(`scoring: ${format} answers equal a plain reading of the specification`, () => {
    fc.assert(
      fc.property(responses(format), responses(format), (expected, response) => {
        assert.equal(canonicalAnswer(response, format), plainCanonical(response, format));
        const extracted = plainExtract(response, format);
        assert.equal(extractFinalAnswer(response, format), extracted);
        const want = plainCanonical(expected, format);
        const pass = want !== null && want === plainCanonical(response, format);
        const final = want !== null && want === plainCanonical(extracted, format);
        assert.deepEqual(scoreAnswer(expected, response, format), {
          pass,
          finalAnswerMatch: pass || final,
          formatOnly: !pass && final,
        });
      }),
      RUNS,
    );
  });

  Deno.test(`scoring: a canonical ${format} answer stands for itself`, () => {
    fc.assert(
      fc.property(responses(format), (answer) => {
        const canonical = canonicalAnswer(answer, format);
        fc.pre(canonical !== null);
        // A grid's canonical form is JSON; written out as rows it is an answer again.
        const written = format === "grid"
          ? (JSON.parse(canonical) as string[][]).map((row) => row.join(" ")).join(" / ")
          : canonical;
        assert.equal(canonicalAnswer(written, format), canonical);
        assert.equal(scoreAnswer(answer, written, format).pass, true);
        // A text may itself look like a prefix or a decoration, which would be taken off.
        const final = scoreAnswer(answer, `Thus:\n${written}`, format).finalAnswerMatch;
        assert(final || format === "text");
      }),
      RUNS,
    );
  });
}

Deno.test("scoring: any string gets a result in any format", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(fc.property(text, text, fc.constantFrom(...FORMATS, "other"), (a, b, format) => {
    const { pass, finalAnswerMatch, formatOnly } = scoreAnswer(a, b, format);
    assert.equal(formatOnly, finalAnswerMatch && !pass);
    assert(finalAnswerMatch || !pass);
  }));
});
