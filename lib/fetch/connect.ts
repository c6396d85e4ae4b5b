/** Connections that go to a checked address and nowhere else. */
import net from "node:net";
import tls from "node:tls";
import { FetchError } from "./error.ts";
import { literalAddress, portOf } from "./target.ts";

interface ConnectOptions {
  /** How long one address may keep the next one waiting, in milliseconds. */
  attemptMs: number;
  signal: AbortSignal;
  ca?: readonly string[];
}

/**
 * A socket to the first of `addresses` that answers, with TLS for https: the certificate is checked
 * against the URL's host, and the handshake is over.
 *
 * The addresses are IP addresses, so that nothing is resolved any more; no proxy is asked.
 *
 * @throws {FetchError} `fetch-unreachable`
 * @throws the signal's reason.
 */
export async function connect(
  url: URL,
  addresses: readonly string[],
  options: ConnectOptions,
): Promise<net.Socket> {
  let cause: unknown;
  for (const [index, address] of addresses.entries()) {
    const patience = index < addresses.length - 1 ? options.attemptMs : null;
    try {
      return await attempt(url, address, patience, options);
    } catch (error) {
      options.signal.throwIfAborted();
      cause = error;
    }
  }
  throw new FetchError(
    "fetch-unreachable",
    "the host can't be reached, or its certificate isn't valid for it; check the URL in a browser",
    { cause },
  );
}

function attempt(
  url: URL,
  address: string,
  patience: number | null,
  { signal, ca }: ConnectOptions,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = open(url, address, ca);
    // Stays for good: without a listener, a late error would end the process.
    socket.on("error", fail);
    socket.once("close", () => fail(new Error("closed while connecting")));
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
      stopWaiting();
      resolve(socket);
    });
    const onAbort = () => fail(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = patience === null
      ? undefined
      : setTimeout(() => fail(new Error("no answer from this address")), patience);

    function stopWaiting(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
    function fail(reason: unknown): void {
      stopWaiting();
      socket.destroy();
      reject(reason);
    }
  });
}

function open(url: URL, address: string, ca?: readonly string[]): net.Socket {
  const target = { host: address, port: portOf(url), autoSelectFamily: false };
  if (url.protocol !== "https:") return net.connect(target);
  const literal = literalAddress(url.hostname);
  return tls.connect({
    ...target,
    // An address has no server name to send.
    servername: literal === null ? url.hostname : "",
    // Said outright, so that it can't depend on what else is given here.
    checkServerIdentity: (_, certificate) =>
      tls.checkServerIdentity(literal ?? url.hostname, certificate),
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    ...(ca && { ca: [...ca] }),
  });
}
