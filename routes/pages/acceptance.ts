/** Whether a result meets what the link to its page asks for, one requirement a line. */
import { html } from "hono/html";
import {
  acceptanceOf,
  type AcceptedIssuer,
  type Asked,
  type Requirement,
  type Requirements,
} from "../../lib/verify/acceptance.ts";
import { failureSentence } from "../../lib/words/requirements.ts";
import type { Report } from "../../lib/verify/report.ts";
import type { Html } from "./layout.ts";

/** The section about acceptance; `heading` is its heading's element. */
export function acceptanceHtml(
  report: Report,
  { requirements, now }: Asked,
  heading: Html | string,
): Html {
  const { accepted, failed } = acceptanceOf(report, requirements, now);
  return html`
    <section class="acceptance ${accepted ? "met" : "unmet"}" aria-labelledby="acceptance">
      <${heading} id="acceptance">${accepted ? "Accepted" : "Not accepted"}</${heading}>
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
  const { issuers, policy, context, sessionId, replayed, maxAge, sha256 } = requirements;
  const all: [Requirement, Html | null][] = [
    ["invalid", html`Checked, and not invalid`],
    ["sha256", sha256 === null ? null : html`The document <code>${sha256}</code>`],
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
