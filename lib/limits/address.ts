/** Addresses of clients and proxies. */
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses that share their first bits. */
export type Network = readonly [base: Address, bits: number];

/** The longest text of an IPv6 address. */
const LONGEST = 45;

/** IPv4 addresses in IPv6. The library's own question for them goes through all ranges it knows. */
const MAPPED = ipaddr.IPv6.parse("::ffff:0:0");

/**
 * Reads an address in its usual spelling: four decimal parts, or IPv6 without a zone. One that is
 * mapped into IPv6 counts as the IPv4 address. Null for anything else.
 */
export function readAddress(text: string): Address | null {
  if (text.length > LONGEST) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(":") || text.includes("%")) return null;
  try {
    const address = ipaddr.IPv6.parse(text);
    return address.match(MAPPED, 96) ? address.toIPv4Address() : address;
  } catch {
    return null;
  }
}

/**
 * Reads `10.0.0.0/8` or a single address; null for anything else. Neither everybody (`/0`) nor
 * IPv4 networks in IPv6 spelling are networks here.
 */
export function readNetwork(text: string): Network | null {
  const [, written = "", prefix] = /^([^/]*)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const base = readAddress(written);
  if (base === null) return null;
  const longest = base.kind() === "ipv4" ? 32 : 128;
  if (prefix === undefined) return [base, longest];
  if (base.kind() === "ipv4" && written.includes(":")) return null;
  return Number(prefix) <= longest ? [base, Number(prefix)] : null;
}

/** Whether an address is in one of the networks. */
export function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([base, bits]) =>
    base.kind() === address.kind() && address.match(base, bits)
  );
}

/** The name that an address is counted under: of IPv6 the /64, which is what one subscriber holds. */
export function clientName(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts.slice(0, 4).map((group) => group.toString(16)).join(":")}::/64`;
}
