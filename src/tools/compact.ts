import { type Infer, object, optional, string } from "../contracts/schema.ts";
import { defineTool } from "../contracts/tool.ts";

const input = object({ focus: optional(string("what must not be forgotten")) });

/** The model may ask for a fold itself, at a good moment; it happens when all calls of the answer are done. */
export const compact = defineTool<Infer<typeof input>>({
  name: "compact",
  description: "Fold the conversation so far into a summary, now. Useful between two large steps; the turn goes on.",
  input,
  effect: "none",
  describe: ({ focus }) => ({ label: "compact", title: focus ?? "" }),
  async run({ focus }, context) {
    context.requestCompaction(focus);
    return { text: "The conversation will be folded after this round." };
  },
});
