import { escapeHtml } from "./escape-html.ts";

const hunkHeading = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m;

/** Is there a unified diff in this text? */
export function isDiff(text: string): boolean {
  return hunkHeading.test(text);
}

/** The lines of a diff, each told by its sign; what stands before the first hunk and between files is plain. */
export function diffHtml(text: string): string {
  let isInside = false;
  const lines = text.replace(/\n+$/, "").split("\n");
  return lines
    .map((line) => {
      const isHeading = hunkHeading.test(line);
      isInside = isHeading || (isInside && /^(?:[ +\\-]|$)/.test(line));
      const kind = isHeading
        ? "hunk"
        : !isInside
          ? ""
          : line.startsWith("+")
            ? "plus"
            : line.startsWith("-")
              ? "minus"
              : "";
      const shown = escapeHtml(line);
      return kind === "" ? shown : `<span class="${kind}">${shown}</span>`;
    })
    .join("\n");
}
