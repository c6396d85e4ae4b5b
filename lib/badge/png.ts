/** A badge as PNG, by resvg. */
import type { Resvg } from "@resvg/resvg-wasm";
import { once } from "../async/once.ts";

/**
 * Device pixels a CSS pixel. Markdown shows a PNG at the size of its pixels, so 1 is as large as
 * other badges; a sharper one needs an `<img>` with its height.
 */
export type Scale = 1 | 2 | 3;

/**
 * Renders one of our own SVGs ({@link renderSvg}; text must be paths, as no font is loaded).
 * Rejects when `svg` isn't well-formed. The first call loads and compiles resvg, some tenths of a
 * second.
 */
export async function renderPng(svg: string, scale: Scale = 1): Promise<Uint8Array<ArrayBuffer>> {
  const Renderer = await load();
  const renderer = new Renderer(svg, {
    fitTo: { mode: "zoom", value: scale },
    font: { loadSystemFonts: false },
  });
  try {
    const image = renderer.render();
    try {
      return new Uint8Array(image.asPng());
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}

const load = once(async (): Promise<typeof Resvg> => {
  const [{ initWasm, Resvg }, { default: wasm }] = await Promise.all([
    import("@resvg/resvg-wasm"),
    import("@resvg/resvg-wasm/index_bg.wasm", { with: { type: "bytes" } }),
  ]);
  await initWasm(wasm);
  return Resvg;
});
