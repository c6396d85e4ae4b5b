/** Watches where connections go, so that tests can use public addresses without sending anything. */
import net from "node:net";
import tls from "node:tls";

export interface Dials extends Disposable {
  /** `address:port` of each connection that was tried, in order; IPv6 in brackets. */
  tried: string[];
}

/**
 * Until disposed of, a connection to `address:port` goes to the loopback port that `routes` has for
 * it. All others but those to loopback end at once, as if refused.
 */
export function watchDials(routes: Record<string, number> = {}): Dials {
  const { connect: connectTcp } = net;
  const { connect: connectTls } = tls;
  const tried: string[] = [];

  type Target = { host: string; port: number };
  const rerouted = <T extends Target>(target: T): T => {
    const { host, port } = target;
    const name = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    tried.push(name);
    const route = routes[name];
    if (route !== undefined) return { ...target, host: "127.0.0.1", port: route };
    return /^127\.|^::1$/.test(host) ? target : { ...target, host: "127.0.0.1", port: CLOSED_PORT };
  };
  net.connect = ((target: Target) => connectTcp(rerouted(target))) as typeof net.connect;
  tls.connect = ((target: Target) => connectTls(rerouted(target))) as typeof tls.connect;
  return {
    tried,
    [Symbol.dispose]() {
      net.connect = connectTcp;
      tls.connect = connectTls;
    },
  };
}

/** Nothing listens there without being root. */
const CLOSED_PORT = 1;
