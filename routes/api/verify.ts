/** `POST /api/verify`: checks what is sent, stores nothing. */
import { Hono } from "hono";
import { answerText } from "../../lib/verify/jobs.ts";
import { acceptDocuments, receive } from "../http/body.ts";
import { payFor } from "../http/limits.ts";
import { checkBytes, type CheckedInput } from "./check.ts";
import { reply } from "../http/reply.ts";
import { requireAcceptance } from "./acceptance.ts";
import type { Services } from "../http/services.ts";

export function verifyRoutes(services: Services): Hono {
  const app = new Hono();
  app.post("/api/verify", acceptDocuments, async (c) => {
    const requirements = requireAcceptance(c, services.registry);
    const bytes = await receive(c);
    const checked = await checkBytes(bytes, services, {
      asked: requirements === null ? null : { requirements, now: services.now() },
      admit: (content) => payFor(c, content),
      whole: true,
      signal: c.req.raw.signal,
    });
    return replyChecked(c.req.raw, checked);
  });
  return app;
}

/**
 * Sends the reports on an input. 503 for a single document that there was not enough time for: a
 * program that looks at nothing but the status must not take it for an answer.
 */
export function replyChecked(
  request: Request,
  { checked, whole }: CheckedInput,
  headers: Record<string, string> = {},
): Response {
  const [only] = checked;
  const late = checked.length === 1 && only?.outcome === null && only.code === "budget-exceeded";
  const body = whole ?? answerText(checked);
  return reply(request, body, { type: "application/json", status: late ? 503 : 200, headers });
}
