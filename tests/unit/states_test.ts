/** The badge, shields JSON, headline and exit status of every state in the table of states. */
import assert from "node:assert/strict";
import { bundleOf } from "../../lib/badge/bundle.ts";
import { cardOf } from "../../lib/badge/card.ts";
import { type Badge, badgeOf, messageText, standingBadge } from "../../lib/badge/model.ts";
import { shieldsOf } from "../../lib/badge/shields.ts";
import { exitStatusOf } from "../../lib/words/exit.ts";
import { statementOf } from "../../lib/words/statement.ts";
import type { ResultSubject } from "../../lib/words/subject.ts";
import { TRUST } from "../support/badges.ts";
import { COLOURS, type StateRow, STATES } from "../support/states.ts";

/** What the words are about; null: there is no result. */
function subjectOf({ shown }: StateRow): ResultSubject | null {
  if ("standing" in shown) return null;
  return "report" in shown ? shown.report : bundleOf(shown.reports);
}

function badgeIn(row: StateRow): Badge {
  const subject = subjectOf(row);
  if (subject !== null) return badgeOf(subject, { ...row.options, trust: TRUST });
  assert.ok("standing" in row.shown);
  return standingBadge(row.shown.standing);
}

for (const row of STATES) {
  Deno.test(`state → words: ${row.name}`, () => {
    const badge = badgeIn(row);
    assert.equal(badge.label, row.label);
    assert.equal(messageText(badge), row.message);
    assert.equal(badge.tone, row.tone);
    assert.equal(badge.state, row.state);
    assert.equal(badge.title, row.title);
    assert.deepEqual(shieldsOf(badge), {
      schemaVersion: 1,
      label: row.label,
      message: row.message,
      color: COLOURS[row.tone],
      labelColor: "#262b33",
      ...(row.tone === "pass" ? {} : { isError: true }),
      cacheSeconds: 300,
    });
    const subject = subjectOf(row);
    if (subject === null) return;
    const options = { ...row.options, trust: TRUST };
    const { card: _, ...plain } = cardOf(subject, options);
    assert.deepEqual(plain, badge);
    const said = statementOf(subject, options);
    assert.equal(said.pageTitle, row.page);
    assert.equal(said.description, row.title);
    assert.deepEqual(
      Object.fromEntries(Object.entries(said.headline).filter(([, line]) => line !== null)),
      row.headline,
    );
    if (row.exit === null) return;
    assert.ok("report" in row.shown);
    const { report } = row.shown;
    assert.equal(exitStatusOf(report, { allowUnsigned: false }), row.exit);
    assert.equal(exitStatusOf(report, { allowUnsigned: true }), row.unsignedExit ?? row.exit);
  });
}

Deno.test("the table of states is whole: each tone and each state stands in it", () => {
  assert.ok(STATES.length >= 40);
  assert.equal(new Set(STATES.map(({ name }) => name)).size, STATES.length);
  assert.deepEqual(
    new Set(STATES.map(({ tone }) => tone)),
    new Set(Object.keys(COLOURS)),
  );
});
