/** What pages say of results: the same as badges do, since both read the address in one way. */
import { bundleOf } from "../../lib/badge/bundle.ts";
import type { Report } from "../../lib/verify/report.ts";
import { isVouched, type Trust } from "../../lib/words/signer.ts";
import { type Statement, statementOf, type StatementOptions } from "../../lib/words/statement.ts";
import { badgeAcceptance } from "../badges/asked.ts";
import type { PageAsked } from "./page_asked.ts";

/** What is said of a report. */
export interface Statements {
  /** As the link asks. */
  said: Statement;
  /** Of the report by itself, where the link asks for more than the report meets; otherwise null. */
  itself: Statement | null;
}

/** The statements on one report. */
export function statementsOf(report: Report, asked: PageAsked | null, trust: Trust): Statements {
  const said = statementOf(report, { trust, ...askedOptions(asked, [report]) });
  return {
    said,
    itself: said.headline.besides === null ? null : statementOf(report, { trust }),
  };
}

/** What is said of several documents together: the same as by their badge. */
export function statementTogether(
  reports: readonly Report[],
  asked: PageAsked | null,
  trust: Trust,
): Statement {
  return statementOf(bundleOf(reports), { trust, ...askedOptions(asked, reports) });
}

/** Whether passes may be green: somebody known, whose key is as good as ever, vouches for them. */
export function isTrusted({ signers }: Statement): boolean {
  return signers.length > 0 && signers.every(isVouched);
}

function askedOptions(
  asked: PageAsked | null,
  reports: readonly Report[],
): Pick<StatementOptions, "acceptance" | "issuerAsked"> {
  if (asked === null) return {};
  return {
    acceptance: badgeAcceptance(asked, reports, asked.now),
    issuerAsked: asked.requirements?.issuers != null,
  };
}
