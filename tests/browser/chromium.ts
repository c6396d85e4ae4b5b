/** Chromium, where it is installed. */

/** Its command; null: it isn't here. */
export const CHROMIUM = await find(["chromium", "chromium-browser", "google-chrome"]);

async function find(names: string[]): Promise<string | null> {
  for (const name of names) {
    try {
      const { success } = await new Deno.Command(name, { args: ["--version"] }).output();
      if (success) return name;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}

/** Defines a test that needs Chromium; where there is none, one that says that it was skipped. */
export function whereChromium(name: string, define: () => void): void {
  if (CHROMIUM !== null) define();
  else Deno.test({ name: `${name} (skipped: no Chromium here)`, ignore: true, fn() {} });
}

/** Arguments of every run, beside a profile of its own. */
function argumentsFor(profile: string): string[] {
  return [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--user-data-dir=${profile}`,
  ];
}

/** Runs Chromium on a page; its console goes to `log`. */
export async function browse(
  url: string,
  ...args: string[]
): Promise<{ out: string; log: string }> {
  const profile = await Deno.makeTempDir();
  try {
    const { stdout, stderr } = await new Deno.Command(CHROMIUM!, {
      args: [...argumentsFor(profile), "--enable-logging=stderr", ...args, url],
    }).output();
    const decoder = new TextDecoder();
    return { out: decoder.decode(stdout), log: decoder.decode(stderr) };
  } finally {
    await Deno.remove(profile, { recursive: true }).catch(() => {});
  }
}

/** How long a page may take. */
const PATIENCE_MS = 20_000;

/** A page that a person would have before them. */
export interface Tab {
  /** Goes to an address and waits for the page. */
  open(url: string): Promise<void>;
  /** The value of an expression in the page, or of the last one of several. */
  evaluate<T = string>(code: string): Promise<T>;
  /** Waits until an expression is true. */
  until(code: string): Promise<void>;
  /** The window as a person would have it, in CSS pixels and with a reader's preferences. */
  look(size: { width: number; height: number }, media?: Media): Promise<void>;
  /** A PNG of a part of the page in CSS pixels, or of what the window shows. */
  picture(clip?: Rectangle): Promise<Uint8Array<ArrayBuffer>>;
}

/** Preferences, as CSS media features. */
export type Media = Readonly<
  Partial<Record<"prefers-color-scheme" | "forced-colors" | "prefers-contrast", string>>
>;

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Message {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/**
 * Starts Chromium with a tab, to be told what to do through the DevTools protocol. Every name under
 * `example` is this machine.
 */
export async function openBrowser(): Promise<AsyncDisposable & { tab: Tab }> {
  const profile = await Deno.makeTempDir();
  const child = new Deno.Command(CHROMIUM!, {
    args: [
      ...argumentsFor(profile),
      "--remote-debugging-port=0",
      "--host-resolver-rules=MAP *.example 127.0.0.1",
      "about:blank",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = child.stderr.pipeThrough(new TextDecoderStream());
  const { address, draining } = await listen(errors);
  const socket = new WebSocket(address);
  const closed = new Promise((done) => socket.onclose = done);
  await new Promise((done, fail) => [socket.onopen, socket.onerror] = [done, fail]);

  const waiting = new Map<number, (message: Message) => void>();
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(data);
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  };
  let calls = 0;
  async function call(method: string, params: object, sessionId?: string) {
    const id = ++calls;
    const answered = new Promise<Message>((done) => waiting.set(id, done));
    socket.send(JSON.stringify({ id, method, params, sessionId }));
    const { result, error } = await answered;
    waiting.delete(id);
    if (result === undefined) throw new Error(`${method}: ${error?.message}`);
    return result;
  }

  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  const attached = await call("Target.attachToTarget", { targetId, flatten: true });
  const session = String(attached.sessionId);
  const tab: Tab = {
    async open(url) {
      await call("Page.navigate", { url }, session);
      await tab.until(
        `location.href === ${JSON.stringify(url)} && document.readyState === "complete"`,
      );
    },
    async evaluate<T>(expression: string) {
      const params = { expression, returnByValue: true, awaitPromise: true };
      const { result } = await call("Runtime.evaluate", params, session);
      return (result as { value: T }).value;
    },
    async until(code) {
      const end = performance.now() + PATIENCE_MS;
      for (;;) {
        // While one page makes room for the next there is nothing to ask.
        const so = await tab.evaluate<boolean>(code).catch(() => false);
        if (so) return;
        if (performance.now() > end) throw new Error(`this didn't come true: ${code}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    },
    async look({ width, height }, media = {}) {
      const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
      await call("Emulation.setDeviceMetricsOverride", metrics, session);
      const features = Object.entries(media).map(([name, value]) => ({ name, value }));
      await call("Emulation.setEmulatedMedia", { features }, session);
    },
    async picture(clip) {
      const params = clip && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true };
      const { data } = await call("Page.captureScreenshot", { format: "png", ...params }, session);
      return Uint8Array.from(atob(String(data)), (char) => char.charCodeAt(0));
    },
  };
  return {
    tab,
    async [Symbol.asyncDispose]() {
      await call("Browser.close", {}).catch(() => {});
      await closed;
      await child.status;
      await draining;
      await Deno.remove(profile, { recursive: true }).catch(() => {});
    },
  };
}

/** Reads where Chromium listens, and everything that it says after that. */
async function listen(errors: ReadableStream<string>) {
  const found = Promise.withResolvers<string>();
  let said = "";
  const draining = (async () => {
    for await (const text of errors) {
      said += text;
      const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (address !== undefined) found.resolve(address);
    }
    found.reject(new Error(`Chromium ended: ${said}`));
  })();
  return { address: await found.promise, draining };
}
