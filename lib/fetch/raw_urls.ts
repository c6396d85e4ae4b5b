/** Links as people copy them, turned into links to the file itself. */

/** The raw file of a file page on GitHub, GitLab, gists or Hugging Face; other URLs unchanged. */
export function rawUrl(url: URL): URL {
  const raw = url.protocol === "https:" ? rawLocation(url) : null;
  return raw === null ? url : new URL(raw);
}

/**
 * Whether a URL is a Clankdar check's, whose ETag is the document id. Source: protocols spec 12.
 */
export function isClankdarCheck(url: URL): boolean {
  return /\/v1\/checks\/gs_[A-Za-z0-9_-]+$/.test(url.pathname);
}

function rawLocation({ host, origin, pathname, search }: URL): string | null {
  switch (host) {
    case "github.com":
    case "www.github.com": {
      // The query of a page (`?raw=true`, `?plain=1`) means nothing to the file.
      const file = /^\/([^/]+\/[^/]+)\/(?:blob|raw)\/([^/]+\/.+)$/.exec(pathname);
      return file && `https://raw.githubusercontent.com/${file[1]}/${file[2]}`;
    }
    case "gist.github.com":
      return rawGist(pathname);
    case "huggingface.co":
    case "www.huggingface.co":
    case "hf.co": {
      const file = /^(\/(?:(?:datasets|spaces)\/)?[^/]+(?:\/[^/]+)?)\/blob\/([^/]+\/.+)$/
        .exec(pathname);
      return file && `https://huggingface.co${file[1]}/resolve/${file[2]}${search}`;
    }
  }
  // GitLab runs on many hosts, and `/-/` is its own mark.
  const file = /^((?:\/[^/]+){2,})\/-\/blob\/([^/]+\/.+)$/.exec(pathname);
  return file && `${origin}${file[1]}/-/raw/${file[2]}${search}`;
}

/** A gist's page, at a revision or not. Where no file is named, the host gives the first one. */
function rawGist(pathname: string): string | null {
  const owned = /^\/([^/]+\/(?:[0-9a-f]{20,32}|[0-9]+))(?:\/raw)?((?:\/[^/]+){0,2})\/?$/
    .exec(pathname);
  if (owned !== null) {
    const [, gist, rest] = owned;
    const isPage = !pathname.startsWith(`/${gist}/raw`);
    if (isPage && !/^(?:\/[0-9a-f]{40})?$/.test(rest!)) return null;
    return `https://gist.githubusercontent.com/${gist}/raw${rest}`;
  }
  const anonymous = /^\/([0-9a-f]{20,32})\/?$/.exec(pathname);
  return anonymous && `https://gist.github.com/${anonymous[1]}/raw`;
}
