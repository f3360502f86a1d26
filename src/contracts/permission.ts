import type { ToolEffect } from "./tool.ts";
import type { ToolView } from "./tool-view.ts";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "auto" | "bypassPermissions";

export const permissionModes = ["default", "acceptEdits", "plan", "auto", "bypassPermissions"] as const;

export type PermissionRequest = {
  readonly tool: string;
  readonly effect: ToolEffect;
  readonly view: ToolView;
  readonly cwd: string;
  readonly root: string;
  readonly writableRoots: readonly string[];
};

export type Verdict = "allow" | "ask" | "deny";

/** A part of a command that is decided on its own; `from` and `to` are where it stands in the command. */
export type CommandPart = {
  readonly from: number;
  readonly to: number;
  /** "allow": it may run as it is, by itself or by a rule. */
  readonly decision: Verdict;
  readonly reason: string;
};

export type PermissionDecision = {
  readonly verdict: Verdict;
  readonly because: string;
  /** For "ask": the rule that "always" would add, such as `bash(npm test)`. */
  readonly rule?: string;
  /** For "ask": a rule of the person's wants the question, so that nothing else may answer it. */
  readonly isWished?: true;
  /** For "ask" on a command: what it consists of, in order. One that cannot be placed spans all of it. */
  readonly parts?: readonly CommandPart[];
  /** Holds only for running it in a sandbox; leaving that is another question. */
  readonly inSandbox?: true;
};

/** Pure apart from looking at the file system; asking a person is the caller's job. */
export interface PermissionPolicy {
  readonly mode: PermissionMode;
  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision>;
  /** Remembers a rule, for this session or for every later one in this folder. */
  allow(rule: string, lasting: "session" | "project"): void;
}

/** One decision of the policy, kept for the person to look at. */
export type RecentDecision = {
  readonly tool: string;
  /** The command, or the title of the call. */
  readonly what: string;
  readonly verdict: Verdict;
  readonly because: string;
  readonly inSandbox?: true;
};

export type PermissionQuestion = {
  /** The call that waits for the answer. */
  readonly callId: string;
  readonly request: PermissionRequest;
  readonly because: string;
  /** What "always" and "session" would add; without it there is only once. */
  readonly rule: string | undefined;
  /** Of a command: its parts with a verdict each, in order; so that the risky one can be marked and what is allowed already be shown. */
  readonly segments?: readonly CommandPart[];
  /** What it would do to a file, as a unified diff. */
  readonly change?: string;
  /** The sub-agent that wants it; left out, it is the agent the person talks to. */
  readonly agent?: string;
};

/** `word`: what a person who says no wants the model to know. */
export type PermissionAnswer =
  | { readonly type: "once" }
  | { readonly type: "session" }
  | { readonly type: "always" }
  | { readonly type: "no"; readonly word?: string };

/** Without a person to ask there is no asker, and an ask is a denial. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

/** A rule as settings files hold it. The examples are calls that it must cover, or must not; they are checked when settings are loaded. */
export type SettingsRule = {
  readonly rule: string;
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
  /** Where it stands. */
  readonly file: string;
};

/** Refusing beats asking beats allowing. */
export const ruleLists = ["allow", "ask", "deny"] as const;

export type RuleLists = Readonly<Record<(typeof ruleLists)[number], readonly SettingsRule[]>>;
