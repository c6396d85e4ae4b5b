/** @jsxImportSource hono/jsx */
/** Stored results as a table. */
import type { Child } from "hono/jsx";
import { kindName } from "../../../../lib/words/subject.ts";
import type { ResultRow } from "../../../api/representations.ts";
import type { Site } from "../../../http/site.ts";
import { State } from "./marks.tsx";
import { Table } from "./table.tsx";
import { isAfter, Time } from "./time.tsx";

type CurrentRow = Extract<ResultRow, { state: "current" }>;

interface ResultsTableProps {
  site: Site;
  rows: readonly ResultRow[];
  /** ISO 8601: when this service first saw the pool. */
  firstSeen: string;
  /** Whole public keys of issuers who signed that they disclosed the pool. */
  stated: ReadonlySet<string>;
}

/** The table of the results under a pool. Badges are images, so that only those seen are drawn. */
export function ResultsTable({ site, rows, firstSeen, stated }: ResultsTableProps) {
  return (
    <Table
      columns={["Badge", "Result", "Issuer", "Decided", "Document"]}
      rows={rows.map((row): Child[] => {
        const current = row.state === "current" ? row : null;
        const page = `${site.path}/r/${row.id}`;
        const alt = `Result ${row.id.slice(0, 8)}: ${current?.outcome ?? "checking"}`;
        return [
          <a href={page}>
            <img src={`${site.path}/badge/${row.id}.svg`} alt={alt} height={20} />
          </a>,
          <RowState row={current} />,
          <div>
            <RowIssuer issuer={current?.issuer ?? null} stated={stated} />
          </div>,
          <div>
            <Decided at={current?.decidedAt ?? null} firstSeen={firstSeen} />
          </div>,
          <a href={page}>
            <code>{row.id.slice(0, 12)}…</code>
          </a>,
        ];
      })}
    />
  );
}

function RowState({ row }: { row: CurrentRow | null }) {
  if (row === null) return <State outcome={null} pass={null} />;
  const { outcome, verdict, kind, observations } = row;
  return (
    <State
      outcome={outcome}
      pass={verdict === null ? null : verdict === "pass"}
      notes={observations.includes("exposed")
        ? [`the disclosed pool contradicts the ${kindName(kind)}`]
        : []}
    />
  );
}

function RowIssuer(
  { issuer, stated }: { issuer: CurrentRow["issuer"]; stated: ReadonlySet<string> },
) {
  if (issuer === null) return <span class="none">–</span>;
  return (
    <>
      {issuer.name ?? ""} <code class="whole">{issuer.publicKey}</code>
      {stated.has(issuer.publicKey) && (
        <span class="small">
          signed that it disclosed this pool
        </span>
      )}
    </>
  );
}

/** When the issuer says that it decided, with a note where the pool was public before. */
function Decided({ at, firstSeen }: { at: string | null; firstSeen: string }) {
  if (at === null) return <span class="none">–</span>;
  return (
    <>
      <Time at={at} />
      {isAfter(at, firstSeen) && <span class="late">the pool was public by then</span>}
    </>
  );
}

/** A link to the next page of a list; nothing on the last. */
export function NextPage({ href, cursor }: { href: string; cursor: string | null }) {
  if (cursor === null) return null;
  return (
    <p class="next">
      <a href={`${href}?cursor=${encodeURIComponent(cursor)}`} rel="next">Older ones</a>
    </p>
  );
}
