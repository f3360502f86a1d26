import type { SlashCommand } from "../contracts/command.ts";
import { ToolError } from "../contracts/errors.ts";
import { openEditor } from "../platform/open-editor.ts";
import { showControl } from "../platform/terminal-text.ts";
import type { MemoryStore } from "./memory-store.ts";
import { unknownEntry } from "./memory-tools.ts";

type MemoryCommandOptions = {
  readonly store: MemoryStore;
  readonly environment: Readonly<Record<string, string>>;
  /** Off by the person's settings, which no command changes. */
  readonly isOffBySetting: boolean;
};

/** Answers with what to print. */
function runMemoryCommand(argument: string, { store, environment, isOffBySetting }: MemoryCommandOptions): string {
  const [word = "", ...rest] = argument.trim().split(/\s+/);
  const words = rest.join(" ");
  if (word === "") return isOffBySetting ? "Memory is off in your settings (memory: off).\n" : overview(store);
  if (word === "on" || word === "off") return switchTo(word, store, isOffBySetting);
  try {
    if (word === "add" && words !== "") {
      const { id } = store.add({ text: words, scope: "project" });
      return `Remembered as ${id}.\n`;
    }
    if (word === "forget" && words !== "")
      return store.remove(words) ? `Forgotten: ${words}.\n` : `${unknownEntry(words, store)}\n`;
  } catch (error) {
    if (error instanceof ToolError) return `${error.message}\n`;
    throw error;
  }
  const id = word === "edit" ? words : argument.trim();
  const entry = store.entries().find((known) => known.id === id);
  if (entry === undefined) return `${unknownEntry(id, store)}\n`;
  return openEditor(entry.path, environment) ? "" : `${entry.path}\n`;
}

function overview(store: MemoryStore): string {
  const entries = store.entries();
  const state = store.isOff ? "Memory is off for this project; /memory on switches it on.\n" : "";
  const where = `Notes are files: ${store.folders.project} (this project), ${store.folders.user} (every project)\n`;
  if (entries.length === 0)
    return `${state}Nothing is remembered. Tell the agent to remember something, or /memory add TEXT.\n${where}`;
  const width = Math.max(...entries.map(({ id }) => id.length));
  const lines = entries.map(({ id, title }) => `  ${showControl(id).padEnd(width)}  ${showControl(title)}`);
  return `${state}${lines.join("\n")}\n${where}/memory ID edits one, /memory forget ID removes it, /memory off keeps memory out of this project.\n`;
}

function switchTo(wanted: "on" | "off", store: MemoryStore, isOffBySetting: boolean): string {
  store.isOff = wanted === "off";
  if (wanted === "off") return "Memory is off for this project: nothing is read or kept.\n";
  return isOffBySetting ? "It stays off: your settings say memory: off.\n" : "Memory is on for this project.\n";
}

export function memoryCommand(options: MemoryCommandOptions): SlashCommand {
  return {
    name: "memory",
    usage: "[ID | add TEXT | forget ID | on | off]",
    summary: "what is remembered across sessions: see it, change it, switch it off",
    run(argument, host) {
      host.print(runMemoryCommand(argument, options));
      return "continue";
    },
  };
}
