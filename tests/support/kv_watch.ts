/** A database that counts what is asked of it, and fails when told to. */

export interface WatchedKv {
  kv: Deno.Kv;
  reads: number;
  commits: number;
  /** Called before each read and commit; may throw or wait. */
  before: () => void | Promise<void>;
  /** Commits to come that another process gets ahead of. */
  conflicts: number;
}

/** Watches `kv`; only what limits use is counted. */
export function watchKv(kv: Deno.Kv): WatchedKv {
  const watched: WatchedKv = { kv, reads: 0, commits: 0, before: () => {}, conflicts: 0 };
  watched.kv = new Proxy(kv, {
    get(target, name) {
      if (name === "getMany") {
        return async (...args: Parameters<Deno.Kv["getMany"]>) => {
          watched.reads++;
          await watched.before();
          return await target.getMany(...args);
        };
      }
      if (name === "atomic") return () => watchAtomic(target.atomic());
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

  function watchAtomic(operation: Deno.AtomicOperation): Deno.AtomicOperation {
    const commit = operation.commit.bind(operation);
    operation.commit = async () => {
      watched.commits++;
      await watched.before();
      if (watched.conflicts === 0) return await commit();
      watched.conflicts--;
      return { ok: false };
    };
    return operation;
  }
  return watched;
}
