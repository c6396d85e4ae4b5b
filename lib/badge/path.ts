/** Makes SVG path data short: whole units, relative commands, nothing that draws nothing. */

type Point = readonly [x: number, y: number];

/** Absolute segments; arcs keep their parameters as they are. */
type Segment =
  | { kind: "L"; to: Point }
  | { kind: "Q"; by: Point; to: Point }
  | { kind: "A"; radii: Point; flags: readonly [number, number, number]; to: Point };

interface Contour {
  start: Point;
  segments: Segment[];
  closed: boolean;
}

/** Numbers that each command takes. */
const ARITY: Record<string, number> = { M: 2, L: 2, H: 1, V: 1, Q: 4, A: 7, Z: 0 };

/**
 * Shortens path data with the commands M L H V Q A Z (either case), which is what satori writes.
 * Points are rounded to whole units relative to their contour's start, so that the same glyph
 * gives the same text wherever it stands (which compresses well), and errors don't add up.
 * A smooth curve's control point may move by one unit. Other commands: returned as it is.
 */
export function compactPath(d: string): string {
  const contours = parse(d);
  if (contours === null) return d;
  const writer = new PathWriter();
  let pen: Point = [0, 0];
  for (const { start, segments, closed } of contours) {
    // Fonts have contours of a single point; they draw nothing.
    if (segments.every(({ to }) => same(to, start))) continue;
    const origin: Point = [Math.round(start[0]), Math.round(start[1])];
    const snap = ([x, y]: Point): Point => [
      origin[0] + Math.round(x - start[0]),
      origin[1] + Math.round(y - start[1]),
    ];
    writer.write("m", [origin[0] - pen[0], origin[1] - pen[1]]);
    pen = origin;
    let lastControl: Point | null = null;
    segments.forEach((segment, index) => {
      const to = snap(segment.to);
      const dx = to[0] - pen[0];
      const dy = to[1] - pen[1];
      // Closing draws the way home by itself.
      const home = closed && index === segments.length - 1 && same(to, origin);
      if (segment.kind === "L") {
        if ((dx === 0 && dy === 0) || home) return;
        if (dy === 0) writer.write("h", [dx]);
        else if (dx === 0) writer.write("v", [dy]);
        else writer.write("l", [dx, dy]);
        lastControl = null;
      } else if (segment.kind === "Q") {
        const control = snap(segment.by);
        const smooth: Point | null = lastControl === null
          ? null
          : [2 * pen[0] - lastControl[0], 2 * pen[1] - lastControl[1]];
        if (smooth !== null && near(smooth, control)) {
          writer.write("t", [dx, dy]);
          lastControl = smooth;
        } else {
          writer.write("q", [control[0] - pen[0], control[1] - pen[1], dx, dy]);
          lastControl = control;
        }
      } else {
        if (dx === 0 && dy === 0) return;
        writer.write("a", [...segment.radii, ...segment.flags, dx, dy]);
        lastControl = null;
      }
      pen = to;
    });
    if (closed) {
      writer.write("z", []);
      pen = origin;
    }
  }
  return writer.text;
}

function same(a: Point, b: Point): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

function near(a: Point, b: Point): boolean {
  return Math.abs(a[0] - b[0]) <= 1 && Math.abs(a[1] - b[1]) <= 1;
}

class PathWriter {
  text = "";
  #last = "";

  /** Repeats of a command and separators before a sign are left out, as SVG allows. */
  write(command: string, numbers: number[]): void {
    if (command !== this.#last || command === "m") this.text += command;
    else if (numbers[0] !== undefined && numbers[0] >= 0) this.text += " ";
    numbers.forEach((number, index) => {
      if (index > 0 && number >= 0) this.text += " ";
      // -0 would be written as 0, which is right.
      this.text += `${number}`;
    });
    this.#last = command;
  }
}

function parse(d: string): Contour[] | null {
  const tokens = d.match(/[a-zA-Z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/g) ?? [];
  const contours: Contour[] = [];
  let contour: Contour | null = null;
  let pen: Point = [0, 0];
  let at = 0;
  let command = "";
  while (at < tokens.length) {
    if (/^[a-zA-Z]$/.test(tokens[at] ?? "")) command = tokens[at++] ?? "";
    const upper = command.toUpperCase();
    const arity = ARITY[upper];
    if (arity === undefined) return null;
    const n = tokens.slice(at, at + arity).map(Number);
    if (n.length < arity || n.some(Number.isNaN)) return null;
    at += arity;
    const base: Point = command === upper ? [0, 0] : pen;
    const point = (index: number): Point => [
      base[0] + (n[index] ?? 0),
      base[1] + (n[index + 1] ?? 0),
    ];
    if (upper === "M") {
      pen = point(0);
      contour = { start: pen, segments: [], closed: false };
      contours.push(contour);
      // More points after a move are lines.
      command = command === "M" ? "L" : "l";
      continue;
    }
    if (contour === null) return null;
    if (upper === "Z") {
      contour.closed = true;
      pen = contour.start;
      command = "";
      continue;
    }
    const segment = segmentOf(upper, n, point, base, pen);
    contour.segments.push(segment);
    pen = segment.to;
  }
  return contours;
}

function segmentOf(
  command: string,
  n: number[],
  point: (index: number) => Point,
  base: Point,
  pen: Point,
): Segment {
  switch (command) {
    case "H":
      return { kind: "L", to: [base[0] + (n[0] ?? 0), pen[1]] };
    case "V":
      return { kind: "L", to: [pen[0], base[1] + (n[0] ?? 0)] };
    case "Q":
      return { kind: "Q", by: point(0), to: point(2) };
    case "A":
      return {
        kind: "A",
        radii: [Math.round(n[0] ?? 0), Math.round(n[1] ?? 0)],
        flags: [n[2] ?? 0, n[3] ?? 0, n[4] ?? 0],
        to: point(5),
      };
    default:
      return { kind: "L", to: point(0) };
  }
}
