/** The form that documents are pasted or uploaded into. */
import { html } from "hono/html";
import type { Html } from "./layout.ts";
import type { Site } from "../../http/site.ts";

/**
 * The form. A pool is never given back: it may be secret.
 *
 * @param query what the page's address asks for, `?` included, or empty.
 * @param document what was pasted before.
 */
export function formHtml(site: Site, query = "", document = ""): Html {
  return html`
    <form class="verify" method="post" action="${site.path}/verify${query}"
      enctype="multipart/form-data">
      <div class="field">
        <label for="document">Receipt or admission</label>
        <textarea id="document" name="document" rows="8" spellcheck="false" autocomplete="off"
          placeholder='{"payload":"…","protocol":"clankdar-gate-v1","signature":"…"}'>${document}</textarea>
      </div>
      <div class="field">
        <label
          for="file">or a file <small>JSON, JSON lines, or gzip of these; at most 4 MiB</small></label>
        <input id="file" name="file" type="file">
      </div>
      <details>
        <summary>Check with a pool of yours</summary>
        <p>A pool given here is used for this check only. It is neither stored nor logged, and a kept result is shown without it. To make one public, <a href="${site
          .path}/pools">publish it</a>.</p>
        <div class="field">
          <label for="pool">Pool</label>
          <textarea id="pool" name="pool" rows="4" spellcheck="false" autocomplete="off"></textarea>
        </div>
        <div class="field">
          <label for="poolFile">or a pool file</label>
          <input id="poolFile" name="poolFile" type="file">
        </div>
      </details>
      <div class="buttons">
        <button name="action" value="verify">Verify</button>
        <button name="action" value="keep" class="second">Keep and make a badge</button>
      </div>
      <p
        class="hint">Verify stores nothing. Keeping stores the document for everyone: it is listed under its issuer, its session and its pool.</p>
    </form>
  `;
}
