/** The least that a badge server does: draws each badge anew with the npm package badge-maker. */
import { makeBadge } from "./badge_maker_package.ts";

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
}, () => {
  const badge = makeBadge({
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed",
    color: "#f3bd4e",
  });
  return new Response(badge, { headers: { "content-type": "image/svg+xml" } });
});
Deno.addSignalListener("SIGTERM", () => server.shutdown());
