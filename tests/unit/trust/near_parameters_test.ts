import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { PARAMETERS } from "../../../lib/trust/acceptance.ts";
import { parameterKind } from "../../../lib/trust/near_parameters.ts";

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
    "max-age max_age sha sha-256 doc_sha256 policies Policy contexts issuer=0000";
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
