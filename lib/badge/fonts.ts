/** satori and its fonts, loaded when the first badge is drawn: both cost start-up time. */
import type satori from "satori";

export interface Typesetter {
  satori: typeof satori;
  fonts: Parameters<typeof satori>[1]["fonts"];
}

let regular: Promise<Typesetter> | null = null;
let both: Promise<Typesetter> | null = null;

/** Loads satori with the regular weight, and the bold one where a style needs it. */
export function loadTypesetter(bold: boolean): Promise<Typesetter> {
  if (!bold) {
    regular ??= load(false);
    regular.catch(() => regular = null);
    return regular;
  }
  // An array of its own: satori remembers what it parsed by the array.
  both ??= load(true);
  both.catch(() => both = null);
  return both;
}

async function load(bold: boolean): Promise<Typesetter> {
  const [{ default: satori }, ...files] = await Promise.all([
    import("satori"),
    import("@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff", {
      with: { type: "bytes" },
    }),
    ...(bold
      ? [
        import("@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff", {
          with: { type: "bytes" },
        }),
      ]
      : []),
  ]);
  const weights = [400, 700] as const;
  return {
    satori,
    fonts: files.map(({ default: bytes }, index) => ({
      name: "DejaVu Sans",
      data: bytes.slice().buffer,
      weight: weights[index]!,
      style: "normal",
    })),
  };
}
