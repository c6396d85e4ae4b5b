/** What a document names: its issuer, and what the issuer says of the session. */
import { html } from "hono/html";
import { type IssuerStatus, type KnownIssuer, policyHash } from "../../../lib/trust/registry.ts";
import type { Report } from "../../../lib/verify/report.ts";
import type { Trust } from "../../../lib/words/signer.ts";
import type { DisclosedPool } from "../../api/representations.ts";
import type { Html } from "./layout.ts";
import { isAfter, timeHtml } from "./time.ts";
import { plural } from "./words.ts";

/** What is known of public pools, and where their pages are. */
export interface Disclosures {
  /** The service's own path. */
  path: string;
  pools: readonly DisclosedPool[];
}

/** What a known key's status means to whoever reads a name beside it. */
const STATUS: Readonly<Record<IssuerStatus, string>> = {
  active: "",
  rotated: "It signs with another key now; what this one signed stays as good as it was.",
  revoked: "The key is revoked: somebody else may hold it, so its signature counts for nothing.",
  public: "Its private key is public, so that anybody can sign with it.",
};

/** Whose signature verified. */
export function issuerHtml({ issuer }: Report, disclosures: Disclosures, trust: Trust): Html {
  if (issuer === null) return html`<p>No signature was verified, so no issuer can be named.</p>`;
  const known = trust.issuers.get(issuer.publicKey);
  return html`
    <dl class="facts">
      <dt>Known as</dt>
      <dd>${known === undefined
        ? "unknown: this key is not on this service's list of issuers"
        : html`<bdi>${known.name}</bdi>`}</dd>
      ${known === undefined ? "" : statusHtml(known)}
      <dt>Public key</dt>
      <dd><code>${issuer.publicKey}</code></dd>
      <dt>Key id <small>a label, not an identity</small></dt>
      <dd><code>${issuer.keyId}</code></dd>
      ${statementsHtml(disclosures)}
    </dl>
  `;
}

/** The operator's word on the key. */
function statusHtml({ status, note }: KnownIssuer): Html {
  const words = [STATUS[status], note ?? ""].filter((text) => text !== "");
  return html`${words.map((text) => html`<dd><small>${text}</small></dd>`)}`;
}

/** Only statements of the report's own issuer are among them. */
function statementsHtml({ pools }: Disclosures): Html[] {
  const stated = pools.filter(({ statement }) => statement !== null);
  return stated.map(({ poolKey, statement }) =>
    html`
      <dt>Statement</dt>
      <dd>Signed with this key that it disclosed pool <code>${poolKey.slice(
        0,
        12,
      )}…</code>; received ${timeHtml(
        statement!.at,
      )}</dd>
    `
  );
}

function textFact(name: string, value: string | null | undefined): Html {
  if (!value) return html``;
  return html`
    <dt>${name}</dt>
    <dd><bdi>${value}</bdi></dd>
  `;
}

function codeFact(name: string, value: string | null | undefined): Html {
  if (!value) return html``;
  return html`
    <dt>${name}</dt>
    <dd><code>${value}</code></dd>
  `;
}

/** Names, times and hashes of the document. What is only a claim is called one. */
export function documentHtml(report: Report, disclosures: Disclosures, trust: Trust): Html {
  const { id, kind, run, policy, sessionId, context, subject, subjectKey } = report;
  const { expiresAt, decidedAt } = report;
  // A run has no issuer: whoever made the file speaks.
  const says = kind === "run" ? "says the file" : "says the issuer";
  return html`<dl class="facts">
${codeFact("Id (SHA-256)", id)}
${textFact(`Model, ${says}`, run?.adapter)}
${textFact(`Subject, ${says}`, subject)}
${codeFact("Subject key (proven)", subjectKey)}
${textFact(`Context, ${says}`, context)}
${codeFact("Session", sessionId)}
${policyHtml(policy, trust)}
${expiresAt === undefined ? "" : timeFact(`Deadline, ${says}`, expiresAt)}
${decidedAt === undefined ? "" : timeFact(`Decided, ${says}`, decidedAt)}
${disclosures.pools.map((pool) => firstSeenHtml(pool, decidedAt))}
${poolsHtml(report, disclosures)}
${evaluatorHtml(report, disclosures.path)}
</dl>`;
}

function policyHtml(policy: Report["policy"], trust: Trust): Html {
  if (policy === undefined) return html``;
  const { challenges, cells, minPass, ttlSeconds } = policy;
  const hash = policyHash(policy);
  const name = trust.policies.get(hash);
  const rules = `${plural(challenges, "challenge")} out of ${
    cells.join(", ")
  }; ${minPass} to pass, ${ttlSeconds} s`;
  return html`
    ${textFact("Policy", name === undefined ? `the issuer's own: ${rules}` : `${name}: ${rules}`)}
    ${codeFact("Policy (SHA-256)", hash)}
  `;
}

function timeFact(name: string, time: string): Html {
  return html`
    <dt>${name}</dt>
    <dd>${timeHtml(time)}</dd>
  `;
}

function poolsHtml({ pools }: Report, disclosures: Disclosures): Html[] {
  // A pool that came along with a check has no page.
  const isPublic = (key: string) => disclosures.pools.some(({ poolKey }) => poolKey === key);
  return pools.map(({ poolKey, disclosed }) =>
    disclosed && isPublic(poolKey)
      ? html`
        <dt>Pool (disclosed)</dt>
        <dd><a href="${disclosures.path}/pools/${poolKey}"><code>${poolKey}</code></a></dd>
      `
      : codeFact(disclosed ? "Pool (disclosed)" : "Pool (undisclosed)", poolKey)
  );
}

/** Two hashes that differ look like tampering to whoever isn't told why they do. */
function evaluatorHtml({ evaluator }: Report, path: string): Html {
  if (evaluator === null) return html``;
  const { official, used, pinned } = evaluator;
  const name = official ? "ALGAL's official module" : "Touchstone's own module";
  if (used === pinned) {
    return html`
      <dt>Evaluator</dt>
      <dd>${name}, which the suite names: <code>${used}</code></dd>
    `;
  }
  return html`
    <dt>Evaluator</dt>
    <dd>
      <p>The suite names ALGAL's official module, which isn't installed here, so Touchstone's own module computed the answers. The two hashes name two programs that are made to give the same answers; that they differ says nothing against the document. <a href="${path}/evaluator">More about the evaluators</a></p>
      <p>Used: ${name} <code>${used}</code></p>
      <p>Named by the suite: ALGAL's official module <code>${pinned}</code></p>
    </dd>
  `;
}

/** Stands beside the decision: whoever answers under a public pool can know the puzzles. */
function firstSeenHtml({ firstSeen, source }: DisclosedPool, decidedAt: string | undefined): Html {
  const late = decidedAt !== undefined && isAfter(decidedAt, firstSeen);
  return html`
    <dt>Pool first seen by this service</dt>
    <dd>${timeHtml(firstSeen)}${source === "imported"
      ? ", says the store it was imported from"
      : ""}${late
      ? html`
        <strong
          class="late">The pool was public before the session was decided: its puzzles were no secret.</strong>
      `
      : ""}</dd>
  `;
}
