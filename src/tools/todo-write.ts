import { ToolError } from "../contracts/errors.ts";
import { array, object, oneOf, string } from "../contracts/schema.ts";
import { defineTool } from "../contracts/tool.ts";
import type { Todo } from "../contracts/tool-view.ts";

const itemLimit = 50;

/** The list is replaced as a whole; it is shown to the person each time. */
export const todoWrite = defineTool<{ readonly todos: readonly Todo[] }>({
  name: "todo_write",
  description:
    "Write the whole task list, shown to the user. At most one item in_progress; mark items completed as soon as they are.",
  input: object({
    todos: array(object({ content: string(), status: oneOf(["pending", "in_progress", "completed"]) })),
  }),
  effect: "none",
  describe: ({ todos }) => ({
    label: "todo",
    title: `${todos.filter((todo) => todo.status === "completed").length} of ${todos.length} done`,
  }),
  async run({ todos }, { workspace }) {
    if (todos.length > itemLimit)
      throw new ToolError(`The list has ${todos.length} items; at most ${itemLimit} are kept. Merge some.`);
    const empty = todos.findIndex((todo) => todo.content.trim() === "");
    if (empty >= 0) throw new ToolError(`todos[${empty}].content is empty. Say what is to be done.`);
    const busy = todos.filter((todo) => todo.status === "in_progress");
    if (busy.length > 1)
      throw new ToolError(`${busy.length} items are in_progress; only one may be. Nothing was changed.`);
    workspace.todos = todos;
    const open = todos.filter((todo) => todo.status !== "completed").length;
    return { text: `List saved: ${todos.length} items, ${open} open.`, display: { type: "todos", todos } };
  },
});
