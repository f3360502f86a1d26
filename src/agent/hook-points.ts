import type { AgentEvent } from "../contracts/event.ts";
import type { HookEvent, HookOutcome, Hooks } from "../contracts/hook.ts";
import type { Tool, ToolOutput } from "../contracts/tool.ts";
import { describeShape } from "./describe-shape.ts";

/** Where hooks meet the conversation. Without hooks for an event nothing happens. */

/** How often Stop hooks may send the agent on for one prompt. */
export const stopLimit = 5;

export type HookCaller = {
  readonly hooks: Hooks | undefined;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
};

const nothing: HookOutcome = { notices: [] };

/** Runs the hooks of an event and tells the person what they have to say. */
export async function callHooks({ hooks, signal, emit }: HookCaller, event: HookEvent): Promise<HookOutcome> {
  if (!hooks?.wants(event.type)) return nothing;
  const outcome = await hooks.run(event, signal);
  for (const text of outcome.notices) emit({ type: "notice", text });
  return outcome;
}

/** A text of hooks for the model, so that it cannot be taken for the person's word. */
export function hookMessage(event: HookEvent["type"], text: string) {
  return {
    role: "user",
    synthetic: true,
    parts: [{ type: "text", text: `[notice: a ${event} hook of the user's says:]\n${text}` }],
  } as const;
}

type Call = { readonly callId: string; readonly tool: Tool<unknown>; readonly input: unknown };

export type HookedCall =
  | { readonly refusal: string }
  | {
      readonly refusal?: undefined;
      readonly input: unknown;
      readonly isChanged: boolean;
      readonly permission: HookOutcome["permission"];
      /** For the model, with the result. */
      readonly context: string | undefined;
    };

/** What hooks make of a call before it is judged. */
export async function beforeCall(
  { callId, tool, input }: Call,
  caller: HookCaller & { readonly onStop: (reason: string) => void },
): Promise<HookedCall> {
  const given = input as Readonly<Record<string, unknown>>;
  const outcome = await callHooks(caller, { type: "PreToolUse", tool: tool.name, callId, input: given });
  if (outcome.stop !== undefined) caller.onStop(outcome.stop);
  const refusal = outcome.block ?? outcome.stop;
  if (refusal !== undefined) return { refusal: `A PreToolUse hook refused it: ${refusal}` };
  const { permission, context } = outcome;
  if (outcome.input === undefined) return { input, isChanged: false, permission, context };
  const problems = tool.input.problems(outcome.input);
  if (problems.length > 0) {
    const expected = describeShape(tool.input.json);
    return {
      refusal: `A PreToolUse hook changed the arguments of ${tool.name} to ones that do not fit: ${problems.join("; ")}. Expected: ${expected}`,
    };
  }
  return { input: outcome.input, isChanged: true, permission, context };
}

/** The result with what hooks have to say to it. */
export async function afterCall(
  { callId, tool, input, output }: Call & { readonly output: ToolOutput },
  caller: HookCaller & { readonly onStop: (reason: string) => void },
): Promise<ToolOutput> {
  const { text, isError = false } = output;
  const given = input as Readonly<Record<string, unknown>>;
  const { block, context, stop } = await callHooks(caller, {
    type: "PostToolUse",
    tool: tool.name,
    callId,
    input: given,
    text,
    isError,
  });
  if (stop !== undefined) caller.onStop(stop);
  return withRemarks(output, [block, context]);
}

export function withRemarks(output: ToolOutput, remarks: readonly (string | undefined)[]): ToolOutput {
  const said = remarks.filter((remark) => remark !== undefined);
  if (said.length === 0) return output;
  return { ...output, text: `${output.text}\n\n[notice from a hook of the user's]\n${said.join("\n\n")}` };
}

/** A sub-agent has no session and no person of its own, and its end is another event. */
export function hooksForSubagent(hooks: Hooks): Hooks {
  const inner = new Set(["PreToolUse", "PostToolUse", "PreCompact", "PostCompact", "Notification"]);
  return {
    wants: (event) => (event === "Stop" ? hooks.wants("SubagentStop") : inner.has(event) && hooks.wants(event)),
    run: (event, signal) => hooks.run(event.type === "Stop" ? { ...event, type: "SubagentStop" } : event, signal),
  };
}
