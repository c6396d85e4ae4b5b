/** One declaration of each environment variable: README, help and permissions follow it. */
import assert from "node:assert/strict";
import { isPublicAddress } from "../../../lib/fetch/address.ts";
import {
  DRAWING_VARIABLES,
  ENVIRONMENT,
  readConfig,
  VARIABLES,
  variablesHelp,
} from "../../../service/config.ts";
import config from "../../../deno.json" with { type: "json" };
import readme from "../../../README.md" with { type: "text" };
import networks from "../../../service/public_networks.txt" with { type: "text" };

const tasks: Record<string, { command: string }> = config.tasks;

/** What somebody may set by hand. */
const settable = VARIABLES.filter((name) => ENVIRONMENT[name].help !== null);

Deno.test("README has a row for each variable, with its default, and names no other", () => {
  const rows = [...readme.matchAll(/^\| `([A-Z][A-Z_]+)` +\| ([^|]+?) +\|([^\n]*)\|$/gm)];
  assert.ok(rows.length > 15);
  const named = new Set<string>();
  for (const [, name, byDefault, text] of rows) {
    const variable = settable.find((known) => known === name);
    assert.ok(variable !== undefined, `README has ${name}, which nothing reads`);
    const said = byDefault!.replaceAll("`", "");
    assert.equal(said, ENVIRONMENT[variable].byDefault ?? "none", name);
    named.add(name!);
    // Said with another variable: its row names it.
    for (const [, other] of text!.matchAll(/`([A-Z][A-Z_]+)`/g)) named.add(other!);
  }
  assert.deepEqual(settable.filter((name) => !named.has(name)), []);
});

Deno.test("the help has every variable with its default, in lines that a terminal shows", () => {
  const help = variablesHelp();
  for (const name of settable) {
    const { byDefault } = ENVIRONMENT[name];
    const start = help.search(new RegExp(`^  ${name} `, "m"));
    assert.ok(start >= 0, name);
    const paragraph = help.slice(start).split(/\n(?= {2}[A-Z])/)[0]!.replace(/\s+/g, " ");
    assert.ok(paragraph.trimEnd().endsWith(`(default: ${byDefault ?? "none"})`), paragraph);
  }
  assert.ok(!help.includes("DENO_DEPLOYMENT_ID"), "the platform sets this one");
  assert.ok(help.split("\n").every((line) => line.length <= 100));
});

Deno.test("a default that is said is the one that is read", () => {
  const said = Object.fromEntries(
    settable.flatMap((name) => {
      const { byDefault } = ENVIRONMENT[name];
      const isText = byDefault !== null && !byDefault.includes(" ");
      return isText ? [[name, byDefault]] : [];
    }),
  );
  assert.ok(Object.keys(said).length > 12);
  assert.deepEqual(readConfig((name) => said[name]), readConfig(() => undefined));
});

Deno.test("each task may read the variables that it needs, and no others", () => {
  const commands = VARIABLES.filter((name) => ENVIRONMENT[name].readBy === "commands");
  const server = [...VARIABLES, ...DRAWING_VARIABLES];
  const expected: Record<string, readonly string[]> = {
    start: server,
    "start:strict": server,
    dev: server,
    store: [...VARIABLES, "INIT_CWD"],
    verify: [...commands, "INIT_CWD"],
    instances: commands,
    instance: commands,
    example: commands,
    demo: [...commands, "DENO_KV_ACCESS_TOKEN", ...DRAWING_VARIABLES, "INIT_CWD"],
  };
  for (const [name, variables] of Object.entries(expected)) {
    const flag = / --allow-env=(\S+)/.exec(tasks[name]!.command)?.[1];
    assert.deepEqual(flag?.split(",").toSorted(), [...variables].toSorted(), name);
  }
  for (const [name, { command }] of Object.entries(tasks)) {
    if (name in expected) continue;
    const flag = / --allow-env=(\S+)/.exec(command)?.[1] ?? "";
    const known = flag.split(",").filter((variable) => variable in ENVIRONMENT);
    assert.deepEqual(known, [], `${name} isn't listed here, and may read ${known}`);
  }
});

Deno.test("a list of tasks is short enough to be read", () => {
  for (const [name, { command }] of Object.entries(tasks)) assert.ok(command.length < 800, name);
});

const toNumber = (address: string) =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const toAddress = (number: number) =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");

Deno.test("start:strict may reach the public IPv4 addresses, and none that a fetch may not", () => {
  assert.match(tasks["start:strict"]!.command, /,\$\(cat service\/public_networks\.txt\) /);
  assert.match(networks, /^[0-9./,]+\n$/);
  const ranges = networks.trim().split(",").map((network) => {
    const [address, bits] = network.split("/");
    const first = toNumber(address!);
    return { first, last: first + 2 ** (32 - Number(bits)) - 1, network };
  });
  const isListed = (number: number) =>
    ranges.some(({ first, last }) => first <= number && number <= last);
  const numbers = ranges.flatMap(({ first, last }) => [first - 1, first, last, last + 1]);
  // The whole space in steps that share no factor with it.
  for (let number = 0; number < 2 ** 32; number += 1_048_573) numbers.push(number);
  for (const number of numbers) {
    const address = toAddress(number);
    assert.equal(isListed(number), isPublicAddress(address), address);
  }
});
