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

export type PermissionDecision = {
  readonly verdict: Verdict;
  readonly because: string;
  /** For "ask": the rule that "always" would add, such as `bash(npm test)`. */
  readonly rule?: string;
  /** For "ask": a rule of the person's wants the question, so that nothing else may answer it. */
  readonly isWished?: true;
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

export type PermissionQuestion = {
  readonly request: PermissionRequest;
  readonly because: string;
  readonly rule: string | undefined;
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
