/**
 * `deno task licences`: writes THIRD_PARTY.md, the licences of all packages in the lock files, out of
 * node_modules (`deno install` first). With `--check` nothing is written, and a file that isn't what
 * would be written ends with status 1.
 *
 * A package whose licence can't be told, or that lacks its text, stops it until {@link KNOWN} says.
 */
import { z } from "zod";

const OUTPUT = "THIRD_PARTY.md";

/** What packages leave out, found out by hand. */
const KNOWN: Readonly<Record<string, { licence?: string; text?: string; textOf?: string }>> = {
  // Its package.json names none; its LICENSE is that of MIT.
  "color-convert": { licence: "MIT" },
  // Both are MPL-2.0, whose text is one; this one's package comes without.
  "@resvg/resvg-wasm": { textOf: "satori" },
  "css-box-shadow": { text: mit("Brent Jackson") },
  "binary-search": {
    text: "Dedicated to the public domain: https://creativecommons.org/publicdomain/zero/1.0/",
  },
};

/** Where the source is, which MPL-2.0 wants said of what is handed on in another form. */
const SOURCES: Readonly<Record<string, string>> = {
  "@resvg/resvg-wasm": "https://github.com/yisibl/resvg-js",
  "satori": "https://github.com/vercel/satori",
};

/** Files of a package that hold its licence. */
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|ofl)(?:[-.].*)?$/i;

const lockSchema = z.object({ npm: z.record(z.string(), z.unknown()) });
const manifestSchema = z.object({ license: z.string().optional() });

interface Package {
  name: string;
  version: string;
  licence: string;
  texts: string[];
  /** The service itself needs it; the others are for tests and benchmarks. */
  ships: boolean;
}

async function lockedIn(path: string): Promise<string[]> {
  return Object.keys(lockSchema.parse(JSON.parse(await Deno.readTextFile(path))).npm);
}

async function readPackage(id: string, ships: boolean): Promise<Package> {
  // `name@1.0.0`, with the versions of its peers behind underscores.
  const at = id.indexOf("@", 1);
  const name = id.slice(0, at);
  const version = id.slice(at + 1).split("_")[0]!;
  const folder = `node_modules/.deno/${id.replaceAll("/", "+")}/node_modules/${name}`;
  const manifest = manifestSchema.parse(
    JSON.parse(await Deno.readTextFile(`${folder}/package.json`)),
  );
  const licence = manifest.license ?? KNOWN[name]?.licence;
  if (licence === undefined) throw new Error(`${id} states no licence: say which it has in KNOWN`);
  const files = (await Array.fromAsync(Deno.readDir(folder)))
    .filter((entry) => entry.isFile && LICENCE_FILE.test(entry.name))
    .map((entry) => entry.name).toSorted();
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(`${folder}/${file}`)));
  return { name, version, licence, texts: texts.map(tidy), ships };
}

/** Line ends and trailing spaces differ between packages, and say nothing. */
function tidy(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(/[ \t]+$/gm, "").trim();
}

function mit(holder: string): string {
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

/** The texts of a package, its own or what {@link KNOWN} has in their place. */
function textsOf(one: Package, all: readonly Package[]): string[] {
  if (one.texts.length > 0) return one.texts;
  const known = KNOWN[one.name];
  const other = all.find(({ name }) => name === known?.textOf);
  if (other !== undefined && other.licence === one.licence) return other.texts;
  if (known?.text !== undefined) return [known.text];
  throw new Error(`${one.name} comes without the text of its licence: give it in KNOWN`);
}

function table(packages: readonly Package[]): string {
  const rows = packages.map(({ name, version, licence }) =>
    `| ${name} | ${version} | ${licence} | ${SOURCES[name] ?? ""} |`
  );
  return ["| package | version | licence | source |", "| --- | --- | --- | --- |", ...rows]
    .join("\n");
}

/** THIRD_PARTY.md as it has to be. */
export async function thirdParty(): Promise<string> {
  const [all, shipped] = await Promise.all([lockedIn("tests/deno.lock"), lockedIn("deno.lock")]);
  const missing = shipped.filter((id) => !all.includes(id));
  if (missing.length > 0) {
    throw new Error(`tests/deno.lock lacks ${missing.join(", ")} of deno.lock`);
  }
  const packages = await Promise.all(
    all.toSorted().map((id) => readPackage(id, shipped.includes(id))),
  );
  const users = new Map<string, string[]>();
  for (const one of packages) {
    for (const text of textsOf(one, packages)) {
      users.set(text, [...users.get(text) ?? [], one.name]);
    }
  }
  const texts = [...users].map(([text, names]) =>
    `### ${names.join(", ")}\n\n\`\`\`\`text\n${text}\n\`\`\`\``
  );
  return `# Licences of others

Touchstone's own licence is in LICENSE. This file is written by \`deno task licences\`, from the lock
files and the packages themselves.

## In the service

${table(packages.filter(({ ships }) => ships))}

\`wasm/algal_expr.wasm\` is built by AssemblyScript 0.28.20 (Apache-2.0), and holds parts of its library:
https://github.com/AssemblyScript/assemblyscript

## For tests and benchmarks only

${table(packages.filter(({ ships }) => !ships))}

## Texts

${texts.join("\n\n")}
`;
}

if (import.meta.main) {
  const written = await thirdParty();
  if (Deno.args.includes("--check")) {
    const current = await Deno.readTextFile(OUTPUT).catch(() => "");
    if (current !== written) {
      console.error(`${OUTPUT} isn't what the lock files ask for: run deno task licences`);
      Deno.exitCode = 1;
    }
  } else {
    await Deno.writeTextFile(OUTPUT, written);
  }
}
