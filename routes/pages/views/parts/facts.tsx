/** @jsxImportSource hono/jsx */
/** What a document names: its issuer, and what the issuer says of the session. */
import type { Child } from "hono/jsx";
import { type IssuerStatus, type KnownIssuer, policyHash } from "../../../../lib/trust/registry.ts";
import type { EvaluatorUse } from "../../../../lib/evaluator/reference.ts";
import type { Report } from "../../../../lib/verify/report.ts";
import type { Trust } from "../../../../lib/words/signer.ts";
import { plural } from "../../../../lib/words/subject.ts";
import type { DisclosedPool } from "../../../api/representations.ts";
import { isAfter, Time } from "./time.tsx";

/** What is known of public pools, and where their pages are. */
export interface Disclosures {
  /** The service's own path. */
  path: string;
  pools: readonly DisclosedPool[];
}

/** A report, and what the service knows of what the report names. */
export interface FactsProps {
  report: Report;
  disclosures: Disclosures;
  trust: Trust;
}

/** A name and what it stands for. */
export function Fact({ name, children }: { name: Child; children: Child }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** What a known key's status means to whoever reads a name beside it. */
const STATUS: Readonly<Record<IssuerStatus, string>> = {
  active: "",
  rotated: "It signs with another key now; what this one signed stays as good as it was.",
  revoked: "The key is revoked: somebody else may hold it, so its signature counts for nothing.",
  public: "Its private key is public, so that anybody can sign with it.",
};

/** Whose signature verified. */
export function IssuerFacts({ report: { issuer }, disclosures, trust }: FactsProps) {
  if (issuer === null) return <p>No signature was verified, so no issuer can be named.</p>;
  const known = trust.issuers.get(issuer.publicKey);
  return (
    <dl class="facts">
      <Fact name="Known as">
        {known === undefined
          ? "unknown: this key is not on this service's list of issuers"
          : <bdi>{known.name}</bdi>}
      </Fact>
      {known !== undefined && <KeyStatus issuer={known} />}
      <Fact name="Public key">
        <code>{issuer.publicKey}</code>
      </Fact>
      <Fact
        name={
          <>
            Key id <small>a label, not an identity</small>
          </>
        }
      >
        <code>{issuer.keyId}</code>
      </Fact>
      {disclosures.pools.map((pool) => <Statement pool={pool} />)}
    </dl>
  );
}

/** What the operator says of the key. */
function KeyStatus({ issuer: { status, note } }: { issuer: KnownIssuer }) {
  const words = [STATUS[status], note ?? ""].filter((text) => text !== "");
  return (
    <>
      {words.map((text) => (
        <dd>
          <small>{text}</small>
        </dd>
      ))}
    </>
  );
}

/** A statement that a pool was disclosed. The pools carry statements of the report's own issuer only. */
function Statement({ pool: { poolKey, statement } }: { pool: DisclosedPool }) {
  if (statement === null) return null;
  return (
    <Fact name="Statement">
      Signed with this key that it disclosed pool <code>{poolKey.slice(0, 12)}…</code>; received
      {" "}
      <Time at={statement.at} />
    </Fact>
  );
}

interface NamedProps {
  name: string;
  /** Without a value there is no fact. */
  value: string | null | undefined;
}

function TextFact({ name, value }: NamedProps) {
  if (!value) return null;
  return (
    <Fact name={name}>
      <bdi>{value}</bdi>
    </Fact>
  );
}

function CodeFact({ name, value }: NamedProps) {
  if (!value) return null;
  return (
    <Fact name={name}>
      <code>{value}</code>
    </Fact>
  );
}

function TimeFact({ name, value }: NamedProps) {
  if (value === undefined || value === null) return null;
  return (
    <Fact name={name}>
      <Time at={value} />
    </Fact>
  );
}

/** Names, times and hashes of the document. What is only a claim is called one. */
export function DocumentFacts({ report, disclosures, trust }: FactsProps) {
  const { id, kind, run, policy, sessionId, context, subject, subjectKey } = report;
  const { expiresAt, decidedAt, evaluator } = report;
  // A run has no issuer: whoever made the file speaks.
  const says = kind === "run" ? "says the file" : "says the issuer";
  return (
    <dl class="facts">
      <CodeFact name="Id (SHA-256)" value={id} />
      <TextFact name={`Model, ${says}`} value={run?.adapter} />
      <TextFact name={`Subject, ${says}`} value={subject} />
      <CodeFact name="Subject key (proven)" value={subjectKey} />
      <TextFact name={`Context, ${says}`} value={context} />
      <CodeFact name="Session" value={sessionId} />
      {policy !== undefined && <PolicyFacts policy={policy} trust={trust} />}
      <TimeFact name={`Deadline, ${says}`} value={expiresAt} />
      <TimeFact name={`Decided, ${says}`} value={decidedAt} />
      {disclosures.pools.map((pool) => <FirstSeen pool={pool} decidedAt={decidedAt} />)}
      <PoolFacts report={report} disclosures={disclosures} />
      {evaluator !== null && <EvaluatorFact evaluator={evaluator} path={disclosures.path} />}
    </dl>
  );
}

function PolicyFacts(
  { policy, trust }: { policy: NonNullable<Report["policy"]>; trust: Trust },
) {
  const { challenges, cells, minPass, ttlSeconds } = policy;
  const hash = policyHash(policy);
  const name = trust.policies.get(hash) ?? "the issuer's own";
  const rules = `${plural(challenges, "challenge")} out of ${
    cells.join(", ")
  }; ${minPass} to pass, ${ttlSeconds} s`;
  return (
    <>
      <TextFact name="Policy" value={`${name}: ${rules}`} />
      <CodeFact name="Policy (SHA-256)" value={hash} />
    </>
  );
}

function PoolFacts({ report: { pools }, disclosures }: Omit<FactsProps, "trust">) {
  // A pool that came along with a check has no page.
  const isPublic = (key: string) => disclosures.pools.some(({ poolKey }) => poolKey === key);
  return (
    <>
      {pools.map(({ poolKey, disclosed }) =>
        disclosed && isPublic(poolKey)
          ? (
            <Fact name="Pool (disclosed)">
              <a href={`${disclosures.path}/pools/${poolKey}`}>
                <code>{poolKey}</code>
              </a>
            </Fact>
          )
          : (
            <CodeFact
              name={disclosed ? "Pool (disclosed)" : "Pool (undisclosed)"}
              value={poolKey}
            />
          )
      )}
    </>
  );
}

/** Two hashes that differ look like tampering to whoever isn't told why they do. */
function EvaluatorFact({ evaluator, path }: { evaluator: EvaluatorUse; path: string }) {
  const { official, used, pinned } = evaluator;
  const name = official ? "ALGAL's official module" : "Touchstone's own module";
  if (used === pinned) {
    return (
      <Fact name="Evaluator">
        {name}, which the suite names: <code>{used}</code>
      </Fact>
    );
  }
  return (
    <Fact name="Evaluator">
      <p>
        The suite names ALGAL's official module, which isn't installed here, so Touchstone's own
        module computed the answers. The two hashes name two programs that are made to give the same
        answers; that they differ says nothing against the document.{" "}
        <a href={`${path}/evaluator`}>More about the evaluators</a>
      </p>
      <p>
        Used: {name} <code>{used}</code>
      </p>
      <p>
        Named by the suite: ALGAL's official module <code>{pinned}</code>
      </p>
    </Fact>
  );
}

/** Whoever answers under a public pool can know the puzzles, so the reader sees which came first. */
function FirstSeen(
  { pool: { firstSeen, source }, decidedAt }: {
    pool: DisclosedPool;
    decidedAt: string | undefined;
  },
) {
  return (
    <Fact name="Pool first seen by this service">
      <Time at={firstSeen} />
      {source === "imported" && ", says the store it was imported from"}
      {decidedAt !== undefined && isAfter(decidedAt, firstSeen) && (
        <strong class="late">
          The pool was public before the session was decided: its puzzles were no secret.
        </strong>
      )}
    </Fact>
  );
}
