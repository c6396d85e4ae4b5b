/** @jsxImportSource hono/jsx */
/** Numbers in a row, each above its name. */

export interface Figure {
  name: string;
  value: string | number;
  /** A class that names the colour; empty: the colour of the text. */
  tone?: string;
}

/** A row of figures; passes may be green only where the result is `trusted`. */
export function Figures(
  { figures, trusted = false }: { figures: readonly Figure[]; trusted?: boolean },
) {
  return (
    <dl class={trusted ? "figures trusted" : "figures"}>
      {figures.map(({ name, value, tone = "" }) => (
        <div class={tone}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
