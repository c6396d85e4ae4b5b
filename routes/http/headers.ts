/** The headers that browsers enforce: for pages, and for what programs read. */
import { secureHeaders } from "hono/secure-headers";

/** For pages. What programs read gets stricter headers still, or needs none of these. */
export const PAGE_HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: "DENY",
  // Without any referrer, browsers would send the forms' Origin as null.
  referrerPolicy: "same-origin",
  // Whoever terminates TLS decides about Strict-Transport-Security.
  strictTransportSecurity: false,
});

/** For what programs read. */
export const API_HEADERS = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: "cross-origin",
  strictTransportSecurity: false,
});

/** What responses get that no route has seen: the same as {@link API_HEADERS}, as far as it matters. */
export const BARE_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
