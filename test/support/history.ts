import type { Message, ToolCallPart, ToolResultPart, Usage } from "../../src/contracts/message.ts";

/** Messages for tests of the context engine, with ids and handles that count up. */
export type HistoryBuilder = {
  user(text: string): Message;
  say(text: string): Message;
  /** An assistant message with calls, and one tool message for each. */
  round(calls: readonly CallSpec[], text?: string): { asked: Message; answered: readonly Message[] };
  usage(message: Message, usage: Usage): Message;
};

export type CallSpec = {
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError?: boolean;
  readonly images?: number;
};

export function createHistory(): HistoryBuilder {
  let ids = 0;
  let calls = 0;
  const id = () => `m${++ids}`;
  return {
    user: (text) => ({ id: id(), role: "user", parts: [{ type: "text", text }] }),
    say: (text) => ({ id: id(), role: "assistant", parts: [{ type: "text", text }], stopReason: "end" }),
    round(specs, text) {
      const results: ToolResultPart[] = [];
      const asked = specs.map(({ tool = "bash", input = { command: "ls" }, ...spec }): ToolCallPart => {
        const callId = `call-${++calls}`;
        const images = Array.from({ length: spec.images ?? 0 }, () => ({
          type: "image" as const,
          mediaType: "image/png",
          base64: "iVBORw0KGgo=",
        }));
        results.push({
          type: "tool-result",
          callId,
          tool,
          text: spec.text,
          isError: spec.isError ?? false,
          handle: `#${calls}`,
          ...(images.length > 0 ? { images } : {}),
        });
        return { type: "tool-call", callId, tool, input, rawInput: JSON.stringify(input) };
      });
      const spoken = text === undefined ? [] : [{ type: "text" as const, text }];
      return {
        asked: { id: id(), role: "assistant", parts: [...spoken, ...asked], stopReason: "tool-calls" },
        answered: results.map((part): Message => ({ id: id(), role: "tool", parts: [part] })),
      };
    },
    usage: (message, usage) => ({ ...message, usage }),
  };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** Throws unless each call in the view has exactly one result directly after it, in order, and no result lacks its call. */
export function checkPairing(view: readonly Message[]): void {
  let open: string[] = [];
  for (const [at, message] of view.entries()) {
    if (message.role !== "tool") {
      if (open.length > 0)
        throw new Error(`message ${at} (${message.id}) comes before the results of ${open.join(", ")}`);
      open = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
      continue;
    }
    for (const part of message.parts) {
      if (part.type !== "tool-result") continue;
      if (open[0] !== part.callId)
        throw new Error(`message ${at} (${message.id}) answers ${part.callId}, but ${open[0] ?? "no call"} is open`);
      open.shift();
    }
  }
  if (open.length > 0) throw new Error(`the view ends before the results of ${open.join(", ")}`);
}

/** Text of about this many characters, in lines like a program's; the same for the same seed. */
export function programText(characters: number, seed: number): string {
  const lines: string[] = [];
  let length = 0;
  for (let n = 1; length < characters; n++) {
    const value = (seed * 7919 + n * 104_729) % 1_000_003;
    const line =
      value % 41 === 0
        ? `error: cannot find name value_${value} in src/part-${value % 13}.ts`
        : `  const value_${value} = compute("item-${n}", ${value % 977}); // step ${n}`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n").slice(0, characters);
}
