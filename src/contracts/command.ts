import type { UndoScope } from "./session.ts";

/** A slash command: one file in commands/, one line in its index; help and completion follow. */
export type CommandOutcome =
  | "continue"
  | "quit"
  /** The command stands for this prompt. */
  | { readonly prompt: string };

/** Keys, or words, and what they do. */
export type KeyHelp = { readonly keys: string; readonly does: string };

/** What commands may see and do; each command uses a little of it. */
export interface CommandHost {
  print(text: string): void;
  /** A unified diff, or a word that there is none. */
  printDiff(text: string): void | Promise<void>;
  readonly commands: readonly SlashCommand[];
  /** What keys do at the prompt. */
  readonly keys?: readonly KeyHelp[];
  /** How wide what is printed may be. */
  readonly columns?: number;
  model(): string;
  setModel(name: string): void;
  /** Only where the person can pick from a list; undefined when they want none of it. */
  pickModel?(): Promise<string | undefined>;
  reset(): void;
  /** Answers with one line: the receipt, or why nothing was done. */
  compact(focus: string | undefined): Promise<string>;
  contextReport(): Promise<string>;
  usageReport(): Promise<string>;
  costReport(): Promise<string>;
  sessionReport(): Promise<string>;
  permissionReport(): Promise<string>;
  /** What an extension says about itself; undefined when there is none of that name. */
  report(name: string): string | undefined;
  /** What this session did to files: all of it, the last turns, or one file. */
  diff(wanted: { readonly turns?: number; readonly path?: string }): Promise<string>;
  /** Takes back the last turns; answers with what was done. */
  undo(wanted: { readonly turns: number; readonly what: UndoScope }): Promise<string>;
  redo(): Promise<string>;
  /** Goes on from before an earlier prompt in a copy of the session; without a number the person picks. */
  rewind(turns: number | undefined): Promise<string>;
  /** Gives the session a name. */
  save(name: string): string;
  /** Leaves this session for a saved one; without an id the person picks. */
  resume(id: string | undefined): Promise<string>;
}

export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** `[NAME]`, shown in help. */
  readonly usage?: string;
  readonly summary: string;
  run(argument: string, host: CommandHost): CommandOutcome | Promise<CommandOutcome>;
}
