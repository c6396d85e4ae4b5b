/** @jsxImportSource satori/jsx */
/** The style `card`: a picture of a whole result, light or dark. */
import type { Card, MarkState, Picture } from "../card_data.ts";
import type { Design, Element, Pen } from "../drawing.ts";
import { type Shape, SHAPES } from "../marks.ts";
import type { Badge, Tone } from "../model.ts";
import { PALETTE, type Theme } from "../palette.ts";
import { said, shorten } from "../text.ts";
import { written } from "./written.tsx";

/** In CSS pixels; a long label makes it wider. */
const WIDTH = 400;
const HEIGHT = 172;
const RADIUS = 8;
const STRIPE = 5;
const PAD = 15;
const BORDER = 1;
const INNER = WIDTH - STRIPE - 2 * (PAD + BORDER);

/** Longest texts whose length nobody limits otherwise, in characters. */
const MAX_TITLE = 150;
const MAX_ISSUER = 42;
const MAX_NAMES = 28;

export interface Detail {
  /** Units a pixel. */
  units: number;
  /** Longest label that is drawn whole, in characters; its accessible name is whole in any case. */
  letters: number;
}

/** The design in the colours of a theme. */
export function card(theme: Theme, { units, letters }: Detail): Design {
  return {
    units,
    height: () => HEIGHT,
    bold: true,
    inks: [theme.text, theme.muted],
    texts: ({ label, message, title, card }) => [
      ...[label, ...message, title],
      ...(card === undefined ? [] : [JSON.stringify(card)]),
    ],
    layout: (badge, pen) => layOut(badge, { pen, theme, tone: badge.tone, letters }),
  };
}

/** What every part is drawn with. */
interface Context {
  pen: Pen;
  theme: Theme;
  tone: Tone;
  letters: number;
}

function layOut(badge: Badge, context: Context): Element {
  const { pen: { px }, theme } = context;
  const inner = RADIUS - BORDER;
  return (
    <div
      style={{
        display: "flex",
        // Without the padding, here and below.
        minWidth: px(WIDTH - 2 * BORDER),
        height: px(HEIGHT - 2 * BORDER),
        padding: px(BORDER),
        borderRadius: px(RADIUS),
        background: theme.line,
        color: theme.text,
        whiteSpace: "pre",
      }}
    >
      <div
        style={{
          width: px(STRIPE),
          borderRadius: `${px(inner)}px 0 0 ${px(inner)}px`,
          background: theme.marks[badge.tone],
        }}
      />
      <div
        style={{
          display: "flex",
          flexDirection: "column",
          flexGrow: 1,
          padding: `0 ${px(PAD)}px`,
          borderRadius: `0 ${px(inner)}px ${px(inner)}px 0`,
          background: theme.ground,
        }}
      >
        <Head badge={badge} context={context} />
        <Headline badge={badge} context={context} />
        {badge.card === undefined
          ? <Prose text={badge.title} context={context} />
          : <Details title={badge.title} card={badge.card} context={context} />}
      </div>
    </div>
  );
}

function Head({ badge, context }: { badge: Badge; context: Context }): Element {
  const { pen: { px }, letters } = context;
  return (
    <div style={{ display: "flex", justifyContent: "space-between", marginTop: px(13) }}>
      <Text context={context} size={12} bold>{shorten(badge.label, letters)}</Text>
      <div style={{ display: "flex", marginLeft: px(20), marginTop: px(1) }}>
        <Text context={context} muted>{badge.card?.subject ?? ""}</Text>
      </div>
    </div>
  );
}

/** The first part of the message large, the others in capsules behind it. */
function Headline({ badge, context }: { badge: Badge; context: Context }): Element {
  const { pen, theme, tone } = context;
  const { px } = pen;
  const [first = "", ...others] = badge.message;
  return (
    <div style={{ display: "flex", alignItems: "center", marginTop: px(9), height: px(26) }}>
      <div
        style={{
          width: px(16),
          height: px(16),
          marginRight: px(9),
          background: pen.mark(SHAPES[tone], theme.marks[tone]),
        }}
      />
      <Text context={context} size={22} bold>{first}</Text>
      {others.map((part) => {
        const { ground, text } = PALETTE[/ unreplayed$/.test(part) ? "claimed" : tone];
        const shown = written(part, pen.line(11, 10));
        return (
          <div
            style={{
              display: "flex",
              height: px(15),
              marginLeft: px(8),
              padding: `${px(3)}px ${px(8)}px 0`,
              borderRadius: px(9),
              background: ground,
              color: text,
              fontSize: px(11),
              ...shown.style,
            }}
          >
            {shown.children}
          </div>
        );
      })}
    </div>
  );
}

function Details(
  { title, card, context }: { title: string; card: Card; context: Context },
): Element {
  const { pen: { px } } = context;
  if (card.picture === null) return <Prose text={title} context={context} />;
  return (
    <div style={{ display: "flex", flexDirection: "column" }}>
      <div style={{ display: "flex", height: px(14), marginTop: px(5) }}>
        <Text context={context} muted>{card.facts.join(" · ")}</Text>
      </div>
      <PictureRow picture={card.picture} context={context} />
      <div style={{ display: "flex", height: px(12) }}>
        {card.legend.map(({ state, text }) => (
          <div style={{ display: "flex", marginRight: px(14) }}>
            <Mark state={state} side={8} context={context} top={2} />
            <div style={{ display: "flex", marginLeft: px(5) }}>
              <Text context={context} size={10} muted>{text}</Text>
            </div>
          </div>
        ))}
      </div>
      {card.issuer !== null && <Signer text={card.issuer} context={context} />}
    </div>
  );
}

/** Who signed, under a line. */
function Signer({ text, context }: { text: string; context: Context }): Element {
  const { pen: { px }, theme } = context;
  return (
    <div style={{ display: "flex", flexDirection: "column" }}>
      <div style={{ height: px(1), marginTop: px(9), background: theme.line }} />
      <div style={{ display: "flex", marginTop: px(8) }}>
        <Text context={context} size={10} muted>{shorten(text, MAX_ISSUER)}</Text>
      </div>
    </div>
  );
}

/** Where there is no picture, sentences. */
function Prose({ text, context }: { text: string; context: Context }): Element {
  const { pen, theme } = context;
  const shown = written(shorten(said(text), MAX_TITLE), 1.5);
  return (
    <div
      style={{
        display: "flex",
        width: pen.px(INNER),
        marginTop: pen.px(9),
        fontSize: pen.px(11),
        color: theme.muted,
        whiteSpace: "pre-wrap",
        ...shown.style,
      }}
    >
      {shown.children}
    </div>
  );
}

function PictureRow({ picture, context }: { picture: Picture; context: Context }): Element {
  const { pen: { px } } = context;
  return (
    <div style={{ display: "flex", height: px(18), marginTop: px(12), marginBottom: px(9) }}>
      {picture.kind === "marks"
        ? <Marks marks={picture.marks} context={context} />
        : picture.kind === "columns"
        ? <Columns columns={picture.columns} context={context} />
        : <Shares shares={picture.shares} context={context} />}
    </div>
  );
}

type Of<K extends Picture["kind"]> = Extract<Picture, { kind: K }>;

function Marks({ marks, context }: Pick<Of<"marks">, "marks"> & { context: Context }): Element {
  const { pen: { px } } = context;
  const names = marks.map(({ name }) => name ?? "");
  const named = names.join("").length <= MAX_NAMES && names.every((name) => name !== "");
  return (
    <div style={{ display: "flex" }}>
      {marks.map(({ state }, index) => (
        <div style={{ display: "flex", marginRight: px(named ? 12 : 7) }}>
          <Mark state={state} side={16} context={context} top={1} />
          {named
            ? (
              <div style={{ display: "flex", marginLeft: px(6), marginTop: px(2) }}>
                <Text context={context}>{names[index]!}</Text>
              </div>
            )
            : null}
        </div>
      ))}
    </div>
  );
}

/** A column for each cell: as high as the share that passed, on what could have passed. */
function Columns(
  { columns, context }: Pick<Of<"columns">, "columns"> & { context: Context },
): Element {
  const { pen: { px }, theme } = context;
  const pitch = Math.min(Math.floor(INNER / columns.length), 36);
  const colour = markOf("passed", context)[1];
  return (
    <div style={{ display: "flex" }}>
      {columns.map(({ passed, total }) => {
        const height = total === 0 ? 0 : Math.round(18 * passed / total);
        return (
          <div
            style={{
              display: "flex",
              flexDirection: "column",
              justifyContent: "flex-end",
              width: px(pitch - 2),
              height: px(18),
              marginRight: px(2),
              background: theme.line,
            }}
          >
            {height === 0 ? null : <div style={{ height: px(height), background: colour }} />}
          </div>
        );
      })}
    </div>
  );
}

/** Heights in pixels that tell the shares apart without their colours. */
const THICKNESS: Record<MarkState, number> = {
  passed: 16,
  unreplayed: 16,
  "unreplayed-failed": 16,
  failed: 8,
  unanswered: 2,
  invalid: 4,
  void: 2,
};

/** One bar, divided. What is unreplayed is hollow. */
function Shares({ shares, context }: Pick<Of<"shares">, "shares"> & { context: Context }): Element {
  const { pen: { px }, theme } = context;
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  const gap = 2;
  const room = INNER - gap * (shares.length - 1);
  return (
    <div style={{ display: "flex", alignItems: "center" }}>
      {shares.map(({ state, count }) => {
        // Wide enough to be seen, and for the hole.
        const width = Math.max(6, Math.round(room * count / total));
        return (
          <div
            style={{
              display: "flex",
              width: px(width),
              height: px(THICKNESS[state]),
              marginRight: px(gap),
              background: markOf(state, context)[1],
            }}
          >
            {state === "unreplayed"
              ? (
                <div
                  style={{
                    width: px(width - 4),
                    height: px(THICKNESS[state] - 4),
                    margin: px(2),
                    background: theme.ground,
                  }}
                />
              )
              : null}
          </div>
        );
      })}
    </div>
  );
}

const MARKS: Record<MarkState, [Shape, Tone]> = {
  passed: ["lozenge", "pass"],
  failed: ["bar", "fail"],
  unanswered: ["dot", "neutral"],
  unreplayed: ["hollow", "claimed"],
  "unreplayed-failed": ["frame", "claimed"],
  invalid: ["cross", "invalid"],
  void: ["dot", "neutral"],
};

/** Green is for what is signed and accepted. */
function markOf(state: MarkState, { theme, tone }: Context): [Shape, string] {
  const [shape, own] = MARKS[state];
  if (tone === "refused") return [shape, theme.marks.neutral];
  return [shape, theme.marks[tone === "reported" && state === "passed" ? "reported" : own]];
}

function Mark(
  { state, side, top, context }: { state: MarkState; side: number; top: number; context: Context },
): Element {
  const { px, mark } = context.pen;
  return (
    <div
      style={{
        width: px(side),
        height: px(side),
        marginTop: px(top),
        background: mark(...markOf(state, context)),
      }}
    />
  );
}

function Text(
  { children, context, size = 11, bold = false, muted = false }: {
    children: string;
    context: Context;
    size?: number;
    bold?: boolean;
    muted?: boolean;
  },
): Element {
  const { pen, theme } = context;
  const shown = written(children, pen.line(size, size - 1));
  return (
    <span
      style={{
        fontSize: pen.px(size),
        fontWeight: bold ? 700 : 400,
        color: muted ? theme.muted : theme.text,
        ...shown.style,
      }}
    >
      {shown.children}
    </span>
  );
}
