/** Tells addresses of the public internet from all others. */
import ipaddr from "ipaddr.js";
import { clientName, readAddress } from "../limits/address.ts";

/** Public by their range, and yet not: the address of Azure's own services. */
const EXTRA_BLOCKED = new Set(["168.63.129.16"]);

/** All that has been given out as global unicast. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** The usual spelling only: `010.0.0.1` is another address to some readers than to others. */
const DOTTED_DECIMAL = /^(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}$/;

/**
 * Whether a text is an address that anybody on the internet may be asked to connect to.
 *
 * False for everything that isn't an IPv4 address in dotted decimal or an IPv6 address without zone.
 * An IPv6 address that carries an IPv4 one (mapped, compatible, translated, 6to4, Teredo, ISATAP) is
 * never public: whoever means the other address can say so.
 */
export function isPublicAddress(text: string): boolean {
  if (DOTTED_DECIMAL.test(text)) {
    return ipaddr.IPv4.isValid(text) && ipaddr.IPv4.parse(text).range() === "unicast" &&
      !EXTRA_BLOCKED.has(text);
  }
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.match(GLOBAL_UNICAST) && address.range() === "unicast" && !isIsatap(address);
}

/** Interface ids made of an IPv4 address, `0000:5efe:a.b.c.d`, either bit of the first group aside. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4]! & 0xfcff) === 0 && parts[5] === 0x5efe;
}

/**
 * The name under which requests to an address are counted, see {@link clientName}: whoever has one
 * address of an IPv6 network of 64 bits mostly has them all.
 */
export function addressKey(text: string): string {
  const address = readAddress(text);
  return address === null ? text : clientName(address);
}
