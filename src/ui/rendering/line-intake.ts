import { visibleLine } from "../visible-text.ts";

/**
 * Takes text in pieces cut anywhere and keeps the line that is still open, with everything written out that a terminal would obey. However
 * the text is cut, the lines are the same.
 */
export function createLineIntake() {
  let line = "";
  let held = "";
  /** The last characters as they came: whether one is written out can depend on those before it. */
  let tail = "";
  let tabs: "text" | "code" = "text";
  function append(raw: string): void {
    if (raw === "") return;
    const known = visibleLine(tail).length;
    const shown = tail === "" ? visibleLine(raw) : visibleLine(tail + raw).slice(known);
    line += tabs === "code" ? shown : shown.replaceAll("\t", "    ");
    const last = raw.length >= 8 ? raw : tail + raw;
    tail = last.slice(-8).replace(/^[\udc00-\udfff]/, "");
  }
  return {
    push(text: string, { onLine }: { onLine: () => void }) {
      const whole = (held + text).replaceAll("\r\n", "\n");
      // half a character, or half a line end
      held = /[\r\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
      const parts = whole.slice(0, whole.length - held.length).split("\n");
      for (const [at, part] of parts.entries()) {
        if (at > 0) onLine();
        append(part);
      }
    },
    /** Nothing more comes: what was held back is what it is. */
    end() {
      append(held === "\r" ? "" : held);
      held = "";
    },
    line: () => line,
    length: () => line.length,
    startLine(kind: "text" | "code") {
      line = "";
      tail = "";
      tabs = kind;
    },
    /** Forgets the beginning of the line. */
    drop(count: number) {
      if (count > 0) line = line.slice(count);
    },
  };
}
