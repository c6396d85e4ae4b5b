/** @jsxImportSource hono/jsx */
/** What several pages say of pools. */
import type { PoolInfo, Upgrade } from "../../../api/representations.ts";
import { Figures } from "./figures.tsx";
import { Section } from "./section.tsx";

/** Where the service has a pool from; nothing for one that was published here. */
export function PoolSource({ source }: Pick<PoolInfo, "source">) {
  switch (source) {
    case "shipped":
      return <span class="small">came with the service</span>;
    case "imported":
      return <span class="small">says the store it was imported from</span>;
    case "published":
      return null;
  }
}

/** What a disclosure did to the results under the pool, or would do. */
export function UpgradeFigures(
  { upgrade: { upgraded, exposed, unchanged } }: {
    upgrade: Pick<Upgrade, "upgraded" | "exposed" | "unchanged">;
  },
) {
  return (
    <Figures
      figures={[
        { name: "upgraded", value: upgraded, tone: upgraded > 0 ? "pass" : "" },
        { name: "exposed", value: exposed, tone: exposed > 0 ? "fail" : "" },
        { name: "unchanged", value: unchanged },
      ]}
    />
  );
}

/** How little a pool hides. Source: protocols spec 8.1 and 8.5. */
export function WhatPoolsHide() {
  return (
    <Section id="hides" title="What a pool does and doesn't hide">
      <ul class="plain">
        <li>
          A label, however long, acts as one 32-bit constant for its cell: the held-out puzzles are
          the published ones in another order. One answered receipt lets anyone search all 2<sup>
            32
          </sup>{" "}
          constants. Undisclosed does not mean unknowable.
        </li>
        <li>
          A label whose constant is 0 changes nothing: those puzzles are the published ones. Such
          results carry the observation <code>label-mix-zero</code>.
        </li>
        <li>
          Until it is public, a pool key promises some pool, not a sound one. It may never be
          published, and it may lack the cell.
        </li>
        <li>
          A public pool is spent: sessions still open under it are predictable. Nothing in a receipt
          tells when its pool became public, so the time when this service first saw it stands
          beside each decision.
        </li>
        <li>
          An issuer may use several pools, one after another. Results under a retired one stay
          verifiable: pools are stored for good, and found by their key alone.
        </li>
      </ul>
    </Section>
  );
}
