/** A worker that keeps a verifier busy, so that whoever measures has a thread of their own. */

export interface FeedRequest {
  /** Where documents are checked. */
  url: string;
  batch: string;
  /** Batches on their way at a time. */
  at: number;
}

export interface Fed {
  /** Documents whose check came to an end. */
  checked: number;
  /** Batches that were turned away, as too many waited. */
  busy: number;
}

interface Scope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: Fed): void;
}

const scope = globalThis as unknown as Scope;
const stopping = new AbortController();
const { signal } = stopping;

scope.onmessage = ({ data }: MessageEvent<FeedRequest>) => {
  const fed: Fed = { checked: 0, busy: 0 };
  const body = new TextEncoder().encode(data.batch);
  const all = Promise.all(Array.from({ length: data.at }, () => feed(data.url, body, fed)));
  scope.onmessage = async () => {
    stopping.abort();
    await all;
    scope.postMessage(fed);
  };
};

async function feed(url: string, body: Uint8Array<ArrayBuffer>, fed: Fed): Promise<void> {
  const headers = { "content-type": "application/json" };
  while (!signal.aborted) {
    try {
      const answer = await fetch(url, { method: "POST", headers, body, signal });
      const text = await answer.text();
      if (answer.status === 503 && !text.includes('"summary"')) {
        fed.busy++;
        continue;
      }
      // The sums stand at the end of some megabytes.
      const [, documents, unfinished] =
        /"documents":(\d+),.*"unfinished":(\d+)/.exec(text.slice(-300)) ?? [];
      if (documents === undefined) throw new Error(`${answer.status}: ${text.slice(0, 300)}`);
      fed.checked += Number(documents) - Number(unfinished);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
