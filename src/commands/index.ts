import type { SlashCommand } from "../contracts/command.ts";
import { compact } from "./compact.ts";
import { context } from "./context.ts";
import { cost } from "./cost.ts";
import { diff } from "./diff.ts";
import { help } from "./help.ts";
import { mcp } from "./mcp.ts";
import { model } from "./model.ts";
import { permissions } from "./permissions.ts";
import { quit } from "./quit.ts";
import { redo } from "./redo.ts";
import { reset } from "./reset.ts";
import { resume } from "./resume.ts";
import { rewind } from "./rewind.ts";
import { save } from "./save.ts";
import { sessions } from "./sessions.ts";
import { tokens } from "./tokens.ts";
import { undo } from "./undo.ts";

/** In the order of /help. */
export const commands: readonly SlashCommand[] = [
  help,
  reset,
  model,
  tokens,
  cost,
  compact,
  context,
  diff,
  undo,
  redo,
  rewind,
  save,
  sessions,
  resume,
  permissions,
  mcp,
  quit,
];

export type CommandLine = { readonly command: SlashCommand; readonly argument: string } | { readonly problem: string };

/** Undefined when the line is no command but a prompt. An unknown `/word` is reported, never sent to the model; a path is a prompt. */
export function readCommandLine(line: string, known: readonly SlashCommand[] = commands): CommandLine | undefined {
  const trimmed = line.trim();
  if (/^(quit|exit)$/i.test(trimmed)) return { command: quit, argument: "" };
  const match = /^\/([A-Za-z][\w:-]*)(?:\s+(.*))?$/s.exec(trimmed);
  if (!match?.[1]) return undefined;
  const word = match[1].toLowerCase();
  const command = known.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
  if (command) return { command, argument: match[2]?.trim() ?? "" };
  return { problem: `Unknown command /${word}. /help lists the commands.` };
}
