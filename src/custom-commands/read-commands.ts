import type { SlashCommand } from "../contracts/command.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import { namesIn } from "../platform/list-folder.ts";
import { type MarkdownFile, readMarkdownFile } from "../platform/markdown-file.ts";
import { showControl } from "../platform/terminal-text.ts";
import { fillIn } from "./fill-in.ts";

export type ReadCommandsOptions = {
  readonly takenNames: ReadonlySet<string>;
  /** One line for every file that cannot be a command. */
  readonly onNotice: (text: string) => void;
};

/** More than anybody remembers. */
const mostCommands = 200;
const deepestGroup = 3;
const namePart = /^[a-z][\w-]*$/;
const longestSummary = 100;

/** Of one name the first counts. */
export async function readCommands(
  folders: readonly string[],
  { takenNames, onNotice }: ReadCommandsOptions,
): Promise<readonly SlashCommand[]> {
  const commands = new Map<string, SlashCommand>();
  for (const { path, parts } of folders.flatMap((folder) => [...filesIn(folder, [])]).slice(0, mostCommands)) {
    const name = parts.join(":").toLowerCase();
    if (commands.has(name)) continue;
    const wrong = parts.find((part) => !namePart.test(part.toLowerCase()));
    if (wrong !== undefined) {
      onNotice(
        `${showControl(path)}: ${showControl(wrong)} cannot be typed as a command. Use letters, digits, - and _.`,
      );
    } else if (takenNames.has(name)) {
      onNotice(`${showControl(path)}: /${name} is built in. Give the file another name.`);
    } else {
      const command = toCommand(name, path, await readMarkdownFile(path));
      if ("problem" in command) onNotice(command.problem);
      else commands.set(name, command);
    }
  }
  return [...commands.values()];
}

type CommandFile = { readonly path: string; readonly parts: readonly string[] };

function* filesIn(folder: string, group: readonly string[]): Generator<CommandFile> {
  for (const name of namesIn(folder).sort()) {
    const path = `${folder}/${name}`;
    if (/\.md$/i.test(name)) yield { path, parts: [...group, name.slice(0, -3)] };
    else if (group.length < deepestGroup && !name.startsWith(".")) yield* filesIn(path, [...group, name]);
  }
}

function toCommand(
  name: string,
  path: string,
  file: MarkdownFile | { readonly problem: string },
): SlashCommand | { readonly problem: string } {
  if ("problem" in file) return { problem: showControl(file.problem) };
  const { fields, body } = file;
  const { description, "argument-hint": hint } = fields;
  if (description !== undefined && typeof description !== "string")
    return { problem: `${showControl(path)}: description must be a text.` };
  if (body.trim() === "")
    return { problem: `${showControl(path)} says nothing: write the prompt below the front matter.` };
  const summary = oneLine(description ?? body);
  return {
    name,
    ...(hint === undefined || hint === null
      ? {}
      : { usage: oneLine(Array.isArray(hint) ? `[${hint.join(", ")}]` : String(hint)) }),
    summary: summary.length > longestSummary ? `${summary.slice(0, longestSummary - 1)}…` : summary,
    async run(argument) {
      // what it says may have been changed since
      const now = await readMarkdownFile(path);
      if ("problem" in now) throw new UserError(exitCode.failed, now.problem);
      return { prompt: fillIn(now.body.trim(), argument) };
    },
  };
}

function oneLine(text: string): string {
  return showControl(
    text
      .trim()
      .split("\n")[0]
      ?.replace(/^#+\s*/, "")
      .trim() ?? "",
  );
}
