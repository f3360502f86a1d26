import type { HookDefinition, HookOutcome } from "../contracts/hook.ts";
import type { PipedResult } from "../platform/piped-command.ts";
import { cleanProgramOutput, showControl } from "../platform/terminal-text.ts";

/** Longest text of one hook that enters the conversation. */
const contextLimit = 10_000;
const noticeLimit = 300;

const nothing: HookOutcome = { notices: [] };

/** Events of which plain output is for the model. */
const talkative: ReadonlySet<string> = new Set(["SessionStart", "UserPromptSubmit"]);
/** Events at which there is nothing left to stop: what a hook says against them is for the person. */
const past: ReadonlySet<string> = new Set(["SessionStart", "SessionEnd", "Notification", "PostCompact"]);

/** What one hook wants, from how it ended and what it wrote. */
export function hookAnswer(hook: HookDefinition, result: PipedResult): HookOutcome {
  const { code, ending, signal } = result;
  if (ending === "interrupted") return nothing;
  if (ending === "timed-out") return failure(hook, `was stopped after ${hook.timeoutMs / 1000} s`);
  const said = cleanProgramOutput(result.stderr).trim();
  if (code === 2) return refusal(hook, cut(said) || `the hook \`${nameOf(hook)}\` refused without a word`);
  if (code !== 0) {
    const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
    return failure(hook, said ? `${how}: ${oneLine(said)}` : how);
  }
  return answerIn(hook, result);
}

export function failure(hook: HookDefinition, what: string): HookOutcome {
  return { notices: [`The ${hook.event} hook \`${nameOf(hook)}\` ${what}. Nothing was blocked; see ${hook.file}.`] };
}

function refusal(hook: HookDefinition, reason: string): HookOutcome {
  if (past.has(hook.event)) return { notices: [`${hook.event} hook: ${oneLine(reason)}`] };
  return { block: reason, notices: [] };
}

function answerIn(hook: HookDefinition, { stdout, isCut }: PipedResult): HookOutcome {
  const text = stdout.trim();
  if (!text.startsWith("{")) return plain(hook, text);
  const answer = parse(text);
  if (answer !== undefined) return structured(hook, answer);
  if (isCut) return failure(hook, "wrote more than can be read as one answer");
  return talkative.has(hook.event) ? plain(hook, text) : failure(hook, "answered with JSON that cannot be read");
}

function plain(hook: HookDefinition, text: string): HookOutcome {
  const context = cut(cleanProgramOutput(text));
  return talkative.has(hook.event) && context !== "" ? { context, notices: [] } : nothing;
}

function structured(hook: HookDefinition, answer: Record<string, unknown>): HookOutcome {
  const own = recordOr(answer.hookSpecificOutput);
  const reason = textOr(own.permissionDecisionReason) ?? textOr(answer.reason);
  const because = cut(reason ?? `the hook \`${nameOf(hook)}\` gave no reason`);
  const decision = own.permissionDecision ?? answer.permissionDecision ?? answer.decision;
  const isRefused = decision === "deny" || decision === "block";
  const refused = isRefused ? refusal(hook, because) : nothing;
  const context = textOr(own.additionalContext) ?? textOr(answer.additionalContext);
  const said = textOr(answer.systemMessage);
  const input = hook.event === "PreToolUse" ? own.updatedInput : undefined;
  return {
    ...refused,
    ...(answer.continue === false ? { stop: cut(textOr(answer.stopReason) ?? because) } : {}),
    ...(hook.event === "PreToolUse" ? permissionOf(decision, because) : {}),
    ...(isRecord(input) ? { input } : {}),
    ...(context ? { context: cut(cleanProgramOutput(context)) } : {}),
    notices: [...refused.notices, ...(said ? [`${hook.event} hook: ${oneLine(said)}`] : [])],
  };
}

function permissionOf(decision: unknown, because: string): Pick<HookOutcome, "permission"> {
  if (decision === "allow" || decision === "approve") return { permission: { verdict: "allow", because } };
  return decision === "ask" ? { permission: { verdict: "ask", because } } : {};
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

const recordOr = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

function textOr(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function cut(text: string): string {
  return text.length <= contextLimit
    ? text
    : `${text.slice(0, contextLimit)}\n[… ${text.length - contextLimit} characters of the hook's output left out]`;
}

export function nameOf({ command }: HookDefinition): string {
  const visible = showControl(command);
  return visible.length <= 80 ? visible : `${visible.slice(0, 79)}…`;
}

function oneLine(text: string): string {
  const visible = showControl(text.replace(/\s*\n\s*/g, " / "));
  return visible.length <= noticeLimit ? visible : `${visible.slice(0, noticeLimit - 1)}…`;
}
