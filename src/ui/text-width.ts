const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const without = /\p{M}|[\ufe0e\ufe0f]|\u200d/u;

/** How many columns of a terminal a line takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += without.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** As much of a line as fits, with `…` where it was cut. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const character of text) {
    used += textWidth(character);
    if (used > width - 1) break;
    cut += character;
  }
  return width > 0 ? `${cut}…` : "";
}

export function padToWidth(text: string, width: number, align: "left" | "right"): string {
  const room = " ".repeat(Math.max(0, width - textWidth(text)));
  return align === "left" ? text + room : room + text;
}
