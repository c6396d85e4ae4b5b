/** `POST /api/verify`: checks what is sent, stores nothing. */
import { Hono } from "hono";
import { summarise } from "../lib/verify/summary.ts";
import { acceptDocuments, limitBody, MAX_BODY_BYTES, readBody } from "./body.ts";
import { checkInput } from "./check.ts";
import { replyJson } from "./reply.ts";
import type { Services } from "./services.ts";

export function verifyRoutes(services: Services): Hono {
  const app = new Hono();
  app.post("/api/verify", acceptDocuments, limitBody(MAX_BODY_BYTES), async (c) => {
    const input = await readBody(c);
    const results = await checkInput(input, services);
    return replyJson(c.req.raw, { results, summary: summarise(results) });
  });
  return app;
}
