/**
 * A strict reading of the markup that we write ourselves: what a browser would have to guess about
 * is an error here, so that text which got out of its place can't pass for markup of ours.
 */
import assert from "node:assert/strict";

export interface Element {
  name: string;
  attributes: Map<string, string>;
}

export interface Markup {
  elements: Element[];
  /** Texts and attribute values, with their references resolved. */
  texts: string[];
}

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["#39", "'"],
]);

const TOKEN =
  /<!doctype html>|<\/(?<close>[a-zA-Z][a-zA-Z0-9]*)\s*>|<(?<open>[a-zA-Z][a-zA-Z0-9]*)(?<rest>(?:[^"'<>]|"[^"<>]*"|'[^'<>]*')*)>|(?<text>[^<>]+)/gy;

/** In double quotes, and in single ones where the value is our own. */
const ATTRIBUTE =
  /\s+(?<name>[a-zA-Z][a-zA-Z0-9:-]*)(?:=(?:"(?<value>[^"<>]*)"|'(?<own>[^'<>]*)'))?/gy;

/** Elements of HTML without an end. */
const VOID: ReadonlySet<string> = new Set(["meta", "link", "img", "input", "br", "hr"]);

/** Reads a page or an SVG. @throws {assert.AssertionError} at whatever isn't exactly right. */
export function readMarkup(source: string): Markup {
  const elements: Element[] = [];
  const texts: string[] = [];
  const open: string[] = [];
  let at = 0;
  while (at < source.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    assert.ok(match !== null, `neither text nor a tag: ${source.slice(at, at + 120)}`);
    at = TOKEN.lastIndex;
    const { close, open: name, rest = "", text } = match.groups!;
    if (text !== undefined) texts.push(resolve(text));
    if (close !== undefined) assert.equal(close, open.pop(), "an end tag of another element");
    if (name === undefined) continue;
    const attributes = readAttributes(rest.replace(/\s*\/?$/, ""));
    elements.push({ name, attributes });
    texts.push(...attributes.values());
    if (!rest.endsWith("/") && !VOID.has(name)) open.push(name);
  }
  assert.deepEqual(open, [], "elements without an end");
  return { elements, texts };
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(text);
    assert.ok(match !== null, `not an attribute: ${text.slice(at, at + 120)}`);
    at = ATTRIBUTE.lastIndex;
    const { name, value, own } = match.groups!;
    assert.ok(!attributes.has(name!), `attribute ${name} stands twice`);
    attributes.set(name!, resolve(value ?? own ?? ""));
  }
  return attributes;
}

function resolve(text: string): string {
  return text.replace(/&([^;\s&]*;?)/g, (reference, name: string) => {
    const known = REFERENCES.get(name.slice(0, -1));
    assert.ok(name.endsWith(";") && known !== undefined, `not a reference: ${reference}`);
    return known;
  });
}

/** Attributes that hold addresses. */
const ADDRESSES: ReadonlySet<string> = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "xlink:href",
]);

/** Nothing in it runs, and every address is http, or within the service. */
export function assertHarmless({ elements }: Markup): void {
  for (const { name, attributes } of elements) {
    assert.ok(!/^(script|iframe|object|embed|base|foreignObject|use)$/i.test(name), `<${name}>`);
    for (const [attribute, value] of attributes) {
      assert.ok(!/^on/i.test(attribute), `<${name} ${attribute}>`);
      assert.ok(attribute !== "style" && attribute !== "srcdoc", `<${name} ${attribute}>`);
      if (!ADDRESSES.has(attribute)) continue;
      assert.match(value, /^(https?:\/\/|\/(?!\/)|#)/, `<${name} ${attribute}="${value}">`);
    }
  }
}
