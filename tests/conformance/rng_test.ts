import assert from "node:assert/strict";
import { checkRngVector, type RngVector } from "../vectors/rng_vectors.ts";
import { readVectors } from "./vectors.ts";

Deno.test("rng: all vectors", () => {
  const vectors = readVectors<RngVector>("rng.jsonl");
  assert(vectors.length >= 105);
  for (const vector of vectors) checkRngVector(vector);
});
