/** The families that need no long search: vectors/suites, fixtures/prompts and docs/specification/phrases. */
import * as arithmetic from "../../lib/suites/families/arithmetic.ts";
import * as automata from "../../lib/suites/families/automata.ts";
import * as bitcircuit from "../../lib/suites/families/bitcircuit.ts";
import * as bitmatrix from "../../lib/suites/families/bitmatrix.ts";
import * as cipher from "../../lib/suites/families/cipher.ts";
import * as echo from "../../lib/suites/families/echo.ts";
import * as gridpath from "../../lib/suites/families/gridpath.ts";
import * as hiddenfn from "../../lib/suites/families/hiddenfn.ts";
import * as knights from "../../lib/suites/families/knights.ts";
import * as ordering from "../../lib/suites/families/ordering.ts";
import * as registervm from "../../lib/suites/families/registervm.ts";
import * as sequence from "../../lib/suites/families/sequence.ts";
import * as strings from "../../lib/suites/families/strings.ts";
import { suites } from "../../lib/suites/suites.ts";
import { testFamily } from "./phrases.ts";

const FAMILIES = {
  arithmetic,
  automata,
  bitcircuit,
  bitmatrix,
  cipher,
  echo,
  gridpath,
  hiddenfn,
  knights,
  ordering,
  registervm,
  sequence,
  strings,
};

for (const [family, { generate, PINS }] of Object.entries(FAMILIES)) {
  const versions = suites().filter((suite) => Object.hasOwn(suite.families, family));
  testFamily(family, versions.map((suite) => suite.version), generate, PINS);
}
