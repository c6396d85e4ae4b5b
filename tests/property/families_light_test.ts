/** The families with a search give what their obvious versions give. */
import { generate as bitmatrix } from "../../lib/suites/families/bitmatrix.ts";
import { generate as gridpath } from "../../lib/suites/families/gridpath.ts";
import { generate as hiddenfn } from "../../lib/suites/families/hiddenfn.ts";
import { generate as knights } from "../../lib/suites/families/knights.ts";
import { generate as ordering } from "../../lib/suites/families/ordering.ts";
import { generate as bitmatrixReference } from "../reference/bitmatrix.ts";
import { testAgainstReference } from "../reference/compare.ts";
import { generate as gridpathReference } from "../reference/gridpath.ts";
import { generate as hiddenfnReference } from "../reference/hiddenfn.ts";
import { generate as knightsReference } from "../reference/knights.ts";
import { generate as orderingReference } from "../reference/ordering.ts";

testAgainstReference("bitmatrix", bitmatrix, bitmatrixReference);
testAgainstReference("gridpath", gridpath, gridpathReference);
testAgainstReference("hiddenfn", hiddenfn, hiddenfnReference, 300);
testAgainstReference("knights", knights, knightsReference);
testAgainstReference("ordering", ordering, orderingReference);
