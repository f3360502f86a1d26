import { ToolError } from "../contracts/errors.ts";
import { type Infer, integer, object, optional, string } from "../contracts/schema.ts";
import { defineTool } from "../contracts/tool.ts";

const input = object({
  id: optional(string('handle of an archived result, "#12"')),
  query: optional(string("words to search for in the whole conversation")),
  offset: optional(integer("first line", { min: 1 })),
  limit: optional(integer("lines", { min: 1 })),
  pattern: optional(string("only lines containing this")),
});

/** The way back to whatever has left the window. */
export const recall = defineTool<Infer<typeof input>>({
  name: "recall",
  description:
    "Bring back something that is no longer shown in this conversation: an archived result by id, or anything by query.",
  input,
  effect: "read",
  describe: ({ id, query }) => ({ label: "recall", title: id ?? query ?? "" }),
  async run(request, context) {
    const { text, isFound } = context.recall(request);
    if (!isFound) throw new ToolError(text);
    return { text };
  },
});
