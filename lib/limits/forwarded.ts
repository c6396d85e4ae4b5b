/**
 * Who sent a request that came through proxies. Source: RFC 7239 for `Forwarded`; custom for
 * `X-Forwarded-For`.
 */
import { type Address, isWithin, type Network, readAddress } from "./address.ts";

/** The most proxies in a row whose headers are read. */
const HOPS = 16;

/** Of an entry of either header, in characters. */
const LONGEST_ENTRY = 256;

/**
 * The nearest address that isn't a trusted proxy's.
 *
 * Each proxy adds whom it heard from at the right end, and whoever sent the request may have written
 * anything before that. So the entries are read from the right, as long as they were added by a
 * trusted proxy. One that isn't an address ends the walk: the request then counts as sent by the
 * proxy that added it. Where there are both headers, a proxy may have added to one and passed on the
 * other as it came: unless they agree, neither is believed.
 *
 * @param peer who opened the connection; if that isn't a trusted proxy, no header is read.
 */
export function forwardedClient(
  peer: Address,
  headers: Headers,
  trusted: readonly Network[],
): Address {
  if (!isWithin(peer, trusted)) return peer;
  const custom = headers.get("x-forwarded-for");
  const standard = headers.get("forwarded");
  const byCustom = custom === null ? null : walk(peer, custom, readNode, trusted);
  const byStandard = standard === null ? null : walk(peer, standard, readElement, trusted);
  if (byCustom === null || byStandard === null) return byCustom ?? byStandard ?? peer;
  return byCustom.toString() === byStandard.toString() ? byCustom : peer;
}

function walk(
  peer: Address,
  header: string,
  read: (entry: string) => Address | null,
  trusted: readonly Network[],
): Address {
  let client = peer;
  let end = header.length;
  for (let hop = 0; hop < HOPS && end >= 0; hop++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(",", end - 1);
    const length = end - comma - 1;
    const address = length > LONGEST_ENTRY ? null : read(header.slice(comma + 1, end).trim());
    if (address === null) break;
    client = address;
    if (!isWithin(address, trusted)) break;
    end = comma;
  }
  return client;
}

/** An address, with or without a port; IPv6 in brackets or bare. */
function readNode(text: string): Address | null {
  const bracketed = /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const withPort = /^([\d.]+):\d{1,5}$/.exec(text)?.[1];
  return readAddress(bracketed ?? withPort ?? text);
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PAIR = new RegExp(`\\s*(${TOKEN})=(?:(${TOKEN})|"([^"\\\\]*)")\\s*(?:;|$)`, "y");

/**
 * The address in an element of `Forwarded`; it has one `for`. Commas within quotes were taken for
 * the end of the element: what is left of it is malformed, and no address needs one.
 */
function readElement(text: string): Address | null {
  const pairs = new RegExp(PAIR);
  let node: string | null = null;
  while (pairs.lastIndex < text.length) {
    const [, name, token, quoted] = pairs.exec(text) ?? [];
    if (name === undefined) return null;
    if (name.toLowerCase() !== "for") continue;
    if (node !== null) return null;
    node = token ?? quoted ?? "";
  }
  return node === null ? null : readNode(node);
}
