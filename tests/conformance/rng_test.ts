import assert from "node:assert/strict";
import { checkRngVector, type RngVector } from "../vectors/rng_vectors.ts";
import { conformanceTest, readJsonLines } from "./vectors.ts";

conformanceTest("rng: all vectors", () => {
  const vectors = readJsonLines<RngVector>("vectors/rng.jsonl");
  assert(vectors.length >= 105);
  for (const vector of vectors) checkRngVector(vector);
});
