/**
 * Dependencies point downwards only. The rule itself is stated once, as the list of floors in
 * docs/architecture.md, "The layers".
 */
import assert from "node:assert/strict";
import { importsOf, sourceFiles } from "../../support/sources.ts";

const PRODUCT = ["lib", "routes", "cli", "service", "wasm", "pools"];

const ARCHITECTURE = Deno.readTextFileSync(
  new URL("../../../docs/architecture.md", import.meta.url),
);

/** The section "The layers". */
function layersSection(): string {
  const start = ARCHITECTURE.indexOf("### The layers");
  assert.ok(start >= 0);
  return ARCHITECTURE.slice(start, ARCHITECTURE.indexOf("\n## ", start));
}

/** The floor of each room, the highest being 0. */
function readFloors(): Map<string, number> {
  const [, list] = /```text\n([^]*?)```/.exec(layersSection()) ?? [];
  assert.ok(list !== undefined, "the layers are listed");
  const floors = new Map<string, number>();
  for (const [floor, line] of list.trim().split("\n").entries()) {
    for (const room of line.trim().split(/\s+/)) {
      assert.ok(!floors.has(room), `${room} has one floor`);
      floors.set(room, floor);
    }
  }
  return floors;
}

const FLOORS = readFloors();

/**
 * The room of a file: a folder of `lib/` or `routes/`, a folder of the root, or a file that has a floor
 * of its own.
 */
function roomOf(path: string): string {
  if (FLOORS.has(path)) return path;
  const parts = path.split("/");
  if (parts.length === 1) return parts[0]!;
  const isHouse = parts[0] === "lib" || parts[0] === "routes";
  return isHouse && parts.length > 2 ? `${parts[0]}/${parts[1]}` : parts[0]!;
}

/** The modules that each product file imports, for a type or for a value. */
const IMPORTS: ReadonlyMap<string, readonly string[]> = new Map(
  sourceFiles(PRODUCT).map((file) => [
    file.path,
    // What isn't code (a style sheet, issuers.json) stands on no floor.
    importsOf(file).map(({ from }) => from).filter((from) => /\.tsx?$/.test(from)),
  ]),
);

Deno.test("every import points to a lower floor", () => {
  const violations = [...IMPORTS].flatMap(([path, targets]) =>
    [...new Set(targets)].filter((target) => {
      const [room, other] = [roomOf(path), roomOf(target)];
      const [floor, below] = [FLOORS.get(room), FLOORS.get(other)];
      assert.ok(floor !== undefined, `docs/architecture.md has no floor for ${room} (${path})`);
      assert.ok(below !== undefined, `docs/architecture.md has no floor for ${other} (${target})`);
      return room !== other && below <= floor;
    }).map((target) => `${path} → ${target}`)
  );
  assert.deepEqual(violations.sort(), []);
});

Deno.test("every floor has rooms, and every arrow of the picture points downwards", () => {
  const rooms = new Set([...IMPORTS.keys()].map(roomOf));
  assert.deepEqual([...FLOORS.keys()].filter((room) => !rooms.has(room)), []);
  const [, picture] = /```mermaid\n([^]*?)```/.exec(layersSection()) ?? [];
  assert.ok(picture !== undefined);
  const floorsOf = (name: string): number[] => {
    const found = [...FLOORS].filter(([room]) =>
      room === name || room === `lib/${name}` || room === `${name}.ts` ||
      room.startsWith(`${name}/`)
    );
    assert.ok(found.length > 0, `the picture's ${name} is a room`);
    return found.map(([, floor]) => floor);
  };
  const arrows = [...picture.matchAll(/^\s*(.+?) --> (.+)$/gm)];
  assert.ok(arrows.length > 0);
  for (const [arrow, from, to] of arrows) {
    const above = from!.split(" & ").flatMap(floorsOf);
    const below = to!.split(" & ").flatMap(floorsOf);
    assert.ok(Math.max(...above) < Math.min(...below), arrow);
  }
});

/** The groups of files that import each other, directly or by way of others (Tarjan). */
function circles(): string[] {
  const found: string[] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path)!);
    stack.push(path);
    for (const target of IMPORTS.get(path) ?? []) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path)!, low.get(target)!));
    }
    if (low.get(path) !== index.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1) found.push(group.sort().join(", "));
  };
  for (const path of IMPORTS.keys()) if (!index.has(path)) visit(path);
  return found.sort();
}

Deno.test("no file imports itself by way of others, not even for a type", () => {
  assert.deepEqual(circles(), []);
});
