/** The least that a Hono server does, to compare a start with. */
import { Hono } from "hono";

const app = new Hono();
app.get("/", (c) => c.text("hello"));
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
}, app.fetch);
Deno.addSignalListener("SIGTERM", () => server.shutdown());
