import { foreignToolNames } from "../../contracts/foreign-tool-names.ts";
import { emptyUsage } from "../../contracts/message.ts";
import { createPartials } from "./claude-partials.ts";
import type { CreateDialect, Line, TurnResult } from "./dialect.ts";
import { createOwnDialect, usageFields } from "./own.ts";

/** Our own shape with what readers of Claude Code's stream look at besides: its names of tools, whole messages, an id on every line, sums by model. */
export const createClaudeDialect: CreateDialect = (options) => {
  // the pieces of an answer are told in its own way
  const own = createOwnDialect({ ...options, partial: false });
  const { session } = options;
  const partials = options.partial ? createPartials(session.model, theirName) : undefined;
  const addressed = (line: Line): Line => ({ ...line, uuid: crypto.randomUUID() });

  function withSums(line: Line, { totals }: TurnResult): Line {
    const usage = totals?.usage ?? emptyUsage;
    const sums = {
      inputTokens: usageFields(usage).input_tokens,
      outputTokens: usage.outputTokens,
      cacheReadInputTokens: usage.cacheReadTokens,
      cacheCreationInputTokens: usage.cacheWriteTokens,
      costUSD: totals?.costUsd ?? 0,
    };
    const denials = (line.permission_denials as readonly Line[]).map(renamed("tool_name"));
    return addressed({ ...line, permission_denials: denials, modelUsage: { [session.model]: sums } });
  }

  return {
    begin: () =>
      own.begin().map((line) =>
        addressed({
          ...line,
          tools: session.tools.map(theirName),
          permissionMode: session.permissionMode,
          mcp_servers: serversOf(session.tools),
          slash_commands: [],
          apiKeySource: "user",
          output_style: "default",
        }),
      ),
    prompt: own.prompt,
    event(event) {
      const place = { session_id: session.sessionId, parent_tool_use_id: event.parentCallId ?? null };
      const pieces = (partials?.(event) ?? []).map((piece) => ({ type: "stream_event", event: piece, ...place }));
      const model = (event.type === "message.added" && event.model) || session.model;
      return [...pieces, ...own.event(event).map((line) => withTheirWords(line, model))].map(addressed);
    },
    end: (result) => own.end(result).map((line) => withSums(line, result)),
    summary: (result) => withSums(own.summary(result), result),
  };
};

const theirName = (tool: string): string => foreignToolNames[tool] ?? tool;

const renamed =
  (field: string) =>
  (line: Line): Line => ({ ...line, [field]: theirName(String(line[field])) });

/** A message as the vendor's own interface has it; a reader that finds no model in it gives up. */
function withTheirWords(line: Line, model: string): Line {
  const message = line.message as { readonly role: string; readonly content: readonly Line[] } | undefined;
  if (message === undefined) return line;
  const content = message.content.map((block) => {
    if (block.type === "tool_use") return renamed("name")(block);
    return block.type === "thinking" ? { ...block, signature: "" } : block;
  });
  if (message.role !== "assistant") return { ...line, message: { ...message, content } };
  const whole = { id: `msg_${crypto.randomUUID()}`, type: "message", ...message, content, model };
  return { ...line, message: { ...whole, stop_reason: null, stop_sequence: null } };
}

function serversOf(tools: readonly string[]): readonly Line[] {
  const names = tools.flatMap((tool) => /^mcp__(.+?)__/.exec(tool)?.[1] ?? []);
  return [...new Set(names)].map((name) => ({ name, status: "connected" }));
}
