import type { AgentEvent } from "../../contracts/event.ts";
import { emptyUsage, type Message, toolCallsOf } from "../../contracts/message.ts";
import type { Line } from "./dialect.ts";
import { usageFields } from "./own.ts";

type Block = "text" | "thinking";
/** An answer as it streams: how many blocks have begun, and which one is open. */
type Open = { blocks: number; current: Block | undefined };

const emptyBlocks = {
  text: { type: "text", text: "" },
  thinking: { type: "thinking", thinking: "", signature: "" },
} as const;

/** The raw events that `stream_event` lines carry: every answer from `message_start` to `message_stop`, every block with its own index. */
export function createPartials(model: string, nameOf: (tool: string) => string) {
  /** By the call of the sub-agent that is speaking. */
  const answers = new Map<string | undefined, Open>();

  function opened(speaker: string | undefined): { readonly answer: Open; readonly lines: Line[] } {
    const known = answers.get(speaker);
    if (known !== undefined) return { answer: known, lines: [] };
    const answer: Open = { blocks: 0, current: undefined };
    answers.set(speaker, answer);
    const message = { id: `msg_${crypto.randomUUID()}`, type: "message", role: "assistant", model, content: [] };
    const ends = { stop_reason: null, stop_sequence: null, usage: usageFields(emptyUsage) };
    return { answer, lines: [{ type: "message_start", message: { ...message, ...ends } }] };
  }

  const stopBlock = (answer: Open): Line[] => {
    if (answer.current === undefined) return [];
    answer.current = undefined;
    return [{ type: "content_block_stop", index: answer.blocks - 1 }];
  };

  function delta(speaker: string | undefined, kind: Block, text: string): Line[] {
    const { answer, lines } = opened(speaker);
    if (answer.current !== kind) {
      lines.push(...stopBlock(answer));
      lines.push({ type: "content_block_start", index: answer.blocks++, content_block: emptyBlocks[kind] });
      answer.current = kind;
    }
    const content = kind === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
    return [...lines, { type: "content_block_delta", index: answer.blocks - 1, delta: content }];
  }

  function whole(speaker: string | undefined, message: Message): Line[] {
    const { answer, lines } = opened(speaker);
    lines.push(...stopBlock(answer));
    const calls = toolCallsOf(message);
    for (const { callId, tool, rawInput } of calls) {
      const index = answer.blocks++;
      const block = { type: "tool_use", id: callId, name: nameOf(tool), input: {} };
      lines.push({ type: "content_block_start", index, content_block: block });
      lines.push({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: rawInput } });
      lines.push({ type: "content_block_stop", index });
    }
    answers.delete(speaker);
    const reason = calls.length > 0 ? "tool_use" : message.stopReason === "length" ? "max_tokens" : "end_turn";
    const usage = usageFields(message.usage ?? emptyUsage);
    return [
      ...lines,
      { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
  }

  return (event: AgentEvent): readonly Line[] => {
    if (event.type === "text.delta") return delta(event.parentCallId, "text", event.text);
    if (event.type === "thinking.delta") return delta(event.parentCallId, "thinking", event.text);
    if (event.type === "message.added" && event.message.role === "assistant")
      return whole(event.parentCallId, event.message);
    // what comes again begins with a message of its own
    if (event.type === "answer.restarted") answers.delete(event.parentCallId);
    return [];
  };
}
