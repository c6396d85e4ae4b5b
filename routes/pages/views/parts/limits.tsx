/** @jsxImportSource hono/jsx */
/** What no result shows, for whoever takes a result for more. */
import type { Report } from "../../../../lib/verify/report.ts";
import { Section } from "./section.tsx";

/**
 * The section that the headline boxes lead to, once a page; nothing where there is no finished
 * document.
 *
 * @param props.path the service's own path.
 */
export function Limits({ path, reports }: { path: string; reports: readonly Report[] }) {
  if (reports.every(({ kind, outcome }) => kind === "unknown" || outcome === null)) return null;
  return (
    <Section id="limits" title="What this doesn't show">
      <ul class="plain">
        <li>
          <strong>Who or what solved the puzzles.</strong>{" "}
          A pass shows that right answers were given, not who gave them, nor that the puzzles were
          unknown to whoever did: a seed has 32 bits, and its commitment can be searched.
        </li>
        <li>
          <strong>Whose key it is.</strong>{" "}
          A good signature shows that the document is whole since it was signed. Anyone can make a
          key. Compare the whole public key with one that you have from elsewhere; a key id is only
          a label.
        </li>
        <li>
          <strong>Whether the floor is high enough.</strong>{" "}
          The issuer chooses the puzzles and how many passes suffice, unless a published policy is
          named.
        </li>
        <li>
          <strong>Whether subject, context and model are true.</strong>{" "}
          They are claims of whoever made the document.
        </li>
        <li>
          <strong>When anything happened.</strong>{" "}
          All times in the document are the issuer's word. This service's own are only when it
          checked, and when it first saw a pool.
        </li>
        <li>
          <strong>What else there is.</strong>{" "}
          One pass says nothing of how often somebody failed before.
        </li>
        <li>
          <strong>That an unreplayed answer is right, or wrong.</strong>{" "}
          Until its pool is disclosed there is the issuer's word.{" "}
          <a href={`${path}/pools#hides`}>What a pool hides and doesn't</a>
        </li>
      </ul>
    </Section>
  );
}
