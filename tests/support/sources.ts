/** The repository's own TypeScript files, and what they import. */
import { dirname, normalize } from "node:path/posix";

const ROOT = new URL("../../", import.meta.url);

/** Folders with code of this repository. */
const FOLDERS = ["lib", "routes", "cli", "service", "wasm", "pools", "tests", "bench"];

export interface SourceFile {
  /** From the repository's root, with `/` between the folders. */
  path: string;
  text: string;
}

/** Every TypeScript file of the repository but the evaluator's AssemblyScript. */
export function sourceFiles(folders: readonly string[] = FOLDERS): SourceFile[] {
  const paths = [
    ...[...Deno.readDirSync(ROOT)].filter(({ name, isFile }) => isFile && isSource(name))
      .map(({ name }) => name),
    ...folders.flatMap(filesBelow),
  ];
  return paths.sort().map((path) => ({ path, text: Deno.readTextFileSync(new URL(path, ROOT)) }));
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(`${folder}/`, ROOT))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (name === "node_modules" || path === "wasm/assembly") return [];
    if (isDirectory) return filesBelow(path);
    return isSource(name) ? [path] : [];
  });
}

function isSource(name: string): boolean {
  return /\.tsx?$/.test(name);
}

/** One import of a file: a module of the repository, and the names that are taken from it. */
export interface Import {
  from: string;
  /** Vanishes at run time. */
  typeOnly: boolean;
  names: string[];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?((?:[\w*\s]+,\s*)?\{[^}]*\}|[\w*\s]+|\*(?:\s+as\s+\w+)?)\s+from\s+"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"|import\s+"(\.[^"]+)"/g;

/** The imports of modules of the repository, dynamic ones with an address that is written out too. */
export function importsOf({ path, text }: SourceFile): Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, clause, address, dynamic, bare]) => {
    const from = normalize(`${dirname(path)}/${address ?? dynamic ?? bare}`);
    const names = namesOf(clause ?? "*");
    const typeOnly = type !== undefined ||
      names.length > 0 && names.every(({ isType }) => isType);
    return { from, typeOnly, names: names.map(({ name }) => name) };
  });
}

function namesOf(clause: string): { name: string; isType: boolean }[] {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1];
  if (braces === undefined) {
    return [{ name: clause.includes("*") ? "*" : "default", isType: false }];
  }
  return braces.split(",").map((part) => part.trim()).filter((part) => part !== "").map((part) => ({
    name: part.replace(/^type\s+/, "").split(/\s+as\s+/)[0]!,
    isType: part.startsWith("type "),
  }));
}
