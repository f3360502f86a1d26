import { foreignToolNames } from "../../contracts/foreign-tool-names.ts";
import { emptyUsage } from "../../contracts/message.ts";
import type { CreateDialect, Line, TurnResult } from "./dialect.ts";
import { createOwnDialect, usageFields } from "./own.ts";

/** Our own shape with what readers of Claude Code's stream look at besides: its names of tools, an id on every line, sums by model. */
export const createClaudeDialect: CreateDialect = (options) => {
  const own = createOwnDialect(options);
  const { session } = options;
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
    event: (event) => own.event(event).map((line) => addressed(withTheirNames(line))),
    end: (result) => own.end(result).map((line) => withSums(line, result)),
    summary: (result) => withSums(own.summary(result), result),
  };
};

const theirName = (tool: string): string => foreignToolNames[tool] ?? tool;

const renamed =
  (field: string) =>
  (line: Line): Line => ({ ...line, [field]: theirName(String(line[field])) });

function withTheirNames(line: Line): Line {
  const message = line.message as { readonly content: readonly Line[] } | undefined;
  if (message === undefined) return line;
  const content = message.content.map((block) => (block.type === "tool_use" ? renamed("name")(block) : block));
  return { ...line, message: { ...message, content } };
}

function serversOf(tools: readonly string[]): readonly Line[] {
  const names = tools.flatMap((tool) => /^mcp__(.+?)__/.exec(tool)?.[1] ?? []);
  return [...new Set(names)].map((name) => ({ name, status: "connected" }));
}
