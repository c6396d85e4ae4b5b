/**
 * Files that hold secrets: readable by their owner only, never overwritten, replaced only as a whole.
 * Paths are the caller's (`callersPath`).
 */
import { callersPath } from "./paths.ts";
import { UsageError } from "./usage.ts";

const PRIVATE = 0o600;

/**
 * Writes a new file.
 *
 * @throws {UsageError} if the file exists, or can't be written.
 */
export async function createPrivateFile(named: string, text: string): Promise<void> {
  const path = callersPath(named);
  await explain(path, async () => {
    const file = await Deno.open(path, { write: true, createNew: true, mode: PRIVATE });
    try {
      await writeAll(file, text);
    } catch (error) {
      await Deno.remove(path).catch(() => {});
      throw error;
    } finally {
      file.close();
    }
  });
}

/**
 * Replaces a file at one stroke: whoever reads it, also after a crash, finds the old or the new
 * text. Hold a {@link lock} to keep others from doing the same meanwhile.
 */
export async function replacePrivateFile(named: string, text: string): Promise<void> {
  const path = callersPath(named);
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  await createPrivateFile(temporary, text);
  await explain(path, async () => {
    try {
      await Deno.rename(temporary, path);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error;
    }
  });
}

/** Creates a folder for private files. @throws {UsageError} if it exists, or can't be made. */
export async function createPrivateFolder(named: string): Promise<void> {
  const path = callersPath(named);
  await explain(path, () => Deno.mkdir(path, { mode: 0o700 }));
}

/**
 * Waits until no other process holds the lock file `path`. The lock ends with the process at the
 * latest, so a crash leaves none behind.
 */
export async function lock(named: string): Promise<Disposable> {
  const path = callersPath(named);
  const options = { create: true, write: true, mode: PRIVATE };
  const file = await explain(path, () => Deno.open(path, options));
  await file.lock(true);
  return { [Symbol.dispose]: () => file.close() };
}

/** Reads a text file. @throws {UsageError} if it can't be read. */
export async function readTextFile(named: string): Promise<string> {
  const path = callersPath(named);
  return await explain(path, () => Deno.readTextFile(path));
}

/** Runs `act` on `path`, with what goes wrong in the file system in words a person can act on. */
export async function explain<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new UsageError(`file-exists: ${path} exists, and is never overwritten`);
    }
    if (error instanceof Deno.errors.NotFound) {
      throw new UsageError(`file-not-found: ${path}: no such file or folder`);
    }
    if (error instanceof Error) throw new UsageError(`file-unusable: ${path}: ${error.message}`);
    throw error;
  }
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) rest = rest.subarray(await file.write(rest));
  await file.sync();
}
