/** The bytes that stand for what a URL gave: out of memory, or put together from stored documents. */
import { cacheContent, cachedContent, type Content } from "./content_cache.ts";
import type { LinksContext } from "./context.ts";
import { isShowable, withoutStored } from "./documents.ts";
import { updateLink } from "./row_cache.ts";
import type { Given, LinkedDocument, LinkEntry, LinkRow } from "./rows.ts";
import type { LinkedUrl } from "./url.ts";

/** What a link is read for: reports need the bytes, badges what is known of the documents. */
export type Purpose = "reports" | "badge";

/** Whether what is known of a link can be shown, without a fetch. */
export function isReady(
  context: LinksContext,
  linked: LinkedUrl,
  { given }: LinkRow,
  purpose: Purpose,
): boolean {
  if (given === null) return false;
  return hasContent(context, linked, given) ||
    purpose === "badge" && given.documents.every(isShowable);
}

/** Whether the bytes are in memory, or can be put together from the store. */
function hasContent(
  { contents }: LinksContext,
  { hash }: LinkedUrl,
  { content, documents, pools }: Given,
): boolean {
  return cachedContent(contents, hash, content) !== null ||
    !pools && documents.every(({ kept }) => kept);
}

/** The bytes that stand for what a URL gave; null: they are gone, and the entry says so. */
export async function contentOf(
  context: LinksContext,
  linked: LinkedUrl,
  entry: LinkEntry,
): Promise<{ entry: LinkEntry; content: Content | null }> {
  const { store, contents, links } = context;
  const { given } = entry.row;
  if (given === null || !hasContent(context, linked, given)) return { entry, content: null };
  const known = cachedContent(contents, linked.hash, given.content);
  if (known !== null) return { entry, content: known };
  const documents = await Promise.all(given.documents.map(({ id }) => store.document(id!)));
  const lost = documents.map((bytes) => bytes === null);
  if (lost.includes(true)) {
    const change = (row: LinkRow) => ({ row: withoutStored(row, given, lost), event: null });
    return { entry: await updateLink(links, linked, entry, change), content: null };
  }
  const bytes = joinDocuments(given.documents, documents.map((one) => one!));
  return { entry, content: cacheContent(contents, linked.hash, { sha: given.content, bytes }) };
}

/**
 * Stored documents as they might have come: in a wrapper the ones that came in one, in a list where
 * there were several.
 */
function joinDocuments(
  documents: readonly LinkedDocument[],
  contents: readonly Uint8Array[],
): Uint8Array {
  const decoder = new TextDecoder();
  const texts = contents.map((bytes, index) => {
    const text = decoder.decode(bytes);
    return documents[index]!.unwrapped ? `{"receipt":${text}}` : text;
  });
  return new TextEncoder().encode(texts.length === 1 ? texts[0]! : `[${texts.join(",")}]`);
}
