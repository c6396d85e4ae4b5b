/** The families of the agent suites that are no puzzle family with a tool added: vectors and prompts. */
import { generate as autostep, PINS as autostepPins } from "../../lib/suites/families/autostep.ts";
import { generate as relayvm, PINS as relayvmPins } from "../../lib/suites/families/relayvm.ts";
import { testFamily } from "./phrases.ts";

const SUITES = ["clankdar-agent-v0", "clankdar-agent-v1"];

testFamily("autostep", SUITES, autostep, autostepPins);
testFamily("relayvm", SUITES, relayvm, relayvmPins);
