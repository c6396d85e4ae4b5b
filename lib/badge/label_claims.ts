/**
 * Labels are anybody's text, and a badge is read as one sentence: a label must not say who signed,
 * nor how it went. What a label reads like is found once; whether a badge may have it depends on
 * what the badge is of.
 */
import { type Confusables, loadConfusables, shapesOf, skeletonOf } from "./confusables.ts";
import { said, saidLabel } from "./text.ts";

/** What only the result itself says. */
const CLAIMS = {
  outcome: "an outcome, and only the message says that",
  count: "a count, and only the message says that",
  domain: "a domain, and would be taken for who signed",
} as const;

export type Claim = keyof typeof CLAIMS;

/** A label that somebody asked for, and what it reads like. Plain data. */
export interface AskedLabel {
  /** As it is said, of at most 40 characters. */
  text: string;
  /** Names that it has in it, or something that looks like them. */
  names: readonly string[];
  claims: readonly Claim[];
}

export interface LabelGround {
  /** The label that stands where none is asked for. */
  own: string;
  /** Names that belong to what the badge is of: its suite's and its issuer's, its issuer's domain. */
  mine: readonly string[];
}

interface AllowedLabel {
  label: string;
  /** A sentence for the title; null: the label is the one asked for, or none was. */
  refused: string | null;
}

/** Words of the outcomes, wherever they stand in a label; none is part of a usual word. */
const OUTCOMES = [
  "verified",
  "invalid",
  "passed",
  "failed",
  "replayed",
  "accepted",
  "unanswered",
  "unreachable",
  "issuer-claimed",
  "self-reported",
  "not found",
  "not finished",
  "not a receipt",
  "pool contradicts",
  "unknown issuer",
  "unknown suite",
  "unknown protocol",
  "issuer revoked",
  "sample key",
];

/** Words that are part of others (passport, failover, validator): only by themselves. */
const SHORT_OUTCOMES = ["pass", "passes", "fail", "fails", "valid", "checking"];

/** Shorter names stand in other words by chance, so they count as whole words only. */
const LEAST_INSIDE = 5;

/** Shorter texts are other words by their shapes: fall and fail. */
const LEAST_SHAPE = 6;

/** Two numbers, or what can pass for one beside a number. */
const RATIO = /(?<![\p{L}\p{N}])[\p{N}oil|]+\s*[/\\|]\s*[\p{N}oil|]+/gu;

const COUNTS = [
  /\p{N}\s*[/\\]\s*\p{N}/u,
  /(?<![\p{L}\p{N}])\p{N}+\s+(?:out\s+)?of\s+\p{N}/u,
  /\p{N}\s*(?:[%٪‰‱؉؊]|per\s?cent|pct)/u,
  /💯/u,
];

/** Something with the form of a host name: no blank, and a last part of letters. */
const DOMAIN =
  /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\s*(?:\.[\p{L}\p{N}-]+)*\.(xn--[a-z0-9-]+|\p{L}{2,})(?![\p{L}\p{N}])/gu;

/** Endings of files and products that are no top-level domains. */
const FILES = new Set(["js", "ts", "mjs", "json", "yaml", "yml", "toml", "txt", "exe", "wasm"]);

/**
 * Finds out what a label reads like; undefined where it is blank or draws nothing. The first call
 * loads the table of look-alikes.
 *
 * @param names those that stand for somebody: our own labels, known issuers.
 */
export async function readLabel(
  label: string,
  names: readonly string[],
): Promise<AskedLabel | undefined> {
  const text = saidLabel(label);
  if (!/[^ \p{Default_Ignorable_Code_Point}]/u.test(text)) return undefined;
  const reader = new Reader(text, await loadConfusables());
  const claims: Claim[] = [];
  if (OUTCOMES.some((word) => reader.has(word))) claims.push("outcome");
  else if (SHORT_OUTCOMES.some((word) => reader.hasWord(word))) claims.push("outcome");
  if (reader.hasCount()) claims.push("count");
  if (reader.hasDomain()) claims.push("domain");
  return { text, names: names.filter((name) => reader.has(name)), claims };
}

/**
 * The label that a badge gets: the one asked for, unless it says what isn't its to say. Names are
 * allowed where they belong to what the badge is of; so is the issuer's domain, alone.
 */
export function allowedLabel(
  asked: AskedLabel | undefined,
  { own, mine }: LabelGround,
): AllowedLabel {
  if (asked === undefined) return { label: own, refused: null };
  // A name that is part of a longer one, as ours of an issuer's, belongs where the longer one does.
  const belongs = (name: string) =>
    mine.some((known) =>
      known === name ||
      known.toLowerCase().includes(name.toLowerCase()) && asked.names.includes(known)
    );
  const foreign = asked.names.find((name) => !belongs(name));
  const isDomain = mine.some((known) => known === asked.text.toLowerCase());
  const claim = asked.claims.find((claim) => !(claim === "domain" && isDomain));
  if (foreign === undefined && claim === undefined) return { label: asked.text, refused: null };
  const like = foreign === undefined
    ? CLAIMS[claim!]
    : `the name ${said(foreign)}, which does not belong here`;
  return { label: own, refused: `The label asked for is not shown: it reads like ${like}.` };
}

/** A text, as its readers may take it. */
class Reader {
  readonly #table: Confusables;
  readonly #plain: string;
  /** With 0 for every digit: those of some scripts look like letters, or like a full stop. */
  readonly #signs: string;
  /** Letters and digits alone. */
  readonly #letters: string;
  /** The same by their shapes, with bars for letters and for what stands between them. */
  readonly #shapes: readonly string[];
  readonly #words: ReadonlySet<string>;

  constructor(text: string, table: Confusables) {
    this.#table = table;
    this.#plain = skeletonOf(text, table);
    const signs = text.normalize("NFKC").replace(/\p{N}/gu, "0").replaceAll("。", ".");
    this.#signs = skeletonOf(signs, table);
    this.#letters = squeezed(this.#plain);
    const barred = this.#plain.replace(/[^\p{L}\p{N}|]/gu, "");
    this.#shapes = [barred, this.#letters].map((letters) => shapesOf(letters, table));
    this.#words = wordsOf(this.#plain);
  }

  /** Whether a name or word stands in it, whatever stands between its letters. */
  has(name: string): boolean {
    const letters = squeezed(skeletonOf(name, this.#table));
    if (letters === "") return false;
    if (letters.length < LEAST_INSIDE) return this.hasWord(letters) || this.#letters === letters;
    if (this.#letters.includes(letters)) return true;
    if (letters.length < LEAST_SHAPE) return false;
    const shape = shapesOf(letters, this.#table);
    return this.#shapes.some((shapes) => shapes.includes(shape));
  }

  hasWord(word: string): boolean {
    return this.#words.has(word);
  }

  hasCount(): boolean {
    const ratios = this.#signs.match(RATIO) ?? [];
    return ratios.some((ratio) => /\p{N}/u.test(ratio)) ||
      COUNTS.some((count) => count.test(this.#signs));
  }

  hasDomain(): boolean {
    return [...this.#signs.matchAll(DOMAIN)].some(([, last = ""]) => !FILES.has(last));
  }
}

function squeezed(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

/** The words of a text; letters that stand alone are a word together: `p a s s`. */
function wordsOf(text: string): Set<string> {
  const parts = text.split(/[^\p{L}\p{N}]+/u);
  const spelt = text.match(
    /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[^\p{L}\p{N}]+[\p{L}\p{N}](?![\p{L}\p{N}]))+/gu,
  );
  return new Set([...parts, ...(spelt ?? []).map(squeezed)]);
}
