/**
 * Scoring of hostile responses, at a quarter and at the whole of the longest response. Linear time
 * shows as a factor of about four between the two.
 */
import { rng } from "../lib/suites/rng.ts";
import { scoreAnswer } from "../lib/suites/scoring.ts";

const hostile: Record<string, { format: string; build: (n: number) => string }> = {
  "integer, zeros": { format: "integer", build: (n) => "0".repeat(n - 1) + "7" },
  "integer, spaces before a colon": {
    format: "integer",
    build: (n) => "answer" + " ".repeat(n - 8) + "x7",
  },
  "integer, fences": { format: "integer", build: (n) => "```x1\n".repeat(n / 8) + "```" },
  "grid, spaces": { format: "grid", build: (n) => "1" + " ".repeat(n - 2) + "2" },
  "grid, line feeds": { format: "grid", build: (n) => "1" + "\n".repeat(n - 2) + "2" },
  "grid, slashes": { format: "grid", build: (n) => "1" + "/".repeat(n - 2) + "2" },
  "grid, one long row": { format: "grid", build: (n) => "1 ".repeat(n / 2) },
  "bits, nearly right": { format: "bits", build: (n) => "01".repeat(n / 2 - 1) + "2" },
  "tokens, separators": { format: "tokens", build: (n) => "A" + ", ".repeat(n / 2 - 1) + "B" },
  "assignments, spaces": {
    format: "assignments",
    build: (n) => "a=knave" + " ".repeat(n - 8) + "b",
  },
  "assignments, equals signs": { format: "assignments", build: (n) => "= ".repeat(n / 2) },
  "text, spaces": { format: "text", build: (n) => "a" + " ".repeat(n - 2) + "b" },
};

const expected: Record<string, string> = {
  integer: "7",
  grid: "1 2",
  bits: "01",
  tokens: "A B",
  assignments: "a=knave",
  text: "a b",
};

for (const [name, { format, build }] of Object.entries(hostile)) {
  for (const size of [16384, 65536]) {
    const response = build(size);
    const answer = expected[format] ?? "";
    Deno.bench(`${name}, ${size} units`, { group: name }, () => {
      scoreAnswer(answer, response, format);
    });
  }
}

Deno.bench("integer, a usual response", () => {
  scoreAnswer("34", "Working.\nAnswer: **34**", "integer");
});

const DRAWS = 100_000;

Deno.bench(`rng: ${DRAWS} raw draws`, { group: "rng" }, () => {
  const stream = rng(1);
  for (let i = 0; i < DRAWS; i++) stream.next();
});

Deno.bench(`rng: ${DRAWS} draws of int`, { group: "rng" }, () => {
  const stream = rng(1);
  for (let i = 0; i < DRAWS; i++) stream.int(10);
});
