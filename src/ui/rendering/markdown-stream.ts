import { decidedUntil, inlinePieces } from "../inline-pieces.ts";
import { type CodeBlock, createCodeBlock } from "./code-block.ts";
import { inlineSpans, type LinkStyle } from "./inline-spans.ts";
import { createLineIntake } from "./line-intake.ts";
import {
  type MarkdownLine,
  noSurroundings,
  readMarkdownLine,
  type Surroundings,
  tellingLength,
} from "./markdown-line.ts";
import {
  addTableRow,
  drawTable,
  longestTableLine,
  type MarkdownTable,
  mayBeTableLine,
  openTable,
} from "./markdown-table.ts";
import { copyBreaker, createRowBreaker, endRows, pushSpan, type RowBreaker, rebreak, rowText } from "./rows.ts";
import type { Theme } from "./theme.ts";

export type MarkdownStreamOptions = {
  readonly theme: Theme;
  readonly width: number;
  /** Default: the address stands behind the text. */
  readonly links?: LinkStyle;
};

export type MarkdownStream = {
  push(text: string): void;
  /** Rows that will never change any more; each is returned once. */
  settled(): string[];
  /** The rest as it looks now. */
  live(): string[];
  /** Everything that was not returned yet. What is pushed afterwards is a new text. */
  finish(): string[];
  /** For what is not settled. */
  resize(width: number): void;
};

type TextLine = Extract<MarkdownLine, { type: "text" }>;
/** A long line, of which some may be settled already. `at`: how much of it is in rows or on the way there. */
type LongLine = { readonly form: TextLine; breaker: RowBreaker; at: number; lookAt: number };

/** Characters between two looks at a long line: more often shows nothing earlier that matters. */
const lookEvery = 32;

/** Markdown as it arrives. A line is one row or more; it settles when it ends, a long one while it grows, a table when it ends. */
export function createMarkdownStream({
  theme,
  width: given,
  links = "addresses",
}: MarkdownStreamOptions): MarkdownStream {
  const options = { theme, links };
  const intake = createLineIntake();
  let width = Math.max(4, given);
  let rows: string[] = [];
  let isBlankDue = false;
  let isEmpty = true;
  let around: Surroundings = noSurroundings;
  let code: CodeBlock | undefined;
  let head: TextLine | undefined;
  let table: MarkdownTable | undefined;
  let long: LongLine | undefined;

  const spaced = (shown: readonly string[]) => (isBlankDue && !isEmpty && shown.length > 0 ? ["", ...shown] : shown);
  function emit(shown: readonly string[]): void {
    if (shown.length === 0) return;
    for (const row of spaced(shown)) rows.push(row);
    isBlankDue = false;
    isEmpty = false;
  }
  const spansOf = (form: TextLine, text: string, from = 0, to = text.length) =>
    inlineSpans(inlinePieces(text, from, to), form.paint, options);
  function textRows(form: TextLine): string[] {
    const breaker = createRowBreaker(form.indent, width);
    return [...spansOf(form, form.text).flatMap((span) => pushSpan(breaker, span)), ...endRows(breaker)];
  }
  function ruleRow({ indent }: Extract<MarkdownLine, { type: "rule" }>): string {
    const before = indent.first.reduce((sum, { text }) => sum + text.length, 0);
    const line = { text: "─".repeat(Math.max(2, Math.min(width - before, 60))), paint: theme.border };
    return before + 2 <= width ? rowText([...indent.first, line]) : rowText([line]);
  }

  /** A head that no table followed was a line like others. */
  function endTable(): void {
    if (head) emit(textRows(head));
    if (table) emit(drawTable(table, width));
    head = undefined;
    table = undefined;
  }

  function belongsToTable(form: MarkdownLine, line: string): boolean {
    if (form.type === "blank" || line.length > longestTableLine) return false;
    if (head && form.type !== "fence") {
      const text = form.type === "text" && form.kind === "paragraph" ? form.text : undefined;
      table = text === undefined ? undefined : openTable(head.text, text, { indent: head.indent, options });
      if (table) head = undefined;
      return table !== undefined;
    }
    const isRow = table !== undefined && form.type === "text" && form.kind === "paragraph" && mayBeTableLine(form.text);
    if (table && isRow) addTableRow(table, form.text);
    return isRow;
  }

  function endLine(): void {
    const line = intake.line();
    if (long) endLong(long, line);
    else if (code) {
      if (code.end(line)) code = undefined;
      else emit(code.next(line, width));
    } else place(line);
    long = undefined;
    intake.startLine(code ? "code" : "text");
  }

  function place(line: string): void {
    const form = readMarkdownLine(line, around, theme);
    if ((head || table) && belongsToTable(form, line)) return;
    endTable();
    if (form.type === "blank") {
      isBlankDue = true;
      return;
    }
    around = form.after;
    if (form.type === "fence") code = createCodeBlock(form, theme);
    else if (form.type === "rule") emit([ruleRow(form)]);
    else if (form.kind === "paragraph" && mayBeTableLine(form.text)) head = form;
    else {
      isBlankDue ||= form.kind === "heading";
      emit(textRows(form));
    }
  }

  /** What a line that still grows can give away already. */
  function growLine(): void {
    if (code) {
      emit(code.grow(intake.line(), width, intake.drop));
      return;
    }
    if (long === undefined && intake.length() > tellingLength) long = openLong(intake.line());
    if (long === undefined) return;
    const line = intake.line();
    if (line.length < long.lookAt) return;
    const until = decidedUntil(line, long.at);
    for (const span of spansOf(long.form, line, long.at, until)) emit(pushSpan(long.breaker, span));
    // the character before tells whether a mark may open something
    const gone = Math.max(0, until - 1);
    intake.drop(gone);
    long.at = until - gone;
    long.lookAt = intake.length() + lookEvery;
  }

  function openLong(line: string): LongLine | undefined {
    if (/^[-*_=|:~` ]*$/.test(line)) return undefined;
    const form = readMarkdownLine(line, around, theme);
    if (form.type !== "text") return undefined;
    const mayBeTable = form.kind === "paragraph" && mayBeTableLine(form.text);
    if (mayBeTable) return undefined;
    endTable();
    around = form.after;
    isBlankDue ||= form.kind === "heading";
    return { form, breaker: createRowBreaker(form.indent, width), at: line.length - form.text.length, lookAt: 0 };
  }

  function endLong({ form, breaker, at }: LongLine, line: string): void {
    for (const span of spansOf(form, line, at)) emit(pushSpan(breaker, span));
    emit(endRows(breaker));
  }

  function growingRows(): readonly string[] {
    const line = intake.line();
    if (long) {
      const breaker = copyBreaker(long.breaker);
      const more = spansOf(long.form, line, long.at).flatMap((span) => pushSpan(breaker, span));
      return [...more, ...endRows(breaker)];
    }
    if (code) return code.glance(line, width);
    const form = readMarkdownLine(line, around, theme);
    if (form.type === "blank" || form.type === "fence") return [];
    if (form.type === "rule") return [ruleRow(form)];
    return table && form.text.includes("|") ? [] : textRows(form);
  }

  return {
    push(text) {
      intake.push(text, { onLine: endLine });
      growLine();
    },
    settled() {
      const given = rows;
      rows = [];
      return given;
    },
    live() {
      const tableRows = head ? textRows(head) : table ? drawTable(table, width) : [];
      return [...spaced([...tableRows, ...growingRows()])];
    },
    finish() {
      intake.end();
      if (intake.line() !== "" || long) endLine();
      endTable();
      code = undefined;
      around = noSurroundings;
      [isBlankDue, isEmpty] = [false, true];
      intake.startLine("text");
      return this.settled();
    },
    resize(next) {
      width = Math.max(4, next);
      code?.resize(width);
      if (!long) return;
      const again = rebreak(long.breaker, long.form.indent, width);
      long.breaker = again.state;
      emit(again.rows);
    },
  };
}
