import assert from "node:assert/strict";
import { allowedLabel, type Claim, readLabel } from "../../../lib/badge/label_claims.ts";

const NAMES = ["clankdar", "touchstone", "Clankdar staging", "Clankdar archive 2026-09", "Abc"];

/** What each label reads like: names it has in it, then claims; nothing: it may stand anywhere. */
const READINGS: Record<string, [labels: string[], names?: string[], claims?: Claim[]]> = {
  "usual labels": [[
    ...["my-agent", "my agent", "Ωmega 漢 <my-model>", "gpt-4.1", "v1.2", "kimi k2", "I/O agent"],
    ...["node.js", "ok ✔️", "परीक्षण", "ทดสอบ", "שָׁלוֹם", "محمد", "🚀", "company llm", "a/b test"],
    ...["dragon", "frontier", "e.g. this", "model/1", "Dr. No", "!", "l", "O", "100 agents"],
  ]],
  "words that have an outcome's word in them": [
    ["passport", "compass", "failover", "validator", "fall detector", "spell checker", "bypass"],
  ],
  "our names": [
    [
      ...["clankdar", "Clankdar", "CLANKDAR", "my clankdar agent", "clankdar.", "xclankdarx"],
      ...["c l a n k d a r", "c-l-a-n-k-d-a-r", "clank. dar", "clank\u200bdar", "clank\u00addar"],
      ...["clánkdàr", "cla\u0336nkdar", "clan\u{e0041}kdar", "cl\ufe0fankdar", "clank\u2060dar"],
      // A digit, a capital and a bar for l.
      ...["c1ankdar", "CIankdar", "c|ankdar", "clank|dar"],
      // Cyrillic, Greek, Armenian, Coptic, Cherokee.
      ...["сlankdar", "clаnkdаr", "clanкdar", "CLANКDAR", "ϲlankdar", "clanκdar", "claոkԁar"],
      ...["ⲥlankdar", "ᏟᏞᎪnkdar"],
      // Full width, mathematical, Roman numerals, small capitals, framed.
      ...["ｃｌａｎｋｄａｒ", "ＣＬＡＮＫＤＡＲ", "𝐜𝐥𝐚𝐧𝐤𝐝𝐚𝐫", "𝒸𝓁𝒶𝓃𝓀𝒹𝒶𝓇", "ⅽⅼankⅾar", "ᴄʟᴀɴᴋᴅᴀʀ"],
      ...["ⓒⓛⓐⓝⓚⓓⓐⓡ", "🅲🅻🅰🅽🅺🅳🅰🆁", "🅒🅛🅐🅝🅚🅓🅐🅡"],
    ],
    ["clankdar"],
  ],
  "the other of our names": [["touchstone", "Touch Stone", "t0uchst0ne", "ТОUСНSТОNЕ"], [
    "touchstone",
  ]],
  "known issuers": [
    ["Clankdar staging", "clankdar-staging", "ClankdarStaging", "my Clankdar  stаging!"],
    ["clankdar", "Clankdar staging"],
  ],
  "a name with digits": [
    ["Clankdar archive 2026-09", "clankdar archive 202609", "Clankdar archive 2O26-O9"],
    ["clankdar", "Clankdar archive 2026-09"],
  ],
  "a short name, as a word": [["abc", "ABC agent", "my-abc", "a b c", "аbс"], ["Abc"]],
  "a short name, in another word": [["abcd", "xabc"]],
  "outcomes": [
    [
      ...["verified", "VERIFIED", "verified by OpenAI", "unverified?", "my passed agent", "failed"],
      ...["invalid", "issuer-claimed", "Issuer Claimed", "unreplayed", "replayed", "un-replayed"],
      ...["not accepted", "accepted", "self-reported", "unknown issuer", "not a receipt", "pass"],
      ...["PASS", "p a s s", "p.a.s.s", "fail", "valid", "checking", "unanswered", "sample key"],
      ...["verif1ed", "veriﬁed", "lnvalid", "раssеd", "ＰＡＳＳ", "ρass", "vеrіfіеd", "𝗏𝖾𝗋𝗂𝖿𝗂𝖾𝖽"],
      ...["ⓟⓐⓢⓢⓔⓓ", "pas\u00adsed", "pássed", "νerified", "ᴘᴀꜱꜱᴇᴅ"],
    ],
    [],
    ["outcome"],
  ],
  "counts": [
    [
      ...[
        "100/100",
        "4/4",
        "4 / 4",
        "４／４",
        "4⁄4",
        "4∕4",
        "4⧸4",
        "4\\4",
        "4|4",
        "¾",
        "٤/٤",
        "①/①",
      ],
      ...[
        "𝟙𝟘𝟘/𝟙𝟘𝟘",
        "1OO/1OO",
        "l00/l00",
        "I/1",
        "4 of 4",
        "4 out of 4",
        "100%",
        "100 %",
        "１００％",
      ],
      ...["100٪", "100 percent", "100 per cent", "💯", "gpt 4/5", "24/7 bot"],
    ],
    [],
    ["count"],
  ],
  "domains": [
    [
      ...["openai.com", "OpenAI.com", "https://openai.com/x", "by openai.com", "ореnаi.com"],
      ...["openai。com", "openai．com", "openai .com", "claude.ai", "пример.рф", "me@example.org"],
      ...["a.b.example.org", "xn--e1afmkfd.xn--p1ai"],
    ],
    [],
    ["domain"],
  ],
  "more than one claim": [["100/100 passed · verified"], [], ["outcome", "count"]],
};

for (const [what, [labels, names = [], claims = []]] of Object.entries(READINGS)) {
  Deno.test(`labels read like what they look like: ${what}`, async () => {
    for (const label of labels) {
      const asked = await readLabel(label, NAMES);
      assert.deepEqual({ names: asked?.names, claims: asked?.claims }, { names, claims }, label);
    }
  });
}

Deno.test("a label that draws nothing counts as none", async () => {
  for (const blank of ["", " ", "\t\n", "\u200b", "\u2060\u200d", "\u202e", "\ufe0f", "\u3164"]) {
    assert.equal(await readLabel(blank, NAMES), undefined, JSON.stringify(blank));
  }
});

Deno.test("a label stands where it belongs, otherwise the usual one does and the title says why", async () => {
  const clankdar = { own: "clankdar", mine: ["clankdar"] };
  const staging = { own: "clankdar", mine: ["clankdar", "Clankdar staging"] };
  const house = { own: "touchstone", mine: ["touchstone"] };
  const houseOfStaging = { own: "touchstone", mine: ["touchstone", "Clankdar staging"] };
  const domain = { own: "clankdar", mine: ["clankdar", "example.org"] };
  const none = { own: "receipt", mine: [] };
  const table: [label: string, ground: typeof clankdar, shown: string, why?: RegExp][] = [
    ["my-agent", house, "my-agent"],
    ["clankdar", clankdar, "clankdar"],
    ["Clankdar for me", clankdar, "Clankdar for me"],
    ["clankdar", house, "touchstone", /the name clankdar, which does not belong here\.$/],
    ["clankdar", none, "receipt", /the name clankdar/],
    ["touchstone", clankdar, "clankdar", /the name touchstone/],
    ["сlаnkdаr", house, "touchstone", /the name clankdar/],
    ["Clankdar staging", clankdar, "clankdar", /the name Clankdar staging/],
    ["Clankdar staging", staging, "Clankdar staging"],
    ["Clankdar staging", houseOfStaging, "Clankdar staging"],
    ["clankdar", houseOfStaging, "touchstone", /the name clankdar/],
    ["Clankdar archive 2026-09", staging, "clankdar", /the name Clankdar archive 2026-09/],
    ["verified", clankdar, "clankdar", /an outcome/],
    ["Clankdar staging: verified", staging, "clankdar", /an outcome/],
    ["4/4", clankdar, "clankdar", /a count/],
    ["example.org", clankdar, "clankdar", /a domain/],
    ["Example.org", domain, "Example.org"],
    ["www.example.org", domain, "clankdar", /a domain/],
    ["other.org example.org", domain, "clankdar", /a domain/],
  ];
  for (const [label, ground, shown, why] of table) {
    const allowed = allowedLabel(await readLabel(label, NAMES), ground);
    assert.equal(allowed.label, shown, label);
    if (why === undefined) assert.equal(allowed.refused, null, label);
    else {
      assert.match(allowed.refused ?? "", why, label);
      assert.match(allowed.refused ?? "", /^The label asked for is not shown: it reads like /);
    }
  }
  assert.deepEqual(allowedLabel(undefined, house), { label: "touchstone", refused: null });
});

Deno.test("reading a label takes no time that its writer chooses", async () => {
  const long = [
    "a-".repeat(999),
    "ﷺ".repeat(99),
    "a.".repeat(999),
    `${"l".repeat(999)}/`,
    "|".repeat(999),
  ];
  for (const label of [...long, "1 ".repeat(999), ". ".repeat(999), "\u0301".repeat(9999)]) {
    const asked = await readLabel(label, NAMES);
    assert.ok(asked === undefined || [...asked.text].length <= 480);
  }
});
