/** Makes `assembly/powers.ts`, the literal tables of powers of ten, with exact integer arithmetic. */

const LAST_DECIMAL = 308;
const FIRST_POWER = -292;
const LAST_POWER = 324;

/** The 128 leading bits of 10^k, rounded up; exact where 128 bits suffice. */
function leading128(k: number): bigint {
  const numerator = k >= 0 ? 10n ** BigInt(k) : 1n;
  const denominator = k >= 0 ? 1n : 10n ** BigInt(-k);
  // Scale so that the quotient has exactly 128 bits.
  let shift = 128 - (numerator.toString(2).length - denominator.toString(2).length);
  for (;;) {
    const scaled = shift >= 0 ? numerator << BigInt(shift) : numerator;
    const divisor = shift >= 0 ? denominator : denominator << BigInt(-shift);
    const quotient = (scaled + divisor - 1n) / divisor;
    const bits = quotient.toString(2).length;
    if (bits === 128) return quotient;
    shift += bits < 128 ? 1 : -1;
  }
}

/** The text of `assembly/powers.ts`. */
export function powersSource(): string {
  const lines = [
    "/** Tables of powers of ten, made by `wasm/tables.ts`. */",
    "",
    "/** The doubles nearest to 10^0 … 10^308, for reading (algal-expr spec 2.3). */",
    "export const POWERS: StaticArray<f64> = [",
  ];
  for (let k = 0; k <= LAST_DECIMAL; k++) lines.push(`  1e${k},`);
  lines.push(
    "];",
    "",
    `/** Upper and lower half of the 128 leading bits, rounded up, of 10^${FIRST_POWER} … 10^${LAST_POWER}. */`,
    "export const POWERS_128: StaticArray<u64> = [",
  );
  for (let k = FIRST_POWER; k <= LAST_POWER; k++) {
    const hex = leading128(k).toString(16).padStart(32, "0");
    lines.push(`  0x${hex.slice(0, 16)}, 0x${hex.slice(16)},`);
  }
  lines.push("];", "");
  return lines.join("\n");
}

if (import.meta.main) {
  await Deno.writeTextFile(new URL("./assembly/powers.ts", import.meta.url), powersSource());
}
