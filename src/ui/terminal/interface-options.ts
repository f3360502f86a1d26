import type { CommandOutcome } from "../../contracts/command.ts";
import type { AgentEvent } from "../../contracts/event.ts";
import type { AskPermission } from "../../contracts/permission.ts";
import type { Todo } from "../../contracts/tool-view.ts";
import type { Asker } from "../ask-person.ts";
import type { Background, Theme } from "../rendering/theme.ts";
import type { DeskOptions } from "./desk.ts";
import type { Surface } from "./painter.ts";
import type { TerminalKind } from "./signals.ts";
import type { StatusSource } from "./status-line.ts";

export type PastItem = AgentEvent | { readonly type: "prompt"; readonly text: string };

export type TerminalInterfaceOptions = Pick<
  DeskOptions,
  "keys" | "usesVim" | "history" | "completion" | "editElsewhere" | "cycleMode" | "pictures"
> & {
  readonly surface: Surface;
  readonly kind: TerminalKind;
  readonly theme: Theme;
  /** The theme for a ground that the terminal told us about; left out, it is not asked. */
  readonly themeOn?: (background: Background) => Theme;
  readonly escapeMs: number;
  readonly notifies: boolean;
  readonly isVerbose: boolean;
  readonly banner: () => readonly string[];
  /** What was said last in a conversation that goes on. */
  readonly past: () => readonly PastItem[];
  readonly folderName: string;
  /** Paths below it are shown from it. */
  readonly root: string;
  readonly todos: () => readonly Todo[];
  /** A prompt as it is repeated on the screen. */
  readonly echo: (prompt: string) => string;
  readonly send: (prompt: string, signal: AbortSignal) => AsyncIterable<AgentEvent>;
  /** Is it for the model, and no slash command? */
  readonly isPrompt: (line: string) => boolean;
  /** Runs a slash command; undefined when the line is a prompt. */
  readonly runCommand: (line: string, signal: AbortSignal) => Promise<CommandOutcome | undefined>;
  /** Runs a command of the person's own and keeps its output for the next prompt. */
  readonly runOwnCommand: (command: string, signal: AbortSignal) => Promise<string>;
  readonly status: StatusSource;
  readonly target: () => { readonly endpoint: string; readonly model: string };
};

export type TerminalInterface = Asker & {
  /** Runs until the person leaves. */
  run(): Promise<void>;
  readonly ask: AskPermission;
  /** In the scrollback when it is short; else to look through. */
  printDiff(diff: string): Promise<void>;
  /** Shown again, as it looked. */
  showPast(items: readonly PastItem[]): void;
  /** For everything that is no event: commands, notices, warnings. */
  print(text: string, tone: "text" | "dim" | "error"): void;
  /** The line at the bottom may have changed. */
  refresh(): void;
  /** What was written while the agent works; it is theirs from now on. */
  takeQueued(): readonly string[];
};
