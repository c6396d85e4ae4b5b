/** Reading a command's arguments. */
import assert from "node:assert/strict";
import { readArgs, UsageError } from "../../cli/usage.ts";

const OPTIONS = {
  issuer: { type: "string", multiple: true },
  json: { type: "boolean" },
} as const;

Deno.test("a value that begins with a hyphen is a value, as one in 64 keys does", () => {
  const key = "-_1Qbm1y84b4ZAYJtFt7bhLL1WHv7vPsOXHP0XRUW2g";
  const dashes = `--${key.slice(2)}`;
  for (const value of [key, dashes, "_x", "x"]) {
    for (const args of [["--issuer", value], [`--issuer=${value}`]]) {
      const { values, positionals } = readArgs(["file", ...args, "--json"], OPTIONS);
      assert.deepEqual(values.issuer, [value]);
      assert.equal(values.json, true);
      assert.deepEqual(positionals, ["file"]);
    }
  }
  const twice = readArgs(["--issuer", key, "--issuer", dashes, "-"], OPTIONS);
  assert.deepEqual(twice.values.issuer, [key, dashes]);
  assert.deepEqual(twice.positionals, ["-"]);
});

Deno.test("an option without its value, and one that isn't known, are said to be", () => {
  for (
    const args of [
      ["--issuer"],
      ["--issuer", "--json"],
      ["--issuer", "--issuer=x"],
      ["--issuer", "--help"],
      ["--isuer", "x"],
      ["-x"],
      ["--json", "--nonsense"],
    ]
  ) {
    assert.throws(() => readArgs(args, OPTIONS), UsageError, args.join(" "));
  }
  assert.deepEqual(readArgs(["--", "--issuer", "-x"], OPTIONS).positionals, ["--issuer", "-x"]);
});
