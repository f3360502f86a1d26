import { showControl, stripControl } from "../../platform/terminal-text.ts";
import { counted, dollars, durationText } from "../figures.ts";
import { diffLines } from "../rendering/diff-lines.ts";
import type { Theme } from "../rendering/theme.ts";
import { visible } from "../tool-line.ts";
import { fitLine } from "./cells.ts";
import { promptMarks } from "./signals.ts";
import { type Drawing, type ToolBlock, toolLines } from "./tool-lines.ts";

/** Something finished, as data; it becomes lines once, when it is printed. */
export type Block =
  | { readonly type: "prompt"; readonly text: string }
  | ToolBlock
  | { readonly type: "thinking"; readonly text: string; readonly durationMs: number }
  | { readonly type: "note"; readonly tone: "dim" | "error" | "text"; readonly text: string }
  | { readonly type: "output"; readonly title: string; readonly text: string }
  | { readonly type: "diff"; readonly diff: string }
  | { readonly type: "total"; readonly durationMs: number; readonly rounds: number; readonly costUsd: number | null };

const unfoldedLines = 2_000;

export function blockLines(block: Block, drawing: Drawing): string[] {
  const { theme, width } = drawing;
  switch (block.type) {
    case "prompt":
      return ["", ...promptLines(block.text, theme)];
    case "tool":
      return toolLines(block, drawing);
    case "thinking":
      return [theme.dim(fitLine(`∴ thought${thinkingTime(block.durationMs)} (ctrl+o shows it)`, width))];
    case "note":
      return block.text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => theme[block.tone](line));
    case "output": {
      const lines = stripControl(block.text).replace(/\n$/, "").split("\n");
      const rest = lines.length - unfoldedLines;
      return [
        theme.dim(fitLine(`── ${showControl(block.title.split("\n")[0] ?? "")}`, width)),
        ...lines.slice(0, unfoldedLines).map((line) => theme.dim(`  ${line.replaceAll("\t", "    ")}`)),
        ...(rest > 0 ? [theme.dim(`  … ${rest} more lines`)] : []),
      ];
    }
    case "diff":
      return [...namedFile(block.diff).map(theme.strong), ...diffLines(block.diff, { theme, width })];
    case "total": {
      const cost = block.costUsd === null ? "" : `, ${dollars(block.costUsd)}`;
      return [theme.dim(`${durationText(block.durationMs)}, ${counted(block.rounds, "call")}${cost}`)];
    }
  }
}

const thinkingTime = (durationMs: number) => (durationMs < 100 ? "" : ` for ${durationText(durationMs)}`);

const echoedLines = 24;

/** What was sent, between the marks that let terminals jump from prompt to prompt. Who pasted much knows it. */
function promptLines(text: string, theme: Theme): string[] {
  const lines = text.split("\n");
  const hidden = lines.length - echoedLines;
  const shown = [
    ...lines.slice(0, echoedLines).map((line) => theme.strong(visible(line))),
    ...(hidden > 0 ? [theme.dim(`… ${counted(hidden, "more line")}`)] : []),
  ];
  return shown.map((line, at) => {
    const sign = theme.accent(at === 0 ? "> " : "  ");
    const [before, after] = [at === 0 ? promptMarks.prompt : "", at === shown.length - 1 ? promptMarks.output : ""];
    return `${before}${sign}${line}${after}`;
  });
}

/** The diff of a single file does not name it. */
function namedFile(diff: string): string[] {
  const names = [...diff.matchAll(/^\+\+\+ (?:b\/)?(.+)$/gm)].flatMap(([, name]) => name ?? []);
  return names.length === 1 ? names.map(visible) : [];
}
