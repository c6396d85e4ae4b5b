/** `POST /api/verify`: checks what is sent, stores nothing. */
import { Hono } from "hono";
import { withAcceptance } from "../lib/verify/acceptance.ts";
import { summarise } from "../lib/verify/summary.ts";
import { requireAcceptance } from "./acceptance.ts";
import { acceptDocuments, limitBody, MAX_BODY_BYTES, readBody } from "./body.ts";
import { checkInput } from "./check.ts";
import { replyJson } from "./reply.ts";
import type { Services } from "./services.ts";

export function verifyRoutes(services: Services): Hono {
  const app = new Hono();
  app.post("/api/verify", acceptDocuments, limitBody(MAX_BODY_BYTES), async (c) => {
    const requirements = requireAcceptance(c, services.registry);
    const input = await readBody(c);
    const now = services.now();
    const results = (await checkInput(input, services))
      .map((report) => withAcceptance(report, requirements, now));
    return replyJson(c.req.raw, { results, summary: summarise(results) });
  });
  return app;
}
