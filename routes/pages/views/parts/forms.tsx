/** @jsxImportSource hono/jsx */
/** The forms that documents and URLs are checked with. */
import type { Child } from "hono/jsx";
import type { Site } from "../../../http/site.ts";

interface TextFieldProps {
  name: string;
  label: Child;
  rows: number;
  placeholder?: string;
  /** What the field holds already. */
  text?: string;
}

/** A field that a document is pasted into. */
export function TextField({ name, label, rows, placeholder, text = "" }: TextFieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea
        id={name}
        name={name}
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder}
      >
        {text}
      </textarea>
    </div>
  );
}

/** A field that a file is chosen with. */
export function FileField({ name, label }: { name: string; label: Child }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} type="file" />
    </div>
  );
}

/** A button that sends its form, and says in the field `action` which of the form's buttons it was. */
export function Submit(
  { action, second = false, children }: { action?: string; second?: boolean; children: Child },
) {
  return (
    <button
      name={action === undefined ? undefined : "action"}
      value={action}
      class={second ? "second" : undefined}
      type="submit"
    >
      {children}
    </button>
  );
}

interface DocumentFormProps {
  site: Site;
  /** What the page's address asks for, `?` included, or empty. */
  query?: string;
  /** What was pasted before. */
  document?: string;
}

/** The form that documents are pasted or uploaded into. A pool is never given back: it may be secret. */
export function DocumentForm({ site, query = "", document = "" }: DocumentFormProps) {
  return (
    <form
      class="verify"
      method="post"
      action={`${site.path}/verify${query}`}
      enctype="multipart/form-data"
    >
      <TextField
        name="document"
        label="Receipt or admission"
        rows={8}
        placeholder='{"payload":"…","protocol":"clankdar-gate-v1","signature":"…"}'
        text={document}
      />
      <FileField
        name="file"
        label={
          <>
            or a file <small>JSON, JSON lines, or gzip of these; at most 4 MiB</small>
          </>
        }
      />
      <details>
        <summary>Check with a pool of yours</summary>
        <p>
          A pool given here is used for this check only. It is neither stored nor logged, and a
          stored result is shown without it. To make one public,{" "}
          <a href={`${site.path}/pools`}>publish it</a>.
        </p>
        <TextField name="pool" label="Pool" rows={4} />
        <FileField name="poolFile" label="or a pool file" />
      </details>
      <div class="buttons">
        <Submit action="verify">Verify</Submit>
        <Submit action="store" second>Store and make a badge</Submit>
      </div>
      <p class="hint">
        Verify stores nothing. Storing stores the document for everyone: it is listed under its
        issuer, its session and its pool.
      </p>
    </form>
  );
}

interface UrlFormProps {
  site: Site;
  /** What the page's address asks for, `?` included, or empty: the link is asked for the same. */
  query?: string;
}

/** A field for the URL of a result. */
export function UrlForm({ site, query = "" }: UrlFormProps) {
  return (
    <form class="verify by-url" method="get" action={`${site.path}/verify`}>
      <div class="field">
        <label for="url">Link to a result</label>
        <input
          id="url"
          name="url"
          type="url"
          required
          spellcheck={false}
          autocomplete="off"
          placeholder="https://raw.githubusercontent.com/…/receipt.json"
        />
      </div>
      {[...new URLSearchParams(query)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="buttons">
        <Submit>Verify the link</Submit>
      </div>
      <p class="hint">
        A link to a file: pages of files on GitHub, GitLab and Hugging Face will do. Touchstone
        remembers what the link gave, but not its query parameters, because they may be secret.
      </p>
    </form>
  );
}
