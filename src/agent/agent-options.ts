import type { ContextEngine, Summarise } from "../contracts/context.ts";
import type { ConversationRecord } from "../contracts/conversation-record.ts";
import type { Extension } from "../contracts/extension.ts";
import type { ChangeHistory, ChangeTracker } from "../contracts/file-change.ts";
import type { Hooks } from "../contracts/hook.ts";
import type { Part } from "../contracts/message.ts";
import type { AskPermission, PermissionPolicy } from "../contracts/permission.ts";
import type { Effort, PriceOf, Provider, ToolSchema } from "../contracts/provider.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { AnyTool } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import type { Purse } from "./purse.ts";
import type { Spending } from "./spending.ts";

/** Everything an agent is made of. Model and provider are functions because a person may switch them between prompts. */
export type AgentOptions = {
  readonly provider: () => Provider;
  readonly model: () => string;
  readonly system: string;
  readonly tools: readonly AnyTool[];
  /** What the model is told about them; left out, what they say themselves. */
  readonly toolSchemas?: readonly ToolSchema[];
  readonly workspace: Workspace;
  readonly permissions: PermissionPolicy;
  readonly ask?: AskPermission;
  /** Programs of the person's that are run when something happens. */
  readonly hooks?: Hooks;
  /** Must return when the entry is with the operating system. */
  readonly log?: (entry: SessionEntry) => void;
  /** What has happened meanwhile that the model should know, such as the end of a background job; each is told once. */
  readonly pendingNotices?: () => readonly string[];
  /** What the person has said meanwhile: it enters between two model calls, as prompts do. */
  readonly pendingPrompts?: () => readonly (readonly Part[])[];
  /** What else can be done; their tools are among `tools` already. */
  readonly extensions?: readonly Extension[];
  readonly maxRounds: number;
  readonly maxBudgetUsd?: number;
  /** The model stays overloaded: switches to another and answers with its name; undefined when there is none left. */
  readonly fallBack?: () => string | undefined;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly effort?: Effort;
  /** Names the session to vendors that keep what belongs together in one cache. */
  readonly sessionId?: string;
  /** How long the vendor keeps a prefix; left out, its cache is not watched. */
  readonly cacheMs?: () => number;
  readonly retryBaseMs: number;
  readonly priceOf?: PriceOf;
  readonly keep?: (handle: string, text: string) => string | undefined;
  readonly keepFile?: (handle: string, path: string) => string;
  readonly outputFolder?: () => string | undefined;
  /** Keeps the view inside the window; left out, the model is sent the whole history. */
  readonly createContext?: (summarise: Summarise, workspace: Workspace) => ContextEngine;
  /** The vendor named its limit when it refused a request that was longer. */
  readonly onWindowLearned?: (tokens: number) => void;
  /** Takes the key out of whatever a tool brings back. */
  readonly redact?: (text: string) => string;
  /** Shared with sub-agents, so that no two results of a session have the same name. */
  readonly handles: { next(): string };
  /** What calls change on disk can be taken back. */
  readonly tracker?: ChangeTracker;
  readonly changeHistory?: ChangeHistory;
  /** A conversation to go on with. */
  readonly restored?: RestoredConversation;
  /** What the session has cost so far; left out, it starts with this conversation. */
  readonly spending?: Spending;
  /** Shared with sub-agents: they spend the same money. Left out: one of its own where there is a limit. */
  readonly purse?: Purse;
  /** The longest answer of a model; undefined where that is not known. */
  readonly longestAnswer?: (model: string) => number | undefined;
};

export type RestoredConversation = {
  readonly record: ConversationRecord;
  /** The highest number that ids of messages hold. */
  readonly lastMessage: number;
  /** Calls that had begun to run. */
  readonly startedCalls: ReadonlySet<string>;
  /** Of a copy that goes on beside the original: what it is told about calls that have no result yet. */
  readonly openCallAnswer?: string;
};
