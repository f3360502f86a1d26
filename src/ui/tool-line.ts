import { isAbsolute } from "node:path";
import type { AgentEvent } from "../contracts/event.ts";
import type { Todo, ToolView } from "../contracts/tool-view.ts";
import { displayPath } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { type Output, paint } from "./output.ts";
import { cutInMiddle } from "./text-width.ts";

type Started = Extract<AgentEvent, { type: "tool.started" }>;
type Finished = Extract<AgentEvent, { type: "tool.finished" }>;

const titleColumns = 100;

/** `→ read src/a.ts`: one line a call, indented inside a sub-agent. */
export function startedLine(event: Started, output: Output): string {
  const indent = event.parentCallId ? "  " : "";
  return `${paint(output, "dim", `${indent}→ ${event.view.label} ${cutInMiddle(shownTitle(event.view, output.root), titleColumns)}`)}\n`;
}

/** What is worth saying after it: a failure, a change, a task list. Empty for the rest. */
export function finishedLine(event: Finished, output: Output): string {
  const indent = event.parentCallId ? "    " : "  ";
  if (event.isError)
    return `${paint(output, "red", `${indent}✗ ${cutInMiddle(showControl(tellingLine(event.text)), titleColumns)}`)}\n`;
  const { display } = event;
  if (display?.type === "diff") {
    const summary = paint(
      output,
      "dim",
      `${indent}± ${showControl(display.path)} (+${display.added} −${display.removed})`,
    );
    return `${summary}\n${diffLines(display.diff, indent, output)}`;
  }
  return display?.type === "todos" ? todoLines(display.todos, indent, output) : "";
}

const diffLimit = 40;

/** The changed lines with their surroundings; the file's name stands above already. */
function diffLines(diff: string, indent: string, output: Output): string {
  // only what stands before the first hunk is a header: a removed `-- comment` looks like one
  const hunks = diff.slice(Math.max(diff.search(/^@@/m), 0));
  const lines = hunks.split("\n").filter((line) => line !== "");
  const shown = lines.slice(0, diffLimit).map((line) => {
    const style = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
    return `${indent}${paint(output, style, line.split("\t").map(showControl).join("\t"))}\n`;
  });
  const rest = lines.length - shown.length;
  return shown.join("") + (rest > 0 ? `${indent}${paint(output, "dim", `… ${rest} more lines`)}\n` : "");
}

export const todoMarks = { pending: "○", in_progress: "◐", completed: "●" } as const;

function todoLines(todos: readonly Todo[], indent: string, output: Output): string {
  return todos
    .map(
      ({ status, content }) =>
        `${paint(output, status === "completed" ? "dim" : "cyan", `${indent}${todoMarks[status]} ${showControl(content)}`)}\n`,
    )
    .join("");
}

/** The line that says most: the first that names an error, else the first; with the ending of a command (`[exit code 1]`) behind it. */
export function tellingLine(text: string): string {
  const lines = text.trim().split("\n");
  const ending = lines.length > 1 && lines.at(-1)?.startsWith("[") ? ` ${lines.at(-1)}` : "";
  return (errorLine(lines) ?? lines[0] ?? "").trim() + ending;
}

/** The first that names an error. */
export function errorLine(lines: readonly string[]): string | undefined {
  return lines.find((line) => /\w*(error|exception|panic|fatal)\b:?/i.test(line));
}

/** What a call acts on, in one line; paths as a person would write them. */
export function shownTitle({ title, reads = [], writes = [] }: ToolView, root: string | undefined): string {
  let shown = title;
  if (root !== undefined)
    for (const path of [...reads, ...writes])
      if (isAbsolute(path)) shown = shown.replace(path, () => displayPath(path, root));
  return visible(shown.replaceAll("\n", " ⏎ "));
}

/** Untrusted text for one line. */
export function visible(text: string): string {
  return text.split("\t").map(showControl).join("  ");
}
