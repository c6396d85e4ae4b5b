/** Whether a result meets what the link to its page asks for, one requirement a line. */
import { html, raw } from "hono/html";
import {
  acceptanceOf,
  type AcceptanceSubject,
  type AcceptedIssuer,
  type Requirement,
  type Requirements,
} from "../../../lib/trust/acceptance.ts";
import { failureSentence } from "../../../lib/words/requirements.ts";
import type { Report } from "../../../lib/verify/report.ts";
import type { StatementOptions } from "../../../lib/words/statement.ts";
import { badgeAcceptance, type BadgeAsked } from "../../badges/asked.ts";
import type { Html } from "./layout.ts";

/** What a link to a page asks for: read as a badge's address is, so that both say the same. */
export interface PageAsked extends BadgeAsked {
  /** Milliseconds since 1970. */
  now: number;
}

/** What statements on documents need to know of what is asked. */
export function askedOptions(
  asked: PageAsked | null,
  subjects: readonly AcceptanceSubject[],
): Pick<StatementOptions, "acceptance" | "issuerAsked"> {
  if (asked === null) return {};
  return {
    acceptance: badgeAcceptance(asked, subjects, asked.now),
    issuerAsked: asked.requirements?.issuers != null,
  };
}

/** Said above everything, where a requirement of the link can't be understood. */
export function problemHtml({ problem }: PageAsked): Html {
  if (problem === null) return html``;
  return html`
    <div class="bad-link" role="alert">
      <p><strong>Not accepted: bad link.</strong> The address of this page asks for something that can't be understood, and what can't be understood is never met. <code>${problem}</code></p>
    </div>
  `;
}

/** The section about acceptance, with a heading of level `level`. */
export function acceptanceHtml(
  report: Report,
  { requirements, now }: PageAsked,
  level: 2 | 3,
): Html {
  if (requirements === null) return html``;
  const { accepted, failed } = acceptanceOf(report, requirements, now);
  const heading = raw(`h${level}`);
  // One of several documents has no address of its own on the page.
  const name = level === 2 ? raw(' id="acceptance"') : "";
  return html`
    <section class="acceptance ${accepted ? "met" : "unmet"}">
      <${heading}${name}>${accepted ? "Accepted" : "Not accepted"}</${heading}>
    <p>${accepted
      ? "The result meets everything that the link to this page asks for."
      : "The result does not meet everything that the link to this page asks for."} That changes nothing about its outcome.</p>
    <ul class="demands">
    ${asked(requirements).map(([name, text]) => {
      const isMet = !failed.includes(name);
      return html`
        <li class="${isMet ? "ok" : "failed"}"><span aria-hidden="true">${isMet
          ? "✓"
          : "✗"}</span> ${text} ${isMet
          ? html`<small>met</small>`
          : html`<small>not met</small> <span class="because">${
            failureSentence(name, report, requirements, now)
          }</span>`}</li>
      `;
    })}
    </ul>
    </section>
  `;
}

/** What is asked for, in the order of the requirements. */
function asked(requirements: Requirements): [Requirement, Html][] {
  const { sha256, issuers, policy, context, sessionId, replayed, maxAge } = requirements;
  const all: [Requirement, Html | null][] = [
    ["invalid", html`Checked, and not invalid`],
    ["sha256", sha256 === null ? null : html`The document with the id <code>${sha256}</code>`],
    ["issuer", issuers && html`Signed by ${issuers.map(issuerHtml)}`],
    [
      "policy",
      policy && html`Under the policy ${policy.name ?? ""} <code>${policy.hash}</code>`,
    ],
    ["context", context === null ? null : html`With the context <bdi>${context}</bdi>`],
    ["session", sessionId === null ? null : html`Of the session <code>${sessionId}</code>`],
    ["replayed", replayed ? html`Replayed, all of it` : null],
    ["stale", maxAge && html`Decided at most ${maxAge.text} ago`],
  ];
  return all.flatMap(([name, text]) => text === null ? [] : [[name, text]]);
}

function issuerHtml({ publicKey, name, status }: AcceptedIssuer, index: number): Html {
  const known = name === null ? "" : html`
    <bdi>${name}</bdi>${status === "active" ? "" : ` (${status})`},
  `;
  return html`${index === 0 ? "" : " or "}${known}<code>${publicKey}</code>`;
}
