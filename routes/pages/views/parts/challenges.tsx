/** @jsxImportSource hono/jsx */
/** The challenges of a document as a table: pass or fail first, how it is known second. */
import type { Reason, ReceiptReport, Report } from "../../../../lib/verify/report.ts";
import { State } from "./marks.tsx";
import { type Level, Part } from "./section.tsx";
import { Table } from "./table.tsx";

/** Characters of a response that are shown. */
const SHOWN = 600;

interface ChallengesProps {
  report: Report;
  /** Whether a pass may be green. */
  trusted: boolean;
  level: Level;
}

/** The section with the table; nothing where the document shows no challenge. */
export function Challenges({ report: { receipts }, trusted, level }: ChallengesProps) {
  if (receipts.length === 0) return null;
  const hasReasons = receipts.some(({ reason }) => reason !== null);
  const columns = ["Result", "Cell", "Seed", "Response", "Expected"];
  if (hasReasons) columns.push("Reason");
  return (
    <Part level={level} title="Challenges">
      <Table
        columns={columns}
        rows={receipts.map((receipt) => cellsOf(receipt).slice(0, columns.length))}
        trusted={trusted}
      />
    </Part>
  );
}

function cellsOf(receipt: ReceiptReport) {
  const { cell, seed, response, expected, outcome, reason, pass, formatOnly } = receipt;
  return [
    <State
      outcome={outcome}
      pass={pass}
      code={reason?.code}
      notes={formatOnly ? ["right, in the wrong format"] : []}
    />,
    <code>
      <bdi>{cell}</bdi>
    </code>,
    seed === null ? <None /> : <code>{seed}</code>,
    <div>
      <Quoted text={response} />
    </div>,
    <div>
      <Quoted text={expected} />
    </div>,
    reason === null ? <None /> : (
      <div>
        <span class="because">{reason.message}</span> <ReasonCodes reason={reason} />
      </div>
    ),
  ];
}

/** `receipt-invalid at receipts[2], because prompt-mismatch at receipts[2].challenge.prompt`. */
export function ReasonCodes({ reason: { code, path, inner } }: { reason: Reason }) {
  return (
    <span class="codes">
      <code>{code}</code>
      {path !== "" && (
        <>
          {" "}
          <span>
            at <code>{path}</code>
          </span>
        </>
      )}
      {inner !== undefined && (
        <>
          , because <ReasonCodes reason={inner} />
        </>
      )}
    </span>
  );
}

function None() {
  return <span class="none" aria-label="none">–</span>;
}

/** A stranger's text, apart from the direction of the text around it, and cut when it is long. */
function Quoted({ text }: { text: string | null }) {
  if (text === null) return <None />;
  return (
    <>
      <bdi class="quoted">{text.slice(0, SHOWN)}</bdi>
      {text.length > SHOWN && <span class="cut">… {text.length} characters in all</span>}
    </>
  );
}
