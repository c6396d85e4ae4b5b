/** @jsxImportSource hono/jsx */
/** `GET /pools/:poolKey`: a public pool. */
import { isMixZero, type Pool } from "../../../lib/protocol/pool.ts";
import { mixSeed } from "../../../lib/suites/rng.ts";
import { cellId } from "../../../lib/suites/suites.ts";
import { plural } from "../../../lib/words/subject.ts";
import type { PoolInfo, ResultRow, Upgrade } from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import type { Page } from "./layout.tsx";
import { Fact } from "./parts/facts.tsx";
import { PoolSource, UpgradeFigures, WhatPoolsHide } from "./parts/pool.tsx";
import { NextPage, ResultsTable } from "./parts/results_table.tsx";
import { Section } from "./parts/section.tsx";
import { Table } from "./parts/table.tsx";
import { Time } from "./parts/time.tsx";

/** Seconds after which the page loads itself again while results are being checked. */
const RELOAD = 2;

const LABEL_ZERO = "changes nothing: these puzzles are the published ones (label-mix-zero)";

/** A public pool as its page shows it. */
export interface PoolView {
  info: PoolInfo;
  pool: Pool;
  /** Null: nothing had to be checked again. */
  upgrade: Upgrade | null;
  rows: readonly ResultRow[];
  /** Names the list's next page; null on the last. */
  cursor: string | null;
  /** Whole public keys of listed issuers that stated the disclosure themselves. */
  stated: ReadonlySet<string>;
}

/** The page of a public pool. */
export function poolPage(site: Site, view: PoolView): Page {
  const { info, pool, upgrade } = view;
  const { poolKey, suiteVersion, firstSeen, source } = info;
  return {
    title: `Pool ${poolKey.slice(0, 12)}`,
    section: "pools",
    ...(upgrade !== null && !upgrade.done ? { refresh: RELOAD } : {}),
    body: (
      <>
        <p class="eyebrow">Disclosed pool · {suiteVersion}</p>
        <h1>
          Pool <code class="short">{poolKey.slice(0, 12)}…</code>
        </h1>
        <dl class="facts">
          <Fact
            name={
              <>
                Pool key <small>the hash that commits to its cells</small>
              </>
            }
          >
            <code>{poolKey}</code>
          </Fact>
          <Fact name="First seen by this service">
            <Time at={firstSeen} /> <PoolSource source={source} />
          </Fact>
          <Fact name="File">
            <a href={`${site.path}/api/pools/${poolKey}`}>canonical JSON</a>
          </Fact>
        </dl>
        {upgrade !== null && <UpgradeSection upgrade={upgrade} />}
        <Results site={site} view={view} />
        <Section id="cells" title="Cells">
          <Cells pool={pool} />
        </Section>
        <WhatPoolsHide />
      </>
    ),
  };
}

function Results({ site, view }: { site: Site; view: PoolView }) {
  const { info: { poolKey, firstSeen }, rows, cursor, stated } = view;
  return (
    <Section id="results" title="Results under this pool">
      {rows.length === 0 ? <p>None is stored here.</p> : (
        <>
          <p>
            The times of the decisions are the issuers' word; this service first saw the pool at
            {" "}
            <Time at={firstSeen} />.
          </p>
          <ResultsTable site={site} rows={rows} firstSeen={firstSeen} stated={stated} />
        </>
      )}
      <NextPage href={`${site.path}/pools/${poolKey}`} cursor={cursor} />
    </Section>
  );
}

function UpgradeSection({ upgrade }: { upgrade: Upgrade }) {
  const { done, scanned, unfinished } = upgrade;
  return (
    <Section
      id="upgrade"
      title={done ? "What the disclosure did" : "Checking the results again"}
    >
      {!done && (
        <p role="status">
          Under way: {plural(scanned, "document")} checked so far. This page loads itself again.
        </p>
      )}
      <UpgradeFigures upgrade={upgrade} />
      {unfinished > 0 && (
        <p>
          The check of {plural(unfinished, "document")}{" "}
          could not be finished so far: their badges say checking.
        </p>
      )}
    </Section>
  );
}

function Cells({ pool }: { pool: Pool }) {
  return (
    <Table
      columns={["Cell", "Label", "Acts as"]}
      rows={pool.cells.map((cell) => [
        <code>h:{cellId(cell.family, cell.tier)}</code>,
        <code class="whole">{cell.label}</code>,
        <div>
          <code>{constantText(cell.label)}</code>
          {isMixZero(cell) && <strong class="small">{LABEL_ZERO}</strong>}
        </div>,
      ])}
    />
  );
}

/** The 32-bit constant that a label amounts to. Source: protocols spec 8.1. */
function constantText(label: string): string {
  return `0x${(mixSeed(label, 0) >>> 0).toString(16).padStart(8, "0")}`;
}
