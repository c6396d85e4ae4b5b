/**
 * A stranger's text for a terminal: characters that control it, change the direction of what
 * follows, draw nothing or end the line are shown as U+FFFD.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "�");
}
