/** What is sent about the service itself, and badges for shields.io. */
import { z } from "zod";

export const shieldsSchema = z.strictObject({
  schemaVersion: z.literal(1),
  label: z.string(),
  message: z.string(),
  color: z.string(),
  labelColor: z.string(),
  isError: z.literal(true).optional(),
  cacheSeconds: z.int(),
}).meta({ id: "ShieldsBadge", description: "A badge for the shields.io endpoint" });

export const healthSchema = z.strictObject({ status: z.literal("ok"), version: z.string() })
  .meta({ id: "Health", description: "The service runs" });
