/**
 * What a badge says, as plain data that can be cloned to a worker. Its words are those of the
 * statement on a result (lib/words/); how it looks is up to the renderers (svg.ts, png.ts,
 * shields.ts), which add no words of their own. Source: docs/architecture.md, "Badge wording".
 */
import type { Requirement } from "../trust/acceptance.ts";
import { defaultLabel, LABELS } from "../words/label.ts";
import { type Standing, STANDINGS } from "../words/standing.ts";
import {
  type State,
  type Statement,
  statementOf,
  type StatementOptions,
  type Tone,
} from "../words/statement.ts";
import type { AskedAcceptance, Member, ResultSubject } from "../words/subject.ts";
import { isVouched, type Trust } from "../words/signer.ts";
import type { Card } from "./card_data.ts";
import { allowedLabel, type AskedLabel, type LabelGround, readLabel } from "./label_claims.ts";

export { OWN_LABELS } from "../words/label.ts";
export type { AskedLabel };
export type { Member, Requirement, Standing, Tone };

/** What a badge is made of: a report, or several documents together. */
export type BadgeSubject = ResultSubject;

/** Whether a result is what the embedder asked for. */
export type Acceptance = AskedAcceptance;

export interface Badge {
  /** Left side: whose suite it is, or what the embedder wants there. */
  label: string;
  /** Right side: the parts that stand on their own, in reading order. See {@link messageText}. */
  message: string[];
  tone: Tone;
  /** The state in one word, for programs. */
  state: State;
  /** Accessible title: full sentences, with the unreplayed total when it is not zero. */
  title: string;
  /** Receipts that rest on the issuer's word. Not zero: it is in `message` and `title` too. */
  unreplayed: number;
  /** True when the next request may well get another answer: such a badge must not be cached. */
  transient: boolean;
  /** What the style `card` draws besides; see `cardOf`. Without it a card has the title instead. */
  card?: Card;
}

/** The message as one line: `3/4 passed · 2 unreplayed`. */
export function messageText(badge: Pick<Badge, "message">): string {
  return badge.message.join(" · ");
}

/** Label and message as one line, for `aria-label` and `alt`: `clankdar: 3/4 passed`. */
export function badgeText(badge: Pick<Badge, "label" | "message">): string {
  return `${badge.label}: ${messageText(badge)}`;
}

export interface BadgeOptions extends StatementOptions {
  /** Replaces the label, unless it says what isn't its to say. See {@link askedLabel}. */
  label?: AskedLabel | undefined;
}

/**
 * Reads a label that somebody asks for; undefined where that is none. Nobody is taken for us, or for
 * an issuer of the registry. `receipt` isn't among the names, as it stands for nobody.
 */
export async function askedLabel(
  label: string | undefined,
  trust: Trust,
): Promise<AskedLabel | undefined> {
  if (label === undefined) return undefined;
  const names = [...trust.issuers.values()].map(({ name }) => name);
  return await readLabel(label, [LABELS.clankdar, LABELS.house, ...names]);
}

/** The badge of a result. Total: every subject yields a badge. */
export function badgeOf(subject: BadgeSubject, options: BadgeOptions = {}): Badge {
  return badgeSaying(statementOf(subject, options), subject, options.label);
}

/** The badge of a result on which the statement was made already. */
export function badgeSaying(
  { parts, tone, state, title, signers }: Statement,
  subject: BadgeSubject,
  asked?: AskedLabel,
): Badge {
  // Where several signed, a label with the name of one would speak for the others.
  const [signer] = signers;
  const name = signer !== undefined && signers.length === 1 && isVouched(signer) &&
      signer.standing === "known"
    ? [signer.name]
    : [];
  const own = defaultLabel(subject);
  return {
    ...labelled(asked, { own, mine: [own, ...name] }, title),
    message: parts,
    tone,
    state,
    unreplayed: subject.counts?.unreplayed ?? 0,
    transient: subject.outcome === null,
  };
}

/** What a badge without a result may say besides. */
interface StandingOptions {
  label?: AskedLabel | undefined;
  /** Further sentences for the title, such as the code of what went wrong. */
  notes?: readonly string[] | undefined;
}

/** The badge that stands where there is no result to show. */
export function standingBadge(
  standing: Standing,
  { label, notes = [] }: StandingOptions = {},
): Badge {
  const { title, ...rest } = STANDINGS[standing];
  const own = LABELS.neutral;
  return {
    message: [standing],
    ...rest,
    ...labelled(label, { own, mine: [own] }, [title, ...notes].join(" ")),
    unreplayed: 0,
  };
}

/** The label that a badge may have, and its title, which says why where that isn't the one asked for. */
function labelled(
  asked: AskedLabel | undefined,
  ground: LabelGround,
  title: string,
): Pick<Badge, "label" | "title"> {
  const { label, refused } = allowedLabel(asked, ground);
  return { label, title: refused === null ? title : `${title} ${refused}` };
}
