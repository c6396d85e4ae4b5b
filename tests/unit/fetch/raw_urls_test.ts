import assert from "node:assert/strict";
import { isClankdarCheck, rawUrl } from "../../../lib/fetch/raw_urls.ts";
import { redactUrl } from "../../../lib/fetch/redact.ts";

const GIST = "0123456789abcdef0123456789abcdef";
const REVISION = "0123456789abcdef0123456789abcdef01234567";

Deno.test("file pages become raw files", () => {
  const cases: [string, string][] = [
    [
      "https://github.com/o/r/blob/main/results/a.json",
      "https://raw.githubusercontent.com/o/r/main/results/a.json",
    ],
    [
      "https://www.github.com/o/r/raw/refs/heads/main/a.json?raw=true",
      "https://raw.githubusercontent.com/o/r/refs/heads/main/a.json",
    ],
    [
      "https://github.com/o/r/blob/v1/a%20b/%C3%BC.json?plain=1",
      "https://raw.githubusercontent.com/o/r/v1/a%20b/%C3%BC.json",
    ],
    [
      "https://github.com/blob/raw/blob/blob/blob",
      "https://raw.githubusercontent.com/blob/raw/blob/blob",
    ],
    [
      "https://gitlab.com/g/p/-/blob/main/a.json?ref_type=heads",
      "https://gitlab.com/g/p/-/raw/main/a.json?ref_type=heads",
    ],
    [
      "https://gitlab.example:8443/g/sub/group/p/-/blob/main/d/a.json",
      "https://gitlab.example:8443/g/sub/group/p/-/raw/main/d/a.json",
    ],
    [
      `https://gist.github.com/user/${GIST}`,
      `https://gist.githubusercontent.com/user/${GIST}/raw`,
    ],
    [
      `https://gist.github.com/user/${GIST}/`,
      `https://gist.githubusercontent.com/user/${GIST}/raw`,
    ],
    [
      `https://gist.github.com/user/${GIST}/${REVISION}`,
      `https://gist.githubusercontent.com/user/${GIST}/raw/${REVISION}`,
    ],
    [
      `https://gist.github.com/user/${GIST}/raw`,
      `https://gist.githubusercontent.com/user/${GIST}/raw`,
    ],
    [
      `https://gist.github.com/user/${GIST}/raw/${REVISION}/a.json`,
      `https://gist.githubusercontent.com/user/${GIST}/raw/${REVISION}/a.json`,
    ],
    ["https://gist.github.com/user/123456", "https://gist.githubusercontent.com/user/123456/raw"],
    [`https://gist.github.com/${GIST}`, `https://gist.github.com/${GIST}/raw`],
    [
      "https://huggingface.co/o/model/blob/main/a.json",
      "https://huggingface.co/o/model/resolve/main/a.json",
    ],
    [
      "https://huggingface.co/datasets/o/d/blob/main/x/a.jsonl?download=true",
      "https://huggingface.co/datasets/o/d/resolve/main/x/a.jsonl?download=true",
    ],
    [
      "https://hf.co/spaces/o/s/blob/main/a.json",
      "https://huggingface.co/spaces/o/s/resolve/main/a.json",
    ],
    [
      "https://huggingface.co/gpt2/blob/main/a.json",
      "https://huggingface.co/gpt2/resolve/main/a.json",
    ],
  ];
  for (const [page, raw] of cases) assert.equal(rawUrl(new URL(page)).href, raw);
});

Deno.test("all other URLs stay as they are", () => {
  for (
    const url of [
      "https://github.com/o/r",
      "https://github.com/o/r/tree/main/a.json",
      "https://github.com/o/r/blob/main",
      "https://github.com/o/r/blob/main/",
      "https://github.com/o/r/releases/download/v1/a.json.gz",
      "https://github.com/o/blob/r/main/a.json",
      "https://github.com.evil.example/o/r/blob/main/a.json",
      "https://evil.example/github.com/o/r/blob/main/a.json",
      "https://github.com:8443/o/r/blob/main/a.json",
      "http://github.com/o/r/blob/main/a.json",
      "https://raw.githubusercontent.com/o/r/main/a.json",
      "https://api.github.com/repos/o/r/contents/a.json",
      "https://gist.github.com/user",
      "https://gist.github.com/discover",
      `https://gist.github.com/user/${GIST}/revisions`,
      `https://gist.github.com/user/${GIST}/edit`,
      `https://gist.githubusercontent.com/user/${GIST}/raw/a.json`,
      "https://gitlab.com/g/p/-/raw/main/a.json",
      "https://gitlab.com/g/p/-/blob/main",
      "https://gitlab.com/-/blob/main/a.json",
      "https://huggingface.co/o/model/resolve/main/a.json",
      "https://huggingface.co/o/model/tree/main",
      "https://example.com/o/r/blob/main/a.json",
      "https://api.clankdar.example/v1/checks/gs_thKukn9ya3WK",
      "https://example.com/",
    ]
  ) {
    assert.equal(rawUrl(new URL(url)).href, url);
  }
});

Deno.test("a Clankdar check is known by its path", () => {
  const yes = [
    "https://api.clankdar.example/v1/checks/gs_thKukn9ya3WK",
    "https://clankdar.example/api/v1/checks/gs_-5dd35ZEMwju?x",
  ];
  const no = [
    "https://api.clankdar.example/v1/checks/gs_",
    "https://api.clankdar.example/v1/checks/",
    "https://api.clankdar.example/v1/checks/gs_a/responses",
    "https://api.clankdar.example/v1/checks/att_a",
    "https://api.clankdar.example/v2/checks/gs_a",
    "https://api.clankdar.example/xv1/checks/gs_a/b",
    "https://api.clankdar.example/?/v1/checks/gs_a",
  ];
  for (const url of yes) assert.equal(isClankdarCheck(new URL(url)), true, url);
  for (const url of no) assert.equal(isClankdarCheck(new URL(url)), false, url);
});

Deno.test("a URL for logs has no query, credentials or fragment, and says so", () => {
  for (
    const [url, shown] of [
      ["https://example.com/a/b", "https://example.com/a/b"],
      ["https://example.com/a?token=s3cret", "https://example.com/a?…"],
      ["https://example.com?s3cret", "https://example.com/?…"],
      ["https://example.com/a?", "https://example.com/a"],
      ["https://example.com/a#s3cret", "https://example.com/a"],
      ["https://s3cret@example.com:8443/a", "https://…@example.com:8443/a"],
      ["https://user:s3cret@example.com/a?s3cret#s3cret", "https://…@example.com/a?…"],
      ["https://:s3cret@example.com/", "https://…@example.com/"],
      ["http://[::1]:8000/a?b", "http://[::1]:8000/a?…"],
      ["https://example.com/a\nb?c", "https://example.com/ab?…"],
      ["https://example.com/\u001b[31m", "https://example.com/%1B[31m"],
      ["data:text/plain,s3cret", "…"],
      ["s3cret", "…"],
      ["", "…"],
    ] as const
  ) {
    assert.equal(redactUrl(url), shown);
    if (URL.canParse(url)) assert.equal(redactUrl(new URL(url)), shown);
  }
});
