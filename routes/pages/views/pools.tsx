/** @jsxImportSource hono/jsx */
/** `GET /pools`, and again when the form could not be used: public pools, and how to publish one. */
import type { PoolInfo } from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import type { Page } from "./layout.tsx";
import { FileField, Submit, TextField } from "./parts/forms.tsx";
import { PoolSource, WhatPoolsHide } from "./parts/pool.tsx";
import { NextPage } from "./parts/results_table.tsx";
import { Section } from "./parts/section.tsx";
import { Table } from "./parts/table.tsx";
import { Time } from "./parts/time.tsx";

/** Why a form could not be used. Nothing of a pool is given back, because a pool may be secret. */
export interface Refusal {
  title: string;
  detail: string;
  reason?: { code: string; path: string } | undefined;
}

/** What the page about pools shows. */
export interface PoolsView {
  pools: readonly PoolInfo[];
  /** Names the list's next page; null on the last. */
  cursor: string | null;
  /** Null: nothing was refused. */
  refusal: Refusal | null;
}

/** The page about pools. */
export function poolsPage(site: Site, { pools, cursor, refusal }: PoolsView): Page {
  return {
    title: refusal?.title ?? "Pools",
    section: "pools",
    body: (
      <>
        <h1>{refusal?.title ?? "Disclosed pools"}</h1>
        {refusal !== null && <RefusalNote refusal={refusal} />}
        <p class="lead">
          A held-out puzzle depends on a label that only its issuer knows. Once the issuer publishes
          the pool of labels, every stored result under it is generated and scored again: it is
          verified, or exposed. Its badge changes by itself.
        </p>
        <Section id="publish" title="Publish a pool">
          <PoolForm site={site} />
        </Section>
        <Section id="public" title="Public pools">
          {pools.length === 0 ? <p>None so far.</p> : <PoolsTable site={site} pools={pools} />}
          <NextPage href={`${site.path}/pools`} cursor={cursor} />
        </Section>
        <WhatPoolsHide />
      </>
    ),
  };
}

function RefusalNote({ refusal: { detail, reason } }: { refusal: Refusal }) {
  return (
    <p class="reason" role="alert">
      {detail}
      {reason !== undefined && (
        <>
          {" "}
          <span class="codes">
            <code>{reason.code}</code>
            {reason.path !== "" && (
              <>
                {" "}at <code>{reason.path}</code>
              </>
            )}
          </span>
        </>
      )}
    </p>
  );
}

function PoolForm({ site }: { site: Site }) {
  return (
    <form
      class="verify"
      method="post"
      action={`${site.path}/pools`}
      enctype="multipart/form-data"
    >
      <p>First you see what it would do. Nothing is stored before you confirm.</p>
      <TextField
        name="pool"
        label="Pool"
        rows={5}
        placeholder='{"protocol":"clankdar-holdout-v1","suite":"…","poolKey":"…","cells":[…]}'
      />
      <FileField
        name="poolFile"
        label={
          <>
            or a pool file <small>JSON, at most 64 KiB</small>
          </>
        }
      />
      <details>
        <summary>Say that you are its issuer</summary>
        <p>
          Optional: the pool's content proves itself. A statement signed with the key that minted
          under the pool is shown beside results of that key.{" "}
          <code>deno task issuer pool disclose</code> makes one.
        </p>
        <TextField
          name="disclosure"
          label="Statement"
          rows={3}
          placeholder='{"publicKey":"…","signature":"…"}'
        />
      </details>
      <div class="buttons">
        <Submit action="preview">See what it would do</Submit>
      </div>
    </form>
  );
}

function PoolsTable({ site, pools }: { site: Site; pools: readonly PoolInfo[] }) {
  return (
    <Table
      columns={["Pool key", "Suite", "Cells", "First seen"]}
      rows={pools.map(({ poolKey, suiteVersion, cells, firstSeen, source }) => [
        <a href={`${site.path}/pools/${poolKey}`}>
          <code class="whole">{poolKey}</code>
        </a>,
        suiteVersion,
        cells.length,
        <div>
          <Time at={firstSeen} />
          <PoolSource source={source} />
        </div>,
      ])}
    />
  );
}
