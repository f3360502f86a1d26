/** A slash command: one file in commands/, one line in its index; help and completion follow. */
export type CommandOutcome = "continue" | "quit";

/** What commands may see and do; each command uses a little of it. */
export interface CommandHost {
  print(text: string): void;
  readonly commands: readonly SlashCommand[];
  model(): string;
  setModel(name: string): void;
  reset(): void;
  /** Answers with one line: the receipt, or why nothing was done. */
  compact(focus: string | undefined): Promise<string>;
  contextReport(): Promise<string>;
  usageReport(): Promise<string>;
  costReport(): Promise<string>;
  sessionReport(): Promise<string>;
  permissionReport(): Promise<string>;
  diffReport(): Promise<string>;
}

export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** `[NAME]`, shown in help. */
  readonly usage?: string;
  readonly summary: string;
  run(argument: string, host: CommandHost): CommandOutcome | Promise<CommandOutcome>;
}
