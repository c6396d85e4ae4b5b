/** The families with a costly search give what their obvious versions give. */
import { generate as cryptarithm } from "../../lib/suites/families/cryptarithm.ts";
import { generate as gridxf } from "../../lib/suites/families/gridxf.ts";
import { generate as sat } from "../../lib/suites/families/sat.ts";
import { generate as satcheck } from "../../lib/suites/families/satcheck.ts";
import { generate as sudoku } from "../../lib/suites/families/sudoku.ts";
import { testAgainstReference } from "../reference/compare.ts";
import { generate as cryptarithmReference } from "../reference/cryptarithm.ts";
import { generate as gridxfReference } from "../reference/gridxf.ts";
import { generate as satReference } from "../reference/sat.ts";
import { generate as satcheckReference } from "../reference/satcheck.ts";
import { generate as sudokuReference } from "../reference/sudoku.ts";

testAgainstReference("cryptarithm", cryptarithm, cryptarithmReference, 40);
testAgainstReference("gridxf", gridxf, gridxfReference, 300);
testAgainstReference("sat", sat, satReference, 12);
testAgainstReference("satcheck", satcheck, satcheckReference, 15);
testAgainstReference("sudoku", sudoku, sudokuReference, 25);
