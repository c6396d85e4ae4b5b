import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { PARAMETERS } from "../../../lib/trust/acceptance.ts";
import {
  parameterKind,
  requirementBehindUrl,
  requirementWithin,
} from "../../../lib/trust/near_parameters.ts";

const OTHERS = ["url", "label", "style", "theme", "scale", "cacheSeconds"];
const kind = (name: string) => parameterKind(name, OTHERS).kind;

Deno.test("every single edit of a requirement's name comes near a requirement", () => {
  for (const name of PARAMETERS) {
    for (let at = 0; at <= name.length; at++) {
      const [head, rest] = [name.slice(0, at), name.slice(at)];
      const edits = [..."abcdefghijklmnopqrstuvwxyzISX019-_ ;.é"].flatMap((letter) => [
        head + letter + rest,
        head + letter + rest.slice(1),
      ]);
      if (rest.length > 0) edits.push(head + rest.slice(1));
      if (rest.length > 1) edits.push(head + rest[1] + rest[0] + rest.slice(2));
      for (const edit of edits.filter((edit) => edit !== name)) {
        assertEquals(kind(edit), "near-requirement", edit);
      }
    }
  }
});

Deno.test("names in other letters, shortened and lengthened come near a requirement", () => {
  const names = "Issuer amp;issuer amp;amp;issuer ISSUER issuers iss replay session-id sessionId " +
    "max-age max_age sha sha-256 doc_sha256 policies Policy contexts issuer=0000 suer ssion licy " +
    "%69ssuer %2569ssuer is%73uer " +
    "ntext played xage sha512 sha-384 sha1 a256";
  for (const name of names.split(" ")) assertEquals(kind(name), "near-requirement", name);
});

Deno.test("cache busters and short names are unrelated", () => {
  for (
    const name of "v s t cb id age page _ ts utm_source utm_content ref raw nocache".split(" ")
  ) {
    assertEquals(kind(name), "unrelated", name);
  }
});

Deno.test("a near miss of another name is no requirement", () => {
  for (const name of ["Style", "amp;style", "cacheseconds", "cache-seconds", "lable", "styl"]) {
    assertEquals(kind(name), "near-known", name);
  }
});

Deno.test("a requirement that slipped into another parameter's value is found", () => {
  const slips: [value: string, name: string][] = [
    ["2?issuer=K", "issuer"],
    ["flat;issuer=K", "issuer"],
    ["flat&issuer=K", "issuer"],
    ["flat&amp;issuer=K", "issuer"],
    ["flat;amp;issuer=K", "issuer"],
    ["flat%26issuer%3DK", "issuer"],
    ["flat%2526issuer%253DK", "issuer"],
    ["issuer=K", "issuer"],
    ["flatissuer=K", "flatissuer"],
    ["2 replayed = all", "replayed"],
    ["dark,maxage=30d", "maxage"],
    ["dark?Max-Age=30d", "Max-Age"],
    ["1;replay=all", "replay"],
    ["1;sha-256=00", "sha-256"],
    // Full-width signs, as some keyboards write them.
    ["2？issuer＝K", "issuer"],
  ];
  for (const [value, name] of slips) assertEquals(requirementWithin(value), name, value);
  for (const value of ["", "flat", "2", "20261201", "a=b", "x?y=1&z=2", "%", "%zz", "100%25"]) {
    assertEquals(requirementWithin(value), null, value);
  }
});

Deno.test("of a free text, only what a separator stands before is a slip", () => {
  const inLabel = (value: string) => requirementWithin(value, { freeText: true });
  for (const value of ["issuer=me", "my policy = none", "a, context=b", "a/b"]) {
    assertEquals(inLabel(value), null, value);
  }
  for (
    const value of ["mine;issuer=K", "mine?issuer=K", "mine&amp;issuer=K", "mine%26issuer%3DK"]
  ) {
    assertEquals(inLabel(value), "issuer", value);
  }
});

Deno.test("a URL may have a query with any names, where it is escaped as a whole", () => {
  const escaped = (url: string) => requirementBehindUrl(encodeURIComponent(url));
  for (
    const url of [
      "https://example.org/a.json",
      "https://example.org/a.json?issuer=K",
      "https://example.org/a.json?x=1&issuer=K&session=gs_AAAAAAAAAAAA",
      "https://example.org/a.json?x=1;replayed=all",
    ]
  ) assertEquals(escaped(url), null, url);
  // The separator of the link's own parameters, one way or the other.
  for (const slip of ["?issuer=K", ";issuer=K", "&amp;issuer=K"]) {
    assertEquals(requirementBehindUrl(`https://example.org/a.json${slip}`), "issuer", slip);
    assertEquals(
      requirementBehindUrl(`https%3A%2F%2Fexample.org%2Fa.json${slip}`),
      "issuer",
      slip,
    );
  }
  assertEquals(escaped("https://example.org/a.json&issuer=K"), "issuer");
  assertEquals(escaped("https://example.org/a.json;issuer=K"), "issuer");
});
