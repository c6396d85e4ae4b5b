/** @jsxImportSource hono/jsx */
/** Sections with headings. */
import type { Child } from "hono/jsx";

/** How deep a heading is. */
export type Level = 1 | 2 | 3;

interface HeadingProps {
  level: Level;
  class?: string;
  id?: string;
  children: Child;
}

/** A heading of the given level. */
export function Heading({ level, children, ...attributes }: HeadingProps) {
  const Tag = `h${level}` as const;
  return <Tag {...attributes}>{children}</Tag>;
}

/** A section that an address of the page leads to by its heading's id. */
export function Section({ id, title, children }: { id: string; title: Child; children?: Child }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A part of a report. A page may show several reports, so the part has no id. */
export function Part({ level, title, children }: { level: Level; title: string; children: Child }) {
  return (
    <section>
      <Heading level={level}>{title}</Heading>
      {children}
    </section>
  );
}
