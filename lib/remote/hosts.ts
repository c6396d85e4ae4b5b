/** Keeps fetches from hammering one host, whoever asks for them. */

export interface HostLimits {
  /** Fetches from one host at a time. */
  concurrent: number;
  /** Fetches from one host a minute, in the long run. */
  perMinute: number;
  /** Fetches from one host at once after a pause. */
  burst: number;
}

export interface Hosts {
  /**
   * Counts one request to a host, until the function it gives is called (more calls do nothing).
   *
   * @param host a host name or address as a URL has it, without a port.
   * @throws {FetchError} `fetch-host-busy`, with the seconds to wait.
   */
  enter(host: string): () => void;
}

export function createHosts(
  _options: Partial<HostLimits> & { clock?: () => number } = {},
): Hosts {
  throw new Error("not built yet");
}
