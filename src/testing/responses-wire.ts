import type { ScriptedAnswer } from "./reply.ts";
import {
  inOrder,
  plainText,
  replayToken,
  usageOf,
  type Wire,
  type WireContext,
  type WireMessage,
  withIds,
} from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;
type Emit = (type: string, fields: Fields) => string;

function usageBody(answer: ScriptedAnswer, context: WireContext) {
  const usage = usageOf(answer, context);
  if (usage === undefined) return null;
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0, cache_write_tokens: usage.cacheWriteTokens ?? 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function envelope({ body, index }: WireContext) {
  return {
    id: `resp_scripted_${index + 1}`,
    object: "response",
    created_at: 1_700_000_000,
    model: body.model,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    metadata: {},
    temperature: 1,
    top_p: 1,
    instructions: null,
  };
}

type Item = { readonly fields: Fields; readonly fragments: readonly string[] };

/** The items of an answer as they are in the end. */
function itemsOf(answer: ScriptedAnswer, context: WireContext): Item[] {
  const number = context.index + 1;
  const isSealed = (context.body.include as readonly string[] | undefined)?.includes("reasoning.encrypted_content");
  const said = answer.deltas.join("");
  const isCut = answer.finishReason === "length" || answer.finishReason === "content_filter";
  const status = isCut ? "incomplete" : "completed";
  const items: Item[] = [];
  if (answer.reasoning.length > 0)
    items.push({
      fields: {
        type: "reasoning",
        id: `rs_scripted_${number}`,
        summary: [{ type: "summary_text", text: answer.reasoning.join("") }],
        ...(isSealed ? { encrypted_content: replayToken } : {}),
      },
      fragments: answer.reasoning,
    });
  if (said !== "") {
    const content =
      answer.finishReason === "refusal"
        ? { type: "refusal", refusal: said }
        : { type: "output_text", text: said, annotations: [], logprobs: [] };
    const id = `msg_scripted_${number}`;
    items.push({
      fields: { type: "message", id, role: "assistant", status, content: [content] },
      fragments: answer.deltas,
    });
  }
  for (const call of withIds(answer, context)) {
    const id = `fc_scripted_${number}_${call.position + 1}`;
    items.push({
      fields: { type: "function_call", id, call_id: call.id, name: call.name, arguments: call.arguments, status },
      fragments: call.fragments,
    });
  }
  return items;
}

/** An item before anything of it has come. */
function begun({ fields }: Item): Fields {
  const empty =
    fields.type === "reasoning" ? { summary: [] } : fields.type === "message" ? { content: [] } : { arguments: "" };
  return { ...fields, ...empty, ...(fields.type === "reasoning" ? {} : { status: "in_progress" }) };
}

function contentOf({ fields }: Item): Fields {
  return (fields.content as readonly Fields[])[0] ?? {};
}

/** What happens before, with, and after the pieces of one item. */
function eventsAround(item: Item, place: Fields, emit: Emit) {
  const text = item.fragments.join("");
  switch (item.fields.type) {
    case "reasoning": {
      const at = { ...place, summary_index: 0 };
      return {
        before: [emit("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } })],
        piece: (delta: string) => emit("response.reasoning_summary_text.delta", { ...at, delta }),
        after: () => [
          emit("response.reasoning_summary_text.done", { ...at, text }),
          emit("response.reasoning_summary_part.done", { ...at, part: { type: "summary_text", text } }),
        ],
      };
    }
    case "message": {
      const at = { ...place, content_index: 0 };
      const part = contentOf(item);
      const isRefusal = part.type === "refusal";
      const kind = isRefusal ? "refusal" : "output_text";
      const empty = isRefusal ? { ...part, refusal: "" } : { ...part, text: "" };
      const extra = isRefusal ? {} : { logprobs: [] };
      return {
        before: [emit("response.content_part.added", { ...at, part: empty })],
        piece: (delta: string) => emit(`response.${kind}.delta`, { ...at, delta, ...extra }),
        after: () => [
          emit(`response.${kind}.done`, { ...at, [isRefusal ? "refusal" : "text"]: text, ...extra }),
          emit("response.content_part.done", { ...at, part }),
        ],
      };
    }
    default:
      return {
        before: [],
        piece: (delta: string) => emit("response.function_call_arguments.delta", { ...place, delta }),
        after: () => [
          emit("response.function_call_arguments.done", { ...place, name: item.fields.name, arguments: text }),
        ],
      };
  }
}

/** Calls may take turns; everything else comes one after the other. */
function* itemEvents(items: readonly Item[], order: ScriptedAnswer["order"], emit: Emit): Iterable<string> {
  const placed = items.map((item, output_index) => {
    const place = { item_id: item.fields.id, output_index };
    return { ...item, place, around: eventsAround(item, place, emit) };
  });
  const groups =
    order === "interleaved"
      ? [...placed.filter(({ fields }) => fields.type !== "function_call").map((item) => [item])].concat([
          placed.filter(({ fields }) => fields.type === "function_call"),
        ])
      : placed.map((item) => [item]);
  for (const group of groups) {
    for (const item of group) {
      yield emit("response.output_item.added", { output_index: item.place.output_index, item: begun(item) });
      yield* item.around.before;
    }
    for (const [item, fragment] of inOrder(group, order)) yield item.around.piece(fragment);
    for (const item of group) {
      yield* item.around.after();
      yield emit("response.output_item.done", { output_index: item.place.output_index, item: item.fields });
    }
  }
}

/** How the whole response ends. */
function ending(answer: ScriptedAnswer, context: WireContext): Fields {
  const reason =
    answer.finishReason === "length"
      ? "max_output_tokens"
      : answer.finishReason === "content_filter"
        ? "content_filter"
        : undefined;
  return {
    ...envelope(context),
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    error: null,
    output: itemsOf(answer, context).map(({ fields }) => fields),
    usage: usageBody(answer, context),
  };
}

type Given = Fields & { readonly type?: string; readonly role?: string };

/** Reasoning, text and calls that follow each other are one message of the assistant. */
function messagesOf(input: readonly Given[]): WireMessage[] {
  const messages: WireMessage[] = [];
  const assistant = (more: Fields) => {
    const last = messages.at(-1);
    const before = last?.role === "assistant" ? messages.pop() : undefined;
    const calls = [...(before?.tool_calls ?? []), ...((more.tool_calls as WireMessage["tool_calls"]) ?? [])];
    messages.push({
      role: "assistant",
      content: "",
      ...before,
      ...more,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    });
  };
  for (const item of input) {
    if (item.type === "reasoning")
      assistant({ reasoning_content: plainText(item.summary), replayToken: item.encrypted_content });
    else if (item.type === "function_call") {
      const made = { name: String(item.name), arguments: String(item.arguments) };
      assistant({ tool_calls: [{ id: String(item.call_id), type: "function", function: made }] });
    } else if (item.type === "function_call_output")
      messages.push({
        role: "tool",
        tool_call_id: String(item.call_id),
        content: plainText(item.output),
        images: imagesIn(item.output),
      });
    else if (item.role === "assistant") assistant({ content: plainText(item.content) });
    else messages.push({ role: String(item.role), content: plainText(item.content), images: imagesIn(item.content) });
  }
  return messages;
}

function imagesIn(content: unknown): number {
  return Array.isArray(content) ? content.filter((part: Given) => part.type === "input_image").length : 0;
}

/** OpenAI Responses. */
export const responsesWire: Wire = {
  name: "openai-responses",
  serves: (pathname) => pathname.endsWith("/responses"),
  conversationField: "input",
  wantsStream: ({ body }) => body.stream === true,

  *stream(answer, context) {
    let sequence = 0;
    const emit: Emit = (type, fields) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
    const open = { ...envelope(context), status: "in_progress", output: [], usage: null, error: null };
    yield emit("response.created", { response: { ...open, incomplete_details: null } });
    yield emit("response.in_progress", { response: { ...open, incomplete_details: null } });
    yield* itemEvents(itemsOf(answer, context), answer.order, emit);
    const response = ending(answer, context);
    yield emit(`response.${response.status as string}`, { response });
  },

  whole: (answer, context) => JSON.stringify(ending(answer, context)),

  error: ({ type, message }) =>
    `event: error\ndata: ${JSON.stringify({ type: "error", sequence_number: 0, code: type, message, param: null })}\n\n`,

  conversation: ({ instructions, input }) => [
    ...(instructions === undefined ? [] : [{ role: "system", content: String(instructions) }]),
    ...messagesOf(typeof input === "string" ? [{ role: "user", content: input }] : (input as readonly Given[])),
  ],
};
