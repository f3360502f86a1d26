import { createLineHighlighter, loadHighlighter, longestCodeLine } from "./highlight.ts";
import { codeInside, type MarkdownLine } from "./markdown-line.ts";
import {
  breakAnywhere,
  copyBreaker,
  createRowBreaker,
  endRows,
  type Indent,
  pourSpan,
  type RowBreaker,
  rebreak,
  type Span,
} from "./rows.ts";
import type { Theme } from "./theme.ts";

type Fence = Extract<MarkdownLine, { type: "fence" }>;

export type CodeBlock = {
  /** Does this line end the block? */
  end(line: string): boolean;
  next(line: string, width: number): string[];
  /** A line that still grows: rows of it that are full, when it is long. `drop` forgets what was used. */
  grow(line: string, width: number, drop: (count: number) => void): string[];
  glance(line: string, width: number): string[];
  resize(width: number): void;
};

/** Lines between two fences, each in colours as soon as it is whole. */
export function createCodeBlock({ mark, language, column, indent, after }: Fence, theme: Theme): CodeBlock {
  if (language !== "") void loadHighlighter();
  const { next, glance } = createLineHighlighter(language, theme);
  const inner: Span = { text: "  ", paint: theme.text };
  const place: Indent = { first: [...indent.rest, inner], rest: [...indent.rest, inner] };
  const inside = (line: string) => codeInside(line, after.quotes, column) ?? line;
  let long: RowBreaker | undefined;
  return {
    end(line) {
      if (long) return false;
      const code = codeInside(line, after.quotes, column);
      if (code === undefined) return true;
      const found = /^ {0,3}(`{3,}|~{3,}) *$/.exec(code.trimStart())?.[1];
      return found?.[0] === mark[0] && (found?.length ?? 0) >= mark.length;
    },
    next(line, width) {
      if (!long) return breakAnywhere(withTabs(next(inside(line))), width, place);
      const rows = pourSpan(long, { text: flatTabs(line), paint: theme.text });
      rows.push(...endRows(long));
      long = undefined;
      return rows;
    },
    grow(line, width, drop) {
      if (!long && line.length <= longestCodeLine) return [];
      const text = long ? line : inside(line);
      if (text.length <= longestCodeLine && !long) return [];
      long ??= createRowBreaker(place, width);
      const end = lastWhole(text);
      drop(line.length - text.length + end);
      return pourSpan(long, { text: flatTabs(text.slice(0, end)), paint: theme.text });
    },
    glance(line, width) {
      if (long) {
        const copy = copyBreaker(long);
        return [...pourSpan(copy, { text: flatTabs(line), paint: theme.text }), ...endRows(copy)];
      }
      const code = inside(line);
      return code === "" || /^ *(?:`+|~+)$/.test(code) ? [] : breakAnywhere(withTabs(glance(code)), width, place);
    },
    resize(width) {
      if (long) long = rebreak(long, place, width).state;
    },
  };
}

const flatTabs = (text: string) => text.replaceAll("\t", "    ");
const tabStop = 4;

function withTabs(spans: readonly Span[]): Span[] {
  let column = 0;
  return spans.map((span) => {
    let text = "";
    for (const piece of span.text.split(/(\t)/)) {
      const shown = piece === "\t" ? " ".repeat(tabStop - (column % tabStop)) : piece;
      text += shown;
      column += shown.length;
    }
    return { ...span, text };
  });
}

/** Where a text can be cut without parting what is drawn as one. */
function lastWhole(text: string): number {
  for (let at = text.length - 1; at > 0; at--) {
    const code = text.charCodeAt(at);
    if ((code >= 0x20 && code < 0x7f) || (code >= 0x3041 && code <= 0x9fff)) return at;
  }
  return 0;
}
