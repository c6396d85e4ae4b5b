import * as cryptarithm from "../../lib/suites/families/cryptarithm.ts";
import * as gridxf from "../../lib/suites/families/gridxf.ts";
import * as sat from "../../lib/suites/families/sat.ts";
import * as satcheck from "../../lib/suites/families/satcheck.ts";
import * as sudoku from "../../lib/suites/families/sudoku.ts";
import { testFamily } from "./phrases.ts";

const V2 = "clankdar-suite-v2";
const FRONTIER = ["clankdar-frontier-v0", "clankdar-frontier-v1"];
const AGENT = ["clankdar-agent-v0", "clankdar-agent-v1"];

testFamily("sat", FRONTIER, sat.generate, sat.PINS);
testFamily("satcheck", AGENT, satcheck.generate, satcheck.PINS);
testFamily("sudoku", [V2], sudoku.generate, sudoku.PINS);
testFamily("cryptarithm", [V2, ...FRONTIER], cryptarithm.generate, cryptarithm.PINS);
testFamily("gridxf", [V2, ...FRONTIER], gridxf.generate, gridxf.PINS);
