/** Where the service is reached, for the links and addresses it hands out. */
export interface Site {
  /** Absolute, without a trailing slash: `https://touchstone.example`. */
  url: string;
  /** Its path alone, put before every link within the service; mostly empty. */
  path: string;
}

/** The site as configured, or as the request was addressed; without a name if its Host is none. */
export function siteOf(publicUrl: string | null, requestUrl: string): Site {
  if (publicUrl === null) return { url: URL.parse(requestUrl)?.origin ?? "", path: "" };
  return { url: publicUrl, path: new URL(publicUrl).pathname.replace(/\/+$/, "") };
}

/** Where a stored result is shown. */
interface ResultUrls {
  page: string;
  svg: string;
  png: string;
  json: string;
}

/** The absolute addresses of a stored result. */
export function resultUrls(site: Site, id: string): ResultUrls {
  const badge = (format: string) => `${site.url}/badge/${id}.${format}`;
  return {
    page: `${site.url}/r/${id}`,
    svg: badge("svg"),
    png: badge("png"),
    json: badge("json"),
  };
}
