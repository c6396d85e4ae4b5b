/** @jsxImportSource hono/jsx */
/** What was claimed of a document before: the record that disclosure never erases. */
import type { Change } from "../../../api/representations.ts";
import type { Site } from "../../../http/site.ts";
import { Mark, OUTCOME_TONES, outcomeMark } from "./marks.tsx";
import { Section } from "./section.tsx";
import { Time } from "./time.tsx";

/** The changes of an outcome, oldest first; nothing when there are none. */
export function History({ site, changes }: { site: Site; changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <Section id="history" title="What was claimed before">
      <ol class="history">
        {changes.map((change) => (
          <li>
            <p class="when">
              <Time at={change.at} />
            </p>
            <p>
              <span class="from">{change.from}</span> →{" "}
              <span class={`state state-${OUTCOME_TONES[change.to]}`}>
                <Mark mark={outcomeMark(change.to)} />
                {change.to}
              </span>
            </p>
            <p class="small">
              <Cause site={site} change={change} />
              {change.imported && " Taken over from another store's record."}
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Cause({ site, change }: { site: Site; change: Change }) {
  const { poolKey, exposed, reason, inner, verifierVersion } = change;
  if (poolKey === null) {
    // Entries from before there were revisions name none.
    return verifierVersion === 0
      ? <>Checked again by a newer version of the verifier.</>
      : <>Checked again by revision {verifierVersion} of the verifier.</>;
  }
  const pool = (
    <a href={`${site.path}/pools/${poolKey}`}>
      pool <code>{poolKey.slice(0, 12)}…</code>
    </a>
  );
  if (!exposed) return <>The {pool} was disclosed.</>;
  return (
    <>
      The disclosed {pool} contradicts the document
      {[reason, inner].filter((code) => code !== null).map((code, index) => (
        <>
          {index === 0 ? ": " : ", because "}
          <code>{code}</code>
        </>
      ))}.
    </>
  );
}
