/** What was claimed of a document before: the record that disclosure never erases. */
import { html } from "hono/html";
import type { Change } from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import type { Html } from "./layout.ts";
import { markHtml, OUTCOME_TONES, outcomeMark } from "./marks.ts";
import { timeHtml } from "./time.ts";

/** The changes of an outcome, oldest first; nothing when there are none. */
export function historyHtml(site: Site, changes: readonly Change[]): Html {
  if (changes.length === 0) return html``;
  return html`
    <section aria-labelledby="history">
      <h2 id="history">What was claimed before</h2>
      <ol class="history">
      ${changes.map((change) =>
        html`
          <li>
            <p class="when">${timeHtml(change.at)}</p>
            <p><span class="from">${change
              .from}</span> → <span class="state state-${OUTCOME_TONES[change.to]}">${markHtml(
                outcomeMark(change.to),
              )}${change.to}</span></p>
            <p class="small">${causeHtml(site, change)}${change.imported
              ? " Taken over from another store's record."
              : ""}</p>
          </li>
        `
      )}
      </ol>
    </section>
  `;
}

function causeHtml(site: Site, { poolKey, exposed, reason, inner, verifierVersion }: Change): Html {
  if (poolKey === null) {
    return verifierVersion === 0
      ? html`Checked again by a newer version of the verifier.`
      : html`Checked again by revision ${verifierVersion} of the verifier.`;
  }
  const link = html`<a href="${site.path}/pools/${poolKey}">pool <code>${
    poolKey.slice(0, 12)
  }…</code></a>`;
  if (!exposed) return html`The ${link} was disclosed.`;
  const codes = [reason, inner].filter((code) => code !== null);
  return html`The disclosed ${link} contradicts it${
    codes.map((code, index) => html`${index === 0 ? ": " : ", because "}<code>${code}</code>`)
  }.`;
}
