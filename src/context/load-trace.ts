import { exitCode, UserError } from "../contracts/errors.ts";
import type { Message, Part, ToolCallPart } from "../contracts/message.ts";
import type { TimedMessage } from "./replay.ts";

/** Between messages whose time is not known. */
const stepMs = 8_000;

type Json = Readonly<Record<string, unknown>>;

/**
 * A recorded session of any agent in the form of OpenAI's chat messages (`{messages: […]}` or the list alone) as ours. Summaries that
 * the recorded agent wrote are left out: they were made by its policy. Throws UserError 42 that names the file.
 */
export function loadTrace(value: unknown, name: string): readonly TimedMessage[] {
  const list = Array.isArray(value) ? value : isJson(value) ? value.messages : undefined;
  if (!Array.isArray(list))
    throw refused(
      `${name} is no recorded session: it must hold {"messages": [...]} in the form of OpenAI's chat messages.`,
    );
  const kept = list.filter((item): item is Json => isJson(item) && item.meta !== "compact_summary");
  const timed = withTimes(kept);
  const seen: Seen = { toolOf: new Map(), results: 0 };
  const messages = timed.map(({ item, time }, index) => {
    const role = roleOf(item.role);
    if (role === undefined)
      throw refused(
        `${name}: message ${index + 1} has the role ${JSON.stringify(item.role)}; known are user, assistant, tool and system.`,
      );
    const message: Message = { id: `m${index + 1}`, role, parts: partsOf(item, role, seen) };
    return { message, time };
  });
  if (!messages.some(({ message }) => message.role === "assistant"))
    throw refused(`${name} holds no model call: there is nothing to compare. Give a session with answers of a model.`);
  return messages;
}

function isJson(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function roleOf(role: unknown): Message["role"] | undefined {
  if (role === "system" || role === "developer" || role === "user") return "user";
  return role === "assistant" || role === "tool" ? role : undefined;
}

/** Messages without a time follow the one before; those ahead of the first known time lead up to it. */
function withTimes(items: readonly Json[]): readonly { item: Json; time: number }[] {
  const known = items.map(timeOf);
  const first = known.findIndex((time) => time !== undefined);
  let time = first < 0 ? 0 : (known[first] as number) - (first + 1) * stepMs;
  return items.map((item, index) => ({ item, time: (time = known[index] ?? time + stepMs) }));
}

function timeOf({ ts }: Json): number | undefined {
  const time = typeof ts === "string" ? Date.parse(ts) : ts;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}

type Seen = { readonly toolOf: Map<string, string>; results: number };

function partsOf(item: Json, role: Message["role"], seen: Seen): readonly Part[] {
  const text = textOfContent(item.content);
  if (role === "tool") {
    const handle = `#${++seen.results}`;
    const callId = typeof item.tool_call_id === "string" ? item.tool_call_id : handle;
    const tool = typeof item.name === "string" ? item.name : (seen.toolOf.get(callId) ?? "tool");
    return [{ type: "tool-result", callId, tool, text, isError: item.is_error === true, handle }];
  }
  const calls = Array.isArray(item.tool_calls) ? item.tool_calls.filter(isJson).map(callOf) : [];
  for (const { callId, tool } of calls) seen.toolOf.set(callId, tool);
  return [...(text === "" ? [] : [{ type: "text", text } as const]), ...calls];
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part) => (isJson(part) && typeof part.text === "string" ? part.text : JSON.stringify(part)))
    .join("\n");
}

function callOf(call: Json, index: number): ToolCallPart {
  const { name, arguments: given } = isJson(call.function) ? call.function : {};
  const rawInput = typeof given === "string" ? given : JSON.stringify(given ?? {});
  return {
    type: "tool-call",
    callId: typeof call.id === "string" ? call.id : `c${index}`,
    tool: typeof name === "string" ? name : "tool",
    input: objectIn(rawInput),
    rawInput,
  };
}

function objectIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refused(message: string): UserError {
  return new UserError(exitCode.usage, message);
}
