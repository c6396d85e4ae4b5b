/**
 * A process's memory on Linux, in bytes: `VmRSS` now, `VmHWM` at its peak. Null elsewhere, and when
 * the process has ended.
 */
export function memoryOf(pid: number, what: "VmRSS" | "VmHWM"): number | null {
  if (Deno.build.os !== "linux") return null;
  // Deno itself reads /proc only with all permissions.
  const { stdout } = new Deno.Command("cat", {
    args: [`/proc/${pid}/status`],
    stderr: "null",
  }).outputSync();
  const status = new TextDecoder().decode(stdout);
  const kilobytes = new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
