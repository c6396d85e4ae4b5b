/** A badge in the schema that a shields.io endpoint badge reads. */
import { type Badge, messageText } from "./model.ts";
import { LABEL, PALETTE } from "./palette.ts";

interface ShieldsBadge {
  schemaVersion: 1;
  label: string;
  message: string;
  /** `#rrggbb` of the message's ground. */
  color: string;
  labelColor: string;
  /** Only ever true: keeps whoever embeds the badge from giving it another colour. */
  isError?: true;
  /** How long shields may keep it, in seconds; it takes no less than 300. */
  cacheSeconds: number;
}

/** The badge for `https://img.shields.io/endpoint`. */
export function shieldsOf(badge: Badge, cacheSeconds = 300): ShieldsBadge {
  return {
    schemaVersion: 1,
    label: badge.label,
    message: messageText(badge),
    color: PALETTE[badge.tone].ground,
    labelColor: LABEL.ground,
    // A `color=brightgreen` in the embedder's link would make any other badge look like a pass.
    ...(badge.tone === "pass" ? {} : { isError: true }),
    cacheSeconds,
  };
}
