/** Programs of the person's that are run when something happens, in the format that users of Claude Code already have. */

export const hookEventNames = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "Stop",
  "SubagentStop",
  "Notification",
  "SessionEnd",
] as const;

export type HookEventName = (typeof hookEventNames)[number];

/** One command of the settings. */
export type HookDefinition = {
  readonly event: HookEventName;
  /** A regular expression for the whole name of a tool, or of what an event is about; undefined for every one. */
  readonly matcher: string | undefined;
  readonly command: string;
  readonly timeoutMs: number;
  /** The settings file it stands in. */
  readonly file: string;
};

type ToolInput = Readonly<Record<string, unknown>>;

export type HookEvent =
  | { readonly type: "SessionStart"; readonly source: "startup" | "resume" | "clear" | "compact" }
  | { readonly type: "UserPromptSubmit"; readonly prompt: string }
  | { readonly type: "PreToolUse"; readonly tool: string; readonly callId: string; readonly input: ToolInput }
  | {
      readonly type: "PostToolUse";
      readonly tool: string;
      readonly callId: string;
      readonly input: ToolInput;
      readonly text: string;
      readonly isError: boolean;
    }
  | { readonly type: "PreCompact"; readonly trigger: "manual" | "auto"; readonly focus?: string }
  | {
      readonly type: "PostCompact";
      readonly trigger: "manual" | "auto";
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** `isActive`: the agent goes on already because such a hook asked for it. */
  | { readonly type: "Stop" | "SubagentStop"; readonly isActive: boolean }
  | { readonly type: "Notification"; readonly about: "permission_prompt"; readonly message: string }
  | { readonly type: "SessionEnd"; readonly reason: "clear" | "prompt_input_exit" | "other" };

/** What all hooks of one event together want. */
export type HookOutcome = {
  /** Why what was about to happen must not; of a Stop hook, why the agent must go on. */
  readonly block?: string;
  /** For PreToolUse. It never lifts a refusal of the policy. */
  readonly permission?: { readonly verdict: "allow" | "ask"; readonly because: string };
  /** For PreToolUse: arguments to use instead, to be checked and judged like the model's. */
  readonly input?: ToolInput;
  /** For the model. */
  readonly context?: string;
  /** The agent must stop altogether, and why. */
  readonly stop?: string;
  /** Lines for the person. */
  readonly notices: readonly string[];
};

/** Never rejects: a hook that fails is a notice. */
export interface Hooks {
  /** Is there any hook for this event? Costs nothing. */
  wants(event: HookEventName): boolean;
  run(event: HookEvent, signal: AbortSignal): Promise<HookOutcome>;
}
