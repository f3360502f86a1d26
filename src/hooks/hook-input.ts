import type { HookDefinition, HookEvent } from "../contracts/hook.ts";
import { nameForMatcher } from "./tool-names.ts";

/** What every hook is told, whatever happened. */
export type HookSession = {
  readonly sessionId: string;
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly permissionMode: string;
};

/** What a hook reads on its standard input; undefined when it is not for this event. */
export function hookInput(
  { matcher, event: wanted }: HookDefinition,
  event: HookEvent,
  session: HookSession,
): string | undefined {
  if (wanted !== event.type) return undefined;
  const subject = subjectOf(event);
  const name = subject === undefined ? "" : nameForMatcher(matcher, subject);
  if (name === undefined) return undefined;
  return JSON.stringify({
    session_id: session.sessionId,
    transcript_path: session.transcriptPath,
    cwd: session.cwd,
    permission_mode: session.permissionMode,
    hook_event_name: event.type,
    ...fieldsOf(event, name),
  });
}

/** What a matcher is compared with; of other events every hook is run. */
function subjectOf(event: HookEvent): string | undefined {
  switch (event.type) {
    case "PreToolUse":
    case "PostToolUse":
      return event.tool;
    case "SessionStart":
      return event.source;
    case "PreCompact":
    case "PostCompact":
      return event.trigger;
    case "Notification":
      return event.about;
    case "SessionEnd":
      return event.reason;
    default:
      return undefined;
  }
}

function fieldsOf(event: HookEvent, name: string): Record<string, unknown> {
  switch (event.type) {
    case "SessionStart":
      return { source: event.source };
    case "UserPromptSubmit":
      return { prompt: event.prompt };
    case "PreToolUse":
      return { tool_name: name, tool_input: event.input, tool_use_id: event.callId };
    case "PostToolUse":
      return {
        tool_name: name,
        tool_input: event.input,
        tool_response: responseOf(event),
        tool_use_id: event.callId,
      };
    case "PreCompact":
      return { trigger: event.trigger, custom_instructions: event.focus ?? "" };
    case "PostCompact":
      return { trigger: event.trigger, pre_tokens: event.tokensBefore, post_tokens: event.tokensAfter };
    case "Stop":
    case "SubagentStop":
      return { stop_hook_active: event.isActive };
    case "Notification":
      return { message: event.message, notification_type: event.about };
    case "SessionEnd":
      return { reason: event.reason };
  }
}

/** One shape for all tools, with the fields that scripts for commands and for files look for. */
function responseOf({ input, text, isError }: Extract<HookEvent, { type: "PostToolUse" }>): Record<string, unknown> {
  return {
    content: text,
    is_error: isError,
    success: !isError,
    ...(typeof input.command === "string" ? { stdout: text, stderr: "" } : {}),
    ...(typeof input.file_path === "string" ? { filePath: input.file_path } : {}),
  };
}
