import type { SlashCommand } from "./command.ts";
import type { AnyTool } from "./tool.ts";

/**
 * Something that gives an agent more abilities: skills, memory, servers of tools. Found before the first request; where there is nothing to
 * find there is no extension, and nothing was loaded and no token spent for it.
 */
export type Extension = {
  /** Sent with every request, from the first one on. */
  readonly tools?: readonly AnyTool[];
  /** Part of the system prompt: the same bytes for the whole session. */
  readonly section?: string;
  readonly commands?: readonly SlashCommand[];
  /** A tool that runs when the model calls it by name, although its schema was never among those sent. */
  findTool?(name: string): Promise<AnyTool | undefined>;
  /** What the model should know with this prompt; enters behind it as a message of the program's. */
  onPrompt?(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Calls have read or changed these files, given as real paths. */
  onTouched?(paths: readonly string[]): void;
  /** What the model should be told before its next answer; each is told once. */
  pendingNotices?(): readonly string[];
  /** The conversation was folded: what was told before may have left the view. */
  onFolded?(): void;
  close?(): Promise<void>;
};

/** What extensions are looked for with. */
export type ExtensionContext = {
  readonly cwd: string;
  readonly home: string;
  readonly stateFolder: string;
  /** May what the project's own files say be run? */
  readonly isTrusted: boolean;
  /** Is there a person who can be asked? */
  readonly isInteractive: boolean;
  /** What commands inherit: free of keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly windowTokens: number;
  /** One line for the person. */
  readonly onNotice: (text: string) => void;
};
