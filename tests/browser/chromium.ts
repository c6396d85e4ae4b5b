/** A real Chromium for tests. */
/** The browser's command; null: there is none here, and its tests are skipped. */
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

/** Runs Chromium on a page; its console goes to `log`. */
export async function browse(
  url: string,
  ...args: string[]
): Promise<{ out: string; log: string }> {
  const profile = await Deno.makeTempDir();
  try {
    const { stdout, stderr } = await new Deno.Command(CHROMIUM!, {
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-logging=stderr",
        `--user-data-dir=${profile}`,
        ...args,
        url,
      ],
    }).output();
    const decoder = new TextDecoder();
    return { out: decoder.decode(stdout), log: decoder.decode(stderr) };
  } finally {
    await Deno.remove(profile, { recursive: true }).catch(() => {});
  }
}
