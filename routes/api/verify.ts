/** `POST /api/verify`: checks what is sent, stores nothing. */
import { Hono } from "hono";
import type { CheckedResponse } from "../../lib/store/check.ts";
import { acceptDocuments, receive } from "../http/body.ts";
import { payFor } from "../http/limits.ts";
import { checkBytesToText } from "./check.ts";
import { reply } from "../http/reply.ts";
import { requireAcceptance } from "./acceptance.ts";
import type { Services } from "../http/services.ts";

export function verifyRoutes(services: Services): Hono {
  const app = new Hono();
  app.post("/api/verify", acceptDocuments, async (c) => {
    const requirements = requireAcceptance(c, services.registry);
    const bytes = await receive(c);
    const checked = await checkBytesToText(bytes, services, {
      asked: requirements === null ? null : { requirements, now: services.now() },
      admit: (content) => payFor(c, content),
      signal: c.req.raw.signal,
    });
    return replyChecked(c.req.raw, checked);
  });
  return app;
}

/**
 * Sends the reports on an input. 503 for a single document that there was not enough time for: a
 * program that looks at nothing but the status must not take such a report for a result.
 */
export function replyChecked(
  request: Request,
  { checked, text }: Omit<CheckedResponse, "ok">,
  headers: Record<string, string> = {},
): Response {
  const [only] = checked;
  const late = checked.length === 1 && only?.outcome === null && only.code === "budget-exceeded";
  return reply(request, text, { type: "application/json", status: late ? 503 : 200, headers });
}
