/** The machine output, as the tests look at it. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking?: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content: unknown;
      readonly is_error?: boolean;
    };

export type MachineUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
};

export type ResultEvent = {
  readonly type: "result";
  readonly subtype: string;
  readonly is_error: boolean;
  readonly result: string;
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly total_cost_usd: number | null;
  readonly usage: MachineUsage;
  readonly session_id: string;
  readonly permission_denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: unknown;
  }[];
  readonly errors: readonly unknown[];
};

export type MessageEvent = {
  readonly type: "assistant" | "user";
  readonly message: { readonly role: string; readonly content: readonly ContentBlock[]; readonly usage?: MachineUsage };
  readonly session_id: string;
  readonly parent_tool_use_id: string | null;
};

export type SystemEvent = { readonly type: "system"; readonly subtype: string; readonly [key: string]: unknown };

export type StreamEvent =
  | SystemEvent
  | MessageEvent
  | ResultEvent
  | { readonly type: "stream_event"; readonly [key: string]: unknown };

export function parseEvents(stdout: string): StreamEvent[] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line, at) => {
    try {
      return JSON.parse(line) as StreamEvent;
    } catch {
      throw new Error(`line ${at + 1} of stdout is no JSON: ${line.slice(0, 300)}`);
    }
  });
}

/** The `result` event; throws when it is not the last one. */
export function resultOf(events: readonly StreamEvent[]): ResultEvent {
  const last = events.at(-1);
  if (last?.type !== "result")
    throw new Error(`the last event is ${JSON.stringify(last)?.slice(0, 300)}, not a result`);
  return last;
}

export function messagesOf(events: readonly StreamEvent[], role: "assistant" | "user"): MessageEvent[] {
  return events.filter((event): event is MessageEvent => event.type === role);
}

export function blocksOf<T extends ContentBlock["type"]>(
  events: readonly StreamEvent[],
  type: T,
): Extract<ContentBlock, { readonly type: T }>[] {
  const messages = events.filter((event): event is MessageEvent => event.type === "assistant" || event.type === "user");
  const blocks = messages.flatMap((event) => event.message.content);
  return blocks.filter((block): block is Extract<ContentBlock, { readonly type: T }> => block.type === type);
}

/** What the assistant said, over all its messages. */
export function spokenText(events: readonly StreamEvent[]): string {
  return blocksOf(events, "text")
    .map((block) => block.text)
    .join("");
}

export function systemEvents(events: readonly StreamEvent[], subtype: string): SystemEvent[] {
  return events.filter((event): event is SystemEvent => event.type === "system" && event.subtype === subtype);
}

/** The text of a tool result, whether it is given as a string or as blocks. */
export function resultText(block: { readonly content: unknown }): string {
  if (typeof block.content === "string") return block.content;
  const parts = Array.isArray(block.content) ? (block.content as { readonly text?: string }[]) : [];
  return parts.map((part) => part.text ?? "").join("");
}
