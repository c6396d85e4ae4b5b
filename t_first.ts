const id = Deno.args[0]!;
for (let n = 0; n < 5; n++) {
  const t0 = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "-A", ...(Deno.args.slice(2)), "main.ts", "serve"],
    env: { PORT: "0", KV_PATH: "/tmp/first.kv", VERIFY_WORKERS: Deno.args[1]!, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "null",
    stdin: "null",
  }).spawn();
  const r = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  let url;
  while (!url) {
    const { value } = await r.read();
    said += value;
    url = /http:\S+/.exec(said)?.[0];
  }
  const t1 = performance.now();
  const a = await fetch(`${url}/badge/${id}.svg`);
  const text = await a.text();
  const t2 = performance.now();
  const b = await fetch(`${url}/badge/${id}.svg?label=x`);
  await b.text();
  const t3 = performance.now();
  console.log(
    a.status,
    text.length,
    "listen",
    (t1 - t0).toFixed(0),
    "first badge",
    (t2 - t1).toFixed(0),
    "second cold",
    (t3 - t2).toFixed(0),
  );
  child.kill("SIGTERM");
  await child.status;
  await r.cancel();
}
