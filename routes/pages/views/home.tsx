/** @jsxImportSource hono/jsx */
/** `/`: what the service is, with samples and the form. */
import type { Services } from "../../http/services.ts";
import type { Site } from "../../http/site.ts";
import type { Page } from "./layout.tsx";
import { DocumentForm, UrlForm } from "./parts/forms.tsx";
import { Mark } from "./parts/marks.tsx";
import { Section } from "./parts/section.tsx";

type Sample = Awaited<ReturnType<Services["samples"]["list"]>>[number];

interface HomeView {
  samples: readonly Sample[];
  /** Whether URLs are fetched. */
  byUrl: boolean;
}

/** The start page. */
export function homePage(site: Site, { samples, byUrl }: HomeView): Page {
  return {
    title: "Touchstone",
    body: (
      <>
        <section class="hero">
          <div>
            <h1>Rub a result on the stone.</h1>
            <p class="lead">
              Touchstone checks shared Clankdar results. It generates every puzzle again, scores
              every answer again, and shows which part of a result it could, and could not, replay.
            </p>
          </div>
          <Stone />
        </section>
        <Section id="check" title="Check a result">
          {byUrl && <UrlForm site={site} />}
          <DocumentForm site={site} />
        </Section>
        <Outcomes />
        <Section id="disclosure" title="When a pool is disclosed">
          <p>
            An issuer publishes its pool of labels, and every result stored here that was minted
            under it is checked again: upgraded to verified, or exposed, since the pool contradicts
            it. What was claimed before stays on record.{" "}
            <a href={`${site.path}/pools`}>Public pools, and how to publish one</a>
          </p>
        </Section>
        <Samples site={site} samples={samples} />
        <Embedding site={site} />
      </>
    ),
  };
}

/** A slab with three streaks: gold, gilt, and nothing but scratches. */
function Stone() {
  return (
    <svg class="stone" viewBox="0 0 240 170" aria-hidden="true">
      <defs>
        <linearGradient id="slate" x2="0.4" y2="1">
          <stop stop-color="#4b525d" />
          <stop offset="1" stop-color="#1f2329" />
        </linearGradient>
      </defs>
      <path fill="#15181c" opacity="0.25" d="m14 66 62-48 104-6 50 48-10 74-70 32-102-6-36-42z" />
      <path fill="url(#slate)" d="m10 60 62-46 104-6 52 46-12 72-70 30-100-6-34-40z" />
      <path fill="#fff" opacity="0.09" d="m10 60 62-46 104-6 52 46-58-28-98 6z" />
      <g fill="none" stroke-linecap="round">
        <path stroke="#8b6420" stroke-width="11" d="m56 112 54-62" />
        <path stroke="#e6b450" stroke-width="7" d="m56 111 54-62" />
        <path stroke="#f9e2a6" stroke-width="2" d="m57 107 48-55" />
        <path stroke="#e6b450" stroke-width="6" stroke-dasharray="9 11" d="m98 122 52-60" />
        <path stroke="#9aa1ab" stroke-width="1.5" d="m140 126 44-50m-39 52 36-42m-46 36 30-34" />
      </g>
    </svg>
  );
}

function Outcomes() {
  return (
    <Section id="outcomes" title="Three outcomes">
      <dl class="outcomes">
        <div>
          <dt class="state-replayed">
            <Mark mark="lozenge" />verified
          </dt>
          <dd>Generated again, scored again, and everything matches what was signed.</dd>
        </div>
        <div>
          <dt class="state-claimed">
            <Mark mark="hollow" />issuer-claimed
          </dt>
          <dd>
            The signatures hold, but the pool behind some puzzles is still secret. Those receipts
            count as unreplayed, and every badge says how many.
          </dd>
        </div>
        <div>
          <dt class="state-invalid">
            <Mark mark="cross" />invalid
          </dt>
          <dd>A signature, a commitment, a puzzle or a sum does not hold.</dd>
        </div>
      </dl>
    </Section>
  );
}

function Samples({ site, samples }: { site: Site; samples: readonly Sample[] }) {
  return (
    <Section id="samples" title="Samples">
      <p>Minted with Touchstone's own suite, to be looked at.</p>
      <ul class="samples">
        {samples.map(({ id, title, text }) => (
          <li>
            <a href={`${site.path}/r/${id}`}>
              <strong>{title}</strong>
              <img
                src={`${site.path}/badge/${id}.svg`}
                alt={`Badge of the sample: ${title}`}
                height={20}
              />
            </a>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Embedding({ site }: { site: Site }) {
  return (
    <Section id="embed" title="In a README, in a script">
      <p>
        Store a result to get its badge. The badge follows the result: when an issuer discloses a
        pool, it changes without anyone editing a page.
      </p>
      <pre class="copy" tabindex={0} aria-label="Command that stores a result">
        {`curl -sS --json @admission.json ${site.url}/api/results`}
      </pre>
      <pre class="copy" tabindex={0} aria-label="Command that verifies without storing">
        {`curl -sS --json @admission.json ${site.url}/api/verify`}
      </pre>
      <p>
        All of it is described in the <a href={`${site.path}/api`}>API reference</a>.
      </p>
    </Section>
  );
}
