import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import type { ToolDisplay, ToolView } from "../../contracts/tool-view.ts";
import { expandPath } from "../../platform/paths.ts";
import { stripControl } from "../../platform/terminal-text.ts";
import { counted, durationText } from "../figures.ts";
import { diffLines } from "../rendering/diff-lines.ts";
import type { LinkStyle } from "../rendering/inline-spans.ts";
import type { Theme } from "../rendering/theme.ts";
import { cutInMiddle, textWidth } from "../text-width.ts";
import { errorLine, shownTitle, tellingLine, visible } from "../tool-line.ts";
import { cellWidth, fitLine } from "./cells.ts";

/** A call that is over. */
export type EndedCall = {
  readonly view: ToolView;
  readonly isError: boolean;
  readonly durationMs: number;
  readonly display?: ToolDisplay;
  readonly inside: InnerCalls;
};

/** What a sub-agent did: how many calls, and the last of them. */
export type InnerCalls = { readonly done: number; readonly failed: number; readonly last: readonly EndedCall[] };

export const noCalls: InnerCalls = { done: 0, failed: 0, last: [] };

export type Drawing = {
  readonly theme: Theme;
  readonly width: number;
  /** Paths below it are shown from it. */
  readonly root: string;
  readonly links: LinkStyle;
};

/** Quicker than this nobody wonders how long it took. */
const worthTellingMs = 1_000;
const keptCalls = 6;

export function withCall({ done, failed, last }: InnerCalls, call: EndedCall): InnerCalls {
  return { done: done + 1, failed: failed + (call.isError ? 1 : 0), last: [...last, call].slice(-keptCalls) };
}

/** `→ read main.py`, `← edit main.py +1 −1`, `$ npm test  exit 1, 2.3 s`. */
export function callLine(call: EndedCall, { theme, width, root, links }: Drawing): string {
  const { view, isError, display } = call;
  const isCommand = view.command !== undefined;
  const extent =
    display?.type === "diff" ? ` ${theme.added(`+${display.added}`)} ${theme.removed(`−${display.removed}`)}` : "";
  const facts = endingOf(call, theme);
  const tail = `${extent}${facts.length > 0 ? `  ${facts.join(theme.dim(", "))}` : ""}`;
  const sign = isCommand ? "$" : isError ? "✗" : (view.writes ?? []).length > 0 ? "←" : "→";
  const label = isCommand ? "" : `${view.label} `;
  const room = Math.max(8, width - 2 - textWidth(label) - cellWidth(tail));
  const title = linked(view, { text: cutInMiddle(shownTitle(view, root), room), root, links });
  return fitLine(`${isError ? theme.error(sign) : theme.success(sign)} ${label}${title}${tail}`, width);
}

/** How it ended, as far as that is worth a word. */
function endingOf({ view, isError, durationMs, display, inside }: EndedCall, theme: Theme): string[] {
  const code = display?.type === "exit" ? display.code : undefined;
  const ending =
    code === null
      ? "killed"
      : code !== undefined && code !== 0
        ? `exit ${code}`
        : isError && view.command
          ? "failed"
          : "";
  return [
    ...(inside.done > 0 ? [theme.dim(counted(inside.done, "call"))] : []),
    ...(inside.failed > 0 ? [theme.error(`${inside.failed} failed`)] : []),
    ...(ending === "" ? [] : [theme.error(ending)]),
    ...(durationMs >= worthTellingMs ? [theme.dim(durationText(durationMs))] : []),
  ];
}

/** What a sub-agent did, as a tree below its call. */
export function treeLines({ done, last }: InnerCalls, drawing: Drawing): string[] {
  const { theme } = drawing;
  const earlier = done - last.length;
  const head = earlier > 0 ? [theme.dim(`├ … ${counted(earlier, "earlier call")}`)] : [];
  const calls = last.flatMap((call, at) => {
    const isLast = at === last.length - 1;
    const inner = { ...drawing, width: drawing.width - 2 };
    return [
      `${theme.dim(isLast ? "└ " : "├ ")}${callLine(call, inner)}`,
      ...treeLines(call.inside, inner).map((line) => `${theme.dim(isLast ? "  " : "│ ")}${line}`),
    ];
  });
  return [...head, ...calls];
}

export type ToolBlock = EndedCall & {
  readonly type: "tool";
  readonly text: string;
  /** 1 inside a sub-agent. */
  readonly depth: number;
};

const diffLimit = 60;

export function toolLines(block: ToolBlock, given: Drawing): string[] {
  const { view, isError, text, display, inside, depth } = block;
  const { theme } = given;
  const indent = "  ".repeat(depth);
  const drawing = { ...given, width: Math.max(20, given.width - indent.length) };
  const below = { theme, width: drawing.width - 2, ending: isError ? "bad" : "good" } as const;
  const details =
    view.command !== undefined
      ? tailOf(linesOf(withoutExit(text, display)), below)
      : isError
        ? [theme.error(cutInMiddle(visible(tellingLine(text)), below.width))]
        : display?.type === "diff"
          ? diffLines(display.diff, { ...below, maxLines: diffLimit })
          : [];
  return [callLine(block, drawing), ...treeLines(inside, drawing), ...details.map((line) => `  ${line}`)].map(
    (line) => indent + line,
  );
}

/** The code stands in the line above already. */
function withoutExit(text: string, display: ToolDisplay | undefined): string {
  return display?.type === "exit" ? text.replace(/^\[exit code -?\d+\]$/m, "") : text;
}

type Linked = { readonly text: string; readonly root: string; readonly links: LinkStyle };

/** The one file a call is about opens with a click where the terminal can. */
function linked({ title, reads = [], writes = [] }: ToolView, { text, root, links }: Linked): string {
  const [path, ...others] = [...new Set([...reads, ...writes])];
  if (links !== "hyperlinks" || path === undefined || others.length > 0 || !title.startsWith(path)) return text;
  const { pathname } = pathToFileURL(expandPath(path, root));
  return `\u001b]8;;file://${hostname()}${pathname}\u001b\\${text}\u001b]8;;\u001b\\`;
}

function linesOf(text: string): string[] {
  return stripControl(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
}

const tailLines = 3;

type Tail = Pick<Drawing, "theme" | "width"> & { readonly ending: "good" | "bad" };

/** The end of what a command printed; of one that failed the line that says why stands before it. */
function tailOf(lines: readonly string[], { theme, width, ending }: Tail): string[] {
  const tail = lines.slice(-tailLines);
  const why = ending === "bad" ? errorLine(lines) : undefined;
  const first = why !== undefined && !tail.includes(why) ? [why] : [];
  const hidden = lines.length - tail.length - first.length;
  const paint = ending === "bad" ? theme.error : theme.dim;
  const show = (line: string) => paint(fitLine(line.replaceAll("\t", "  "), width));
  const fold = hidden > 0 ? [theme.dim(`… ${counted(hidden, "more line")} (ctrl+o shows all)`)] : [];
  return [...first.map(show), ...fold, ...tail.map(show)];
}
