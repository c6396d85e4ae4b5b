/** @jsxImportSource hono/jsx */
/** Tables, which narrow screens show as a stack of rows with the column's name before each cell. */
import type { Child } from "hono/jsx";

interface TableProps {
  columns: readonly string[];
  /** The cells of each row, one for each column. */
  rows: readonly (readonly Child[])[];
  /** Whether passes may be green. */
  trusted?: boolean;
}

/** A table with a head. The roles are spelt out because the stack's CSS takes the implied ones away. */
export function Table({ columns, rows, trusted = false }: TableProps) {
  return (
    <table role="table" class={trusted ? "stack trusted" : "stack"}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((name) => <th role="columnheader" scope="col">{name}</th>)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((cells) => (
          <tr role="row">
            {cells.map((cell, index) => <td role="cell" data-label={columns[index]}>{cell}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
