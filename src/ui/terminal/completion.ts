import { showControl } from "../../platform/terminal-text.ts";
import { fuzzyFilter } from "../rendering/fuzzy.ts";
import type { Theme } from "../rendering/theme.ts";
import { padToWidth, textWidth } from "../text-width.ts";
import { fitLine } from "./cells.ts";
import { type EditorState, replaced } from "./editor.ts";

export type Suggestion = { readonly value: string; readonly help: string };

/** A menu below the text: what the word at the cursor may become. */
export type Completion = {
  /** Where the word begins. */
  readonly from: number;
  readonly items: readonly Suggestion[];
  readonly selected: number;
};

export type CompletionSources = {
  readonly commands: () => readonly Suggestion[];
  readonly findFiles: (query: string, limit: number) => Promise<readonly string[]>;
};

/** What is being completed: a `/word` at the beginning, or an `@path` anywhere. */
export type Wanted = { readonly type: "command" | "file"; readonly from: number; readonly query: string };

export function wantedCompletion({ text, cursor }: EditorState): Wanted | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:-]*)$/.exec(before);
  if (command) return { type: "command", from: 0, query: command[1] ?? "" };
  const file = /(?:^|[\s(["'])@([^\s"']*)$/.exec(before);
  return file ? { type: "file", from: cursor - (file[1]?.length ?? 0) - 1, query: file[1] ?? "" } : undefined;
}

const offered = 8;

export async function complete(
  wanted: Wanted,
  { commands, findFiles }: CompletionSources,
): Promise<Completion | undefined> {
  const items =
    wanted.type === "command"
      ? commandsFor(wanted.query, commands())
      : (await findFiles(wanted.query, offered)).map((path) => ({ value: `@${path}`, help: "" }));
  return items.length === 0 ? undefined : { from: wanted.from, items, selected: 0 };
}

/** Those that begin with it come first. */
function commandsFor(query: string, commands: readonly Suggestion[]): readonly Suggestion[] {
  if (query === "") return commands;
  const begins = commands.filter(({ value }) => value.startsWith(`/${query}`));
  const others = fuzzyFilter(commands, query, ({ value }) => value).filter((item) => !begins.includes(item));
  return [...begins, ...others];
}

/** Takes the selected word over. A folder is only the beginning of a path, so that the menu goes on. */
export function accept(editor: EditorState, { from, items, selected }: Completion): EditorState {
  const item = items[selected];
  if (item === undefined) return editor;
  const rest = editor.text.slice(editor.cursor);
  const gap = item.value.endsWith("/") || rest.startsWith(" ") ? "" : " ";
  const head = editor.text.slice(0, from) + item.value + gap;
  return replaced(editor, head + rest, head.length);
}

export function completionRows(
  { items, selected }: Completion,
  { theme, width }: { theme: Theme; width: number },
): string[] {
  const from = Math.max(0, Math.min(selected - Math.floor(offered / 2), items.length - offered));
  const shown = items.slice(from, from + offered);
  const column = Math.min(28, Math.max(...shown.map(({ value }) => textWidth(value))) + 2);
  return shown.map(({ value, help }, at) => {
    const isSelected = from + at === selected;
    const name = `${isSelected ? "▸" : " "} ${showControl(value)}`;
    const row = fitLine(help === "" ? name : `${padToWidth(name, column + 2, "left")}${help}`, width);
    return isSelected ? theme.selected(row) : theme.dim(row);
  });
}
