import type { WireMessage } from "./wire.ts";

type Block = { readonly type?: unknown; readonly id?: unknown; readonly tool_use_id?: unknown };

function blocksOf(message: WireMessage): readonly Block[] {
  return Array.isArray(message.content) ? (message.content as Block[]) : [];
}

function callIdsOf(message: WireMessage): string[] {
  const blocks = blocksOf(message).filter((block) => block.type === "tool_use");
  return [...(message.tool_calls ?? []).map((call) => call.id), ...blocks.map((block) => String(block.id))];
}

function resultIdsOf(message: WireMessage): string[] {
  if (message.role === "tool") return [String(message.tool_call_id)];
  return blocksOf(message)
    .filter((block) => block.type === "tool_result")
    .map((block) => String(block.tool_use_id));
}

/** What is wrong with the tool calls and results of one conversation, or undefined. */
function pairingFault(messages: readonly WireMessage[]): string | undefined {
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    for (const id of resultIdsOf(message)) {
      if (!open.includes(id)) return `messages[${at}] (${message.role}) answers ${id}, which is no open call`;
      open = open.filter((other) => other !== id);
    }
    if (message.role === "tool") continue;
    if (open.length > 0) return `messages[${at}] (${message.role}) comes before the answer to ${open.join(", ")}`;
    const ids = callIdsOf(message);
    const twice = ids.find((id, position) => ids.indexOf(id) !== position);
    if (twice !== undefined) return `messages[${at}] (${message.role}) has two calls with the id ${twice}`;
    open = ids;
  }
  return open.length > 0 ? `the request ends before the answer to ${open.join(", ")}` : undefined;
}

/** One line a message, for the error text. */
function outline(messages: readonly WireMessage[]): string {
  return messages
    .map((message, at) => {
      const calls = callIdsOf(message).map((id) => ` calls ${id}`);
      const results = resultIdsOf(message).map((id) => ` answers ${id}`);
      return `  [${at}] ${message.role}${calls.join("")}${results.join("")}`;
    })
    .join("\n");
}

/**
 * Checks what every vendor demands of a conversation: each tool call is answered by exactly one tool message before any other role
 * speaks, and no tool message lacks its call. Takes recorded requests; throws with an outline of the first one that breaks the rule.
 */
export function assertPairing(
  requests: readonly { readonly body: { readonly messages: readonly WireMessage[] } }[],
): void {
  for (const [at, { body }] of requests.entries()) {
    const wrong = pairingFault(body.messages);
    if (wrong !== undefined) throw new Error(`Request ${at + 1}: ${wrong}.\n${outline(body.messages)}`);
  }
}
