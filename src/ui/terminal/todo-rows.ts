import type { Todo } from "../../contracts/tool-view.ts";
import { showControl } from "../../platform/terminal-text.ts";
import type { Theme } from "../rendering/theme.ts";
import { todoMarks } from "../tool-line.ts";

function todoRow({ status, content }: Todo, theme: Theme): string {
  const row = `${todoMarks[status]} ${showControl(content)}`;
  return status === "completed" ? theme.dim(row) : status === "in_progress" ? theme.accent(row) : row;
}

const pinned = 6;

/** The list while something of it is open: what is being done and what comes next. */
export function pinnedTodos(todos: readonly Todo[], theme: Theme): string[] {
  const open = todos.filter(({ status }) => status !== "completed");
  if (open.length === 0) return [];
  const done = todos.length - open.length;
  const rest = open.length - pinned;
  return [
    theme.dim(`tasks ${done}/${todos.length}`),
    ...open.slice(0, pinned).map((todo) => `  ${todoRow(todo, theme)}`),
    ...(rest > 0 ? [theme.dim(`  … ${rest} more`)] : []),
  ];
}
