import type { ToolDisplay, ToolView } from "../../contracts/tool-view.ts";
import { showControl, stripControl } from "../../platform/terminal-text.ts";
import { dollars, durationText } from "../figures.ts";
import { diffLines } from "../rendering/diff-lines.ts";
import type { Theme } from "../rendering/theme.ts";
import { tellingLine } from "../tool-line.ts";
import { fitLine } from "./cells.ts";
import { promptMarks } from "./signals.ts";

/** Something finished, as data; it becomes lines once, when it is printed. */
export type Block =
  | { readonly type: "prompt"; readonly text: string }
  | {
      readonly type: "tool";
      readonly view: ToolView;
      readonly isError: boolean;
      readonly text: string;
      readonly durationMs: number;
      /** 1 inside a sub-agent. */
      readonly depth: number;
      readonly display?: ToolDisplay;
      /** Calls of a sub-agent. */
      readonly inside?: { readonly done: number; readonly failed: number };
    }
  | { readonly type: "thinking"; readonly text: string; readonly durationMs: number }
  | { readonly type: "note"; readonly tone: "dim" | "error" | "text"; readonly text: string }
  | { readonly type: "output"; readonly title: string; readonly text: string }
  | { readonly type: "diff"; readonly diff: string }
  | { readonly type: "total"; readonly durationMs: number; readonly rounds: number; readonly costUsd: number | null };

export type Drawing = { readonly theme: Theme; readonly width: number };

const unfoldedLines = 2_000;

export function blockLines(block: Block, { theme, width }: Drawing): string[] {
  switch (block.type) {
    case "prompt":
      return ["", ...promptLines(block.text, theme)];
    case "tool":
      return toolLines(block, { theme, width });
    case "thinking":
      return [theme.dim(fitLine(`∴ thought for ${durationText(block.durationMs)} (ctrl+o shows it)`, width))];
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
      return [
        theme.dim(
          `${durationText(block.durationMs)}, ${block.rounds === 1 ? "1 call" : `${block.rounds} calls`}${cost}`,
        ),
      ];
    }
  }
}

/** Between the marks that let terminals jump from prompt to prompt. */
function promptLines(text: string, theme: Theme): string[] {
  const lines = text.split("\n");
  return lines.map((line, at) => {
    const sign = theme.accent(at === 0 ? "> " : "  ");
    const [before, after] = [at === 0 ? promptMarks.prompt : "", at === lines.length - 1 ? promptMarks.output : ""];
    return `${before}${sign}${theme.strong(visible(line))}${after}`;
  });
}

/** The diff of a single file does not name it. */
function namedFile(diff: string): string[] {
  const names = [...diff.matchAll(/^\+\+\+ (?:b\/)?(.+)$/gm)].flatMap(([, name]) => name ?? []);
  return names.length === 1 ? names.map(visible) : [];
}

type ToolBlock = Extract<Block, { type: "tool" }>;

const diffLimit = 60;
/** Quicker than this nobody wonders how long it took. */
const worthTellingMs = 1_000;

function toolLines(block: ToolBlock, { theme, width }: Drawing): string[] {
  const { view, isError, text, display, durationMs, inside, depth } = block;
  const indent = "  ".repeat(depth);
  const time = durationMs >= worthTellingMs ? `  ${durationText(durationMs)}` : "";
  const tree = inside
    ? `  ${inside.done === 1 ? "1 call" : `${inside.done} calls`}${inside.failed > 0 ? `, ${inside.failed} failed` : ""}`
    : "";
  const title = toolTitle(view, width - indent.length - time.length - tree.length);
  const head = `${indent}${isError ? theme.error("✗") : theme.success("→")} ${title}${theme.dim(time + tree)}`;
  if (isError) return [head, theme.error(fitLine(`${indent}  ${visible(tellingLine(text))}`, width))];
  if (display?.type === "diff") {
    const extent = theme.dim(`${indent}  ± ${visible(display.path)} (+${display.added} −${display.removed})`);
    const room = Math.max(20, width - indent.length - 2);
    const diff = diffLines(display.diff, { theme, width: room, maxLines: diffLimit });
    return [head, extent, ...diff.map((line) => `${indent}  ${line}`)];
  }
  // while something of it is open the list stands above the prompt
  if (display?.type === "todos") return [head];
  return view.command === undefined
    ? [head]
    : [head, ...tailOf(text, { theme, width }).map((line) => `${indent}${line}`)];
}

/** One line: the verb and what it acts on, both ends of which matter. */
export function toolTitle({ label, title }: ToolView, room: number): string {
  const shown = visible(title.replaceAll("\n", " ⏎ "));
  const space = Math.max(20, room - label.length - 3);
  const cut = shown.length <= space ? shown : `${shown.slice(0, space - 14)} … ${shown.slice(-11)}`;
  return `${label} ${cut}`;
}

const tailLines = 3;

/** The end of what a command printed. */
function tailOf(text: string, { theme, width }: Drawing): string[] {
  const lines = stripControl(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const hidden = lines.length - tailLines;
  const shown = lines.slice(-tailLines).map((line) => theme.dim(fitLine(`  ${line.replaceAll("\t", "  ")}`, width)));
  return hidden > 0 ? [theme.dim(`  … ${hidden} more lines (ctrl+o shows all)`), ...shown] : shown;
}

function visible(text: string): string {
  return text.split("\t").map(showControl).join("  ");
}
