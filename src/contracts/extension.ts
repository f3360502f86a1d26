import type { ClientRequest, RequestOptions } from "node:http";
import type { SlashCommand } from "./command.ts";
import type { AgentKind } from "./subagent.ts";
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
  /** Stands at the very end of the system prompt. A resumed session goes on with the one it began with, whatever this says by then. */
  readonly background?: string;
  readonly commands?: readonly SlashCommand[];
  /** How things stand, for commands that only show it, by their names. */
  readonly reports?: Readonly<Record<string, () => string>>;
  /** Kinds of sub-agents. */
  readonly agentKinds?: readonly AgentKind[];
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
  /**
   * The conversation is another one now: taken up again, cleared, folded, or turns were taken back. These are the program's own messages that the
   * model still sees; after a fold this comes behind `onFolded`.
   */
  onView?(told: readonly string[]): void;
  /** Rules that allow calls for as long as they are named here; the person's own rules that ask or refuse are stronger. */
  grantedRules?(): readonly string[];
  /** The same for a conversation beside this one, which has been told nothing yet. Left out, both share one. */
  forSubagent?(): Extension;
  close?(): Promise<void>;
};

export type SendRequest = (url: URL, options: RequestOptions) => ClientRequest;

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
  readonly memory: "on" | "off";
  /** Tools that a session being taken up again was begun with. */
  readonly resumedTools?: readonly string[];
  /** Does a file of this name likely hold a secret? */
  readonly isSecret: (path: string) => boolean;
  /** Set when the person's rules or settings let the agent reach a network. */
  readonly network?: {
    /** Does a rule allow this very host, not only by a pattern? */
    readonly isNamed: (host: string, port: number) => boolean;
    /** How a request for this address leaves through the person's proxy; undefined when it goes straight. */
    readonly throughProxy?: (url: URL) => Promise<SendRequest | undefined>;
  };
  /** One line for the person. */
  readonly onNotice: (text: string) => void;
};
