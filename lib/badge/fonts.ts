/** satori and its fonts, loaded when the first badge that needs them is drawn. */
import type satori from "satori";
import { memo } from "../async/memo.ts";
import { BASE, type Script } from "./scripts.ts";

type Fonts = Parameters<typeof satori>[1]["fonts"];
type Font = Fonts[number];

interface Typesetter {
  satori: typeof satori;
  fonts: Fonts;
}

interface Bytes {
  default: Uint8Array<ArrayBuffer>;
}

/** Where each font comes from: see fonts/README.md. */
const FILES: Record<Script | "regular" | "bold", () => Promise<Bytes>> = {
  regular: () =>
    import("@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff", {
      with: { type: "bytes" },
    }),
  bold: () =>
    import("@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff", {
      with: { type: "bytes" },
    }),
  "Noto Sans Arabic": () => import("./fonts/noto-sans-arabic.woff", { with: { type: "bytes" } }),
  "Noto Sans Hebrew": () => import("./fonts/noto-sans-hebrew.woff", { with: { type: "bytes" } }),
  "Noto Sans Devanagari": () =>
    import("./fonts/noto-sans-devanagari.woff", { with: { type: "bytes" } }),
  "Noto Sans Thai": () => import("./fonts/noto-sans-thai.woff", { with: { type: "bytes" } }),
  "Noto Emoji": () => import("./fonts/noto-emoji.woff", { with: { type: "bytes" } }),
};

type File = keyof typeof FILES;

const loaded = memo<Font>(Object.keys(FILES).length);

/**
 * Loads satori with the regular weight, the bold one where a style needs it, and the fonts of the
 * scripts that the text has. The usual font stands last, as what no font has is drawn by the last.
 */
export async function loadTypesetter(
  bold: boolean,
  scripts: readonly Script[] = [],
): Promise<Typesetter> {
  const files: File[] = [...scripts, "regular", ...(bold ? ["bold" as const] : [])];
  const [{ default: satori }, ...fonts] = await Promise.all([
    import("satori"),
    ...files.map(loadFont),
  ]);
  // satori remembers what it parsed by the fonts' buffers, so these are always the same.
  return { satori, fonts };
}

function loadFont(file: File): Promise<Font> {
  return loaded(file, async () => {
    const { default: bytes } = await FILES[file]();
    return {
      name: file === "regular" || file === "bold" ? BASE : file,
      data: bytes.slice().buffer,
      weight: file === "bold" ? 700 : 400,
      style: "normal",
    };
  });
}
