/** What URLs gave, in memory: so that it can be checked again without asking for it again. */
import { LRUCache } from "lru-cache";
import { checkInput, type CheckParts, isOutdated } from "../store/check.ts";
import type { InputLimits } from "../verify/input.ts";
import type { CheckedInput } from "../verify/jobs.ts";
import { join, share, type Shared } from "../async/asker.ts";

/** Documents that could be read, and their reports. */
export type Checked = CheckedInput;

/** The bytes that a URL gave. */
export interface Content {
  /** SHA-256 of the bytes as they came, which these may stand for. */
  sha: string;
  bytes: Uint8Array;
}

export interface Contents {
  /** What is in memory under a link's hash, if it is what `sha` says. */
  get(hash: string, sha: string): Content | null;
  /** `content` as it is known already, if it is. */
  set(hash: string, content: Content): Content;
  /**
   * The reports on a content that could be read before. None lacks a pool that is public by now.
   * Callers at the same time share one check.
   *
   * @throws {CheckerBusy}
   * @throws {StoreUnavailable}
   */
  check(content: Content): Promise<Checked>;
}

/** Contents kept, in bytes, with the reports on them. */
const CAPACITY = 64 * 1024 * 1024;

/** Besides its bytes. */
const OVERHEAD = 1024;

export function createContents(
  parts: CheckParts,
  options: { limits: InputLimits; signal: AbortSignal; capacity?: number },
): Contents {
  const { limits, signal, capacity = CAPACITY } = options;
  const kept = new LRUCache<string, Content>({ maxSize: capacity });
  const hashes = new WeakMap<Content, string>();
  const reports = new WeakMap<Content, Checked>();
  const checking = new WeakMap<Content, Shared<Checked>>();

  function keep(hash: string, content: Content): void {
    const checked = reports.get(content)?.checked ?? [];
    const size = checked.reduce((sum, { json }) => sum + json.length, content.bytes.length);
    kept.set(hash, content, { size: size + OVERHEAD });
  }

  async function run(content: Content): Promise<Checked> {
    const answer = await checkInput(content.bytes, parts, { limits, signal });
    if (!answer.ok) throw new Error(`what could be read can't be any more: ${answer.reason.code}`);
    // What there was no time for is worth another try.
    if (answer.checked.every(({ outcome }) => outcome !== null)) {
      reports.set(content, answer);
      const hash = hashes.get(content);
      // Larger by its reports, if it is still there.
      if (hash !== undefined && kept.peek(hash) === content) keep(hash, content);
    }
    return answer;
  }

  return {
    get(hash, sha) {
      const content = kept.get(hash);
      return content?.sha === sha ? content : null;
    },

    set(hash, content) {
      const known = kept.get(hash);
      if (known?.sha === content.sha) return known;
      hashes.set(content, hash);
      keep(hash, content);
      return content;
    },

    async check(content) {
      for (;;) {
        const known = reports.get(content);
        if (known !== undefined && !await isOutdated(known.checked, parts.store)) return known;
        let started = checking.get(content);
        if (started === undefined) {
          started = share(() => run(content).finally(() => checking.delete(content)));
          checking.set(content, started);
          return await started.promise;
        }
        // It may have begun before a pool became public.
        const joined = await join(started);
        if (!await isOutdated(joined.checked, parts.store)) return joined;
      }
    },
  };
}
