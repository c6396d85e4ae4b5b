/** @jsxImportSource hono/jsx */
/** Whether a result meets what the link to its page asks for, one requirement a line. */
import type { Child } from "hono/jsx";
import {
  acceptanceOf,
  type AcceptedIssuer,
  type Requirement,
  type Requirements,
} from "../../../../lib/trust/acceptance.ts";
import type { Report } from "../../../../lib/verify/report.ts";
import { failureSentence } from "../../../../lib/words/requirements.ts";
import type { PageAsked } from "../../page_asked.ts";
import { Heading } from "./section.tsx";

/** Said above everything, where a requirement of the link can't be understood. */
export function AskedProblem({ asked }: { asked: PageAsked | null }) {
  if (asked === null || asked.problem === null) return null;
  return (
    <div class="bad-link" role="alert">
      <p>
        <strong>Not accepted: bad link.</strong>{" "}
        The address of this page asks for something that can't be understood, and what can't be
        understood is never met. <code>{asked.problem}</code>
      </p>
    </div>
  );
}

interface AcceptanceProps {
  report: Report;
  asked: PageAsked | null;
  /** Of the heading. */
  level: 2 | 3;
}

/** The section about acceptance; nothing where nothing is asked that could be understood. */
export function Acceptance({ report, asked, level }: AcceptanceProps) {
  if (asked === null || asked.requirements === null) return null;
  const { requirements, now } = asked;
  const { accepted, failed } = acceptanceOf(report, requirements, now);
  // One of several documents has no address of its own on the page.
  const id = level === 2 ? { id: "acceptance" } : {};
  return (
    <section class={`acceptance ${accepted ? "met" : "unmet"}`}>
      <Heading level={level} {...id}>{accepted ? "Accepted" : "Not accepted"}</Heading>
      <p>
        {accepted
          ? "The result meets everything that the link to this page asks for."
          : "The result does not meet everything that the link to this page asks for."}{" "}
        That changes nothing about its outcome.
      </p>
      <ul class="demands">
        {demands(requirements).map(([name, text]) => (
          <Demand
            text={text}
            failure={failed.includes(name)
              ? failureSentence(name, report, requirements, now)
              : null}
          />
        ))}
      </ul>
    </section>
  );
}

/** A requirement, and why the result fails it; null: the result meets it. */
function Demand({ text, failure }: { text: Child; failure: string | null }) {
  return (
    <li class={failure === null ? "ok" : "failed"}>
      <span aria-hidden="true">{failure === null ? "✓" : "✗"}</span> {text}{" "}
      {failure === null ? <small>met</small> : (
        <>
          <small>not met</small> <span class="because">{failure}</span>
        </>
      )}
    </li>
  );
}

/** What is asked for, in the order of the requirements. */
function demands(requirements: Requirements): [Requirement, Child][] {
  const { sha256, issuers, policy, context, sessionId, replayed, maxAge } = requirements;
  const all: [Requirement, Child][] = [
    ["invalid", "Checked, and not invalid"],
    [
      "sha256",
      sha256 !== null && (
        <>
          The document with the id <code>{sha256}</code>
        </>
      ),
    ],
    [
      "issuer",
      issuers !== null && (
        <>
          Signed by <Issuers issuers={issuers} />
        </>
      ),
    ],
    [
      "policy",
      policy !== null && (
        <>
          Under the policy {policy.name ?? ""} <code>{policy.hash}</code>
        </>
      ),
    ],
    [
      "context",
      context !== null && (
        <>
          With the context <bdi>{context}</bdi>
        </>
      ),
    ],
    [
      "session",
      sessionId !== null && (
        <>
          Of the session <code>{sessionId}</code>
        </>
      ),
    ],
    ["replayed", replayed && "Replayed, all of it"],
    ["stale", maxAge !== null && `Decided at most ${maxAge.text} ago`],
  ];
  return all.filter(([, text]) => text !== false);
}

function Issuers({ issuers }: { issuers: readonly AcceptedIssuer[] }) {
  return (
    <>
      {issuers.map(({ publicKey, name, status }, index) => (
        <>
          {index > 0 && " or "}
          {name !== null && (
            <>
              <bdi>{name}</bdi>
              {status !== "active" && ` (${status})`},{" "}
            </>
          )}
          <code>{publicKey}</code>
        </>
      ))}
    </>
  );
}
