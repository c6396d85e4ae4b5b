/**
 * Phrase pins of every suite. Source: spec/phrases/*.json, and the house suite's own texts.
 */
import type { PhrasePins } from "./prompt.ts";

export const PHRASE_PINS: PhrasePins = {
  "algal.intro": {
    chars: 578,
    sha256: "76f114da5c512f8da5af2f135a96dc8fa07b4e43e806ae8e152e9ba5c4624f66",
  },
  "touchstone.algal.intro": {
    chars: 934,
    sha256: "b80b8df99420475b4165aa90d269ff983e93cd1d44940b0bc5f6d8405e835462",
  },
};
