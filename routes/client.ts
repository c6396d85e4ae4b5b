/** Who sends a request, for hourly quotas. */
import type { Context } from "hono";

/**
 * The client's address as the connection has it; an IPv6 client is its /64, which is what one
 * subscriber holds. Null where the address isn't known. Headers are not believed: behind a proxy all
 * its clients are one.
 */
export function clientOf(c: Context): string | null {
  const info: unknown = c.env;
  if (!hasAddress(info)) return null;
  const { hostname } = info.remoteAddr;
  if (!hostname.includes(":")) return hostname;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(hostname);
  if (mapped !== null) return mapped[1]!;
  return `${expand(hostname).slice(0, 4).join(":")}::/64`;
}

/** The eight groups of an IPv6 address. */
function expand(address: string): string[] {
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = (text: string) => text === "" ? [] : text.split(":");
  const before = groups(head);
  if (tail === undefined) return before;
  const after = groups(tail);
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after];
}

/** What Deno.serve gives beside a request. */
function hasAddress(info: unknown): info is { remoteAddr: { hostname: string } } {
  if (typeof info !== "object" || info === null || !("remoteAddr" in info)) return false;
  const { remoteAddr } = info;
  return typeof remoteAddr === "object" && remoteAddr !== null && "hostname" in remoteAddr &&
    typeof remoteAddr.hostname === "string";
}
