import { textWidth } from "../text-width.ts";
import type { Indent, Span } from "./rows.ts";
import type { Theme } from "./theme.ts";

/** An item of a list that is still open: where its mark stood in the source, and where its text stands on the screen. */
type OpenItem = { readonly mark: number; readonly column: number };

/** What the lines before mean for the next one. */
export type Surroundings = { readonly items: readonly OpenItem[]; readonly quotes: number };

export const noSurroundings: Surroundings = { items: [], quotes: 0 };

type Placed = { readonly indent: Indent; readonly after: Surroundings };

/** One line of Markdown by its beginning. */
export type MarkdownLine =
  | { readonly type: "blank" }
  | ({ readonly type: "rule" } & Placed)
  | ({ readonly type: "fence"; readonly mark: string; readonly language: string; readonly column: number } & Placed)
  | ({
      readonly type: "text";
      readonly kind: "heading" | "item" | "paragraph";
      readonly text: string;
      readonly paint: Span["paint"];
    } & Placed);

const deepestQuote = 8;
/** Where a line may still turn out to be something else it is waited for its end; beyond this it is what it looks like. */
export const tellingLength = 120;

const fenceForm = /^ {0,12}(`{3,}|~{3,}) *([^`]*)$/;
const headingForm = /^ {0,3}(#{1,6}) +(.*)$/;
const ruleForm = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const itemForm = /^( *)([-*+•]|\d{1,9}[.)])(?: +(.*))?$/;
const taskForm = /^\[([ xX])\](?: +(.*))?$/;

export function readMarkdownLine(line: string, before: Surroundings, theme: Theme): MarkdownLine {
  const { quotes, rest } = withoutQuotes(line);
  if (rest.trim() === "" && quotes === 0) return { type: "blank" };
  const items = quotes === before.quotes ? before.items : [];
  const bars = quotes > 0 ? [{ text: "│ ".repeat(quotes), paint: theme.border }] : [];
  const paint = quotes > 0 ? theme.quote : theme.text;
  const column = rest.length - rest.trimStart().length;
  const inside = items.filter(({ mark }) => mark < column);
  const place = (open: readonly OpenItem[]): Placed => {
    const indent = [...bars, blanks(open.at(-1)?.column ?? 0, theme)];
    return { indent: { first: indent, rest: indent }, after: { items: open, quotes } };
  };
  const fence = fenceForm.exec(rest);
  if (fence) {
    const language = (fence[2] ?? "").trim().split(/[\s{,:]/)[0] ?? "";
    return { type: "fence", mark: fence[1] ?? "", language: language.toLowerCase(), column, ...place(inside) };
  }
  const heading = headingForm.exec(rest);
  if (heading) return headingLine(heading, place([]), theme);
  if (ruleForm.test(rest)) return { type: "rule", ...place(inside) };
  const item = itemForm.exec(rest);
  if (item) return itemLine(item, { items, bars, paint, quotes, theme });
  return { type: "text", kind: "paragraph", text: rest.trimStart(), paint, ...place(inside) };
}

function withoutQuotes(line: string): { quotes: number; rest: string } {
  let [quotes, rest] = [0, line];
  for (let mark = quoteMark.exec(rest); mark && quotes < deepestQuote; mark = quoteMark.exec(rest)) {
    rest = rest.slice(mark[0].length);
    quotes++;
  }
  return { quotes, rest };
}

const quoteMark = /^ {0,12}> ?/;

/** What a line of code inside quotes and lists really says; undefined when it stands outside of them. */
export function codeInside(line: string, quotes: number, column: number): string | undefined {
  let rest = line;
  for (let depth = 0; depth < quotes; depth++) {
    const mark = quoteMark.exec(rest);
    if (!mark) return undefined;
    rest = rest.slice(mark[0].length);
  }
  return rest.replace(new RegExp(`^ {0,${column}}`), "");
}

const blanks = (count: number, theme: Theme): Span => ({ text: " ".repeat(count), paint: theme.text });

function headingLine(
  [, marks = "", text = ""]: RegExpExecArray,
  { indent, after }: Placed,
  theme: Theme,
): MarkdownLine {
  const title = text.length <= tellingLength ? text.replace(/ +#+ *$/, "") : text;
  // without colours, and far down, the marks still tell what it is
  const sign = marks.length > 2 ? [{ text: `${marks} `, paint: theme.dim }] : [];
  const first = [...indent.first, ...sign];
  return { type: "text", kind: "heading", text: title, paint: theme.heading, indent: { ...indent, first }, after };
}

type ItemPlace = {
  readonly items: readonly OpenItem[];
  readonly bars: readonly Span[];
  readonly paint: Span["paint"];
  readonly quotes: number;
  readonly theme: Theme;
};

function itemLine([, lead = "", sign = "", rest = ""]: RegExpExecArray, place: ItemPlace): MarkdownLine {
  const { items, bars, paint, quotes, theme } = place;
  const mark = lead.length;
  // one blank more or less is the same list
  const parents = items.filter((open) => open.mark + 1 < mark);
  const task = taskForm.exec(rest);
  const box = task ? `${task[1] === " " ? "☐" : "☑"} ` : "";
  const shown = /\d/.test(sign) ? `${sign} ` : box === "" ? "• " : "";
  const at = parents.at(-1)?.column ?? 0;
  const column = at + textWidth(shown + box);
  return {
    type: "text",
    kind: "item",
    text: (task ? (task[2] ?? "") : rest).trimStart(),
    paint,
    indent: {
      first: [...bars, blanks(at, theme), { text: shown + box, paint: theme.accent }],
      rest: [...bars, blanks(column, theme)],
    },
    after: { items: [...parents, { mark, column }], quotes },
  };
}
