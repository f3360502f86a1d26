import { ToolError } from "../contracts/errors.ts";
import { type Infer, object, oneOf, optional, string } from "../contracts/schema.ts";
import { type AnyTool, defineTool, type ToolOutput } from "../contracts/tool.ts";
import { maskSecrets } from "../platform/mask-secrets.ts";
import { similarNames } from "../platform/similar-names.ts";
import type { Entry } from "./entry.ts";
import type { MemoryStore } from "./memory-store.ts";

const remembering = object({
  text: string(),
  title: optional(string()),
  scope: optional(oneOf(["project", "user"])),
});
/** Until something is remembered the model is told of the text alone: nobody pays for what is not used. */
const rememberingFirst = { ...remembering, json: object({ text: string() }).json };
const forgetting = object({ id: string() });

/** What the permission policy is told instead of a path: the notes are no file of the project. */
const keeps = "what is remembered across sessions";

type RememberOptions = {
  readonly store: MemoryStore;
  readonly use: "first" | "further";
  readonly onKept: (entry: Entry) => void;
};

export function createRemember({ store, use, onKept }: RememberOptions): AnyTool {
  return defineTool<Infer<typeof remembering>>({
    name: "remember",
    description: "Keep a note for later sessions, if the user wants it kept.",
    input: use === "first" ? rememberingFirst : remembering,
    effect: "write",
    describe: ({ text, scope }) => ({
      label: "remember",
      title: `${maskSecrets(text)}${scope === "user" ? "\n(in every project)" : ""}`,
      keeps,
    }),
    async run({ text, title, scope = "project" }): Promise<ToolOutput> {
      refuseWhenOff(store);
      const entry = store.add({ text, scope, ...(title === undefined ? {} : { title }) });
      onKept(entry);
      const masked = entry.text.includes("[masked") ? " What looked like a secret was masked." : "";
      return { text: `Remembered as ${entry.id}: ${entry.title}.${masked}` };
    },
  });
}

export function createForget(store: MemoryStore): AnyTool {
  return defineTool<Infer<typeof forgetting>>({
    name: "forget",
    description: "Remove a note from memory.",
    input: forgetting,
    effect: "write",
    describe: ({ id }) => {
      const entry = store.entries().find((known) => known.id === id);
      return { label: "forget", title: entry ? `${id}: ${entry.title}` : id, keeps };
    },
    async run({ id }): Promise<ToolOutput> {
      refuseWhenOff(store);
      if (store.remove(id)) return { text: `Forgotten: ${id}.` };
      throw new ToolError(unknownEntry(id, store));
    },
  });
}

/** Notes are found by their ids alone, never by a path. */
export function unknownEntry(id: string, store: MemoryStore): string {
  const ids = store.entries().map((entry) => entry.id);
  const near = similarNames(id, ids);
  const hint =
    near.length > 0
      ? `Nearest: ${near.join(", ")}.`
      : ids.length > 0
        ? `There are: ${ids.slice(0, 20).join(", ")}.`
        : "Nothing is remembered.";
  return `There is no note ${JSON.stringify(id.slice(0, 100))}. ${hint}`;
}

function refuseWhenOff(store: MemoryStore): void {
  if (store.isOff) throw new ToolError("The user has switched memory off; nothing was changed.");
}
