import type { RunSubagent, ToolContext, ToolOutput } from "../contracts/tool.ts";
import { createAgent } from "./agent.ts";
import type { AgentOptions } from "./conversation.ts";
import { hooksForSubagent } from "./hook-points.ts";

const maxRounds = 20;
/** Longest report that enters the parent's conversation; the whole is kept under its handle. */
const reportLimit = 5_000;

/** A fresh conversation with a folder of its own. Its events surface in the parent's stream, its tokens count there. */
export function createRunSubagent(parent: () => Omit<AgentOptions, "workspace" | "maxRounds">): RunSubagent {
  return async (task, context) => {
    // a job that ends is told where the person's conversation is
    const { restored: _restored, toolSchemas: _schemas, pendingNotices: _notices, spending, ...options } = parent();
    const agent = createAgent({
      ...options,
      tools: options.tools.filter((tool) => tool.name !== "agent"),
      workspace: {
        ...context.workspace,
        exported: new Map(context.workspace.exported),
        seen: new Map(),
        seenTexts: new Map(),
        todos: [],
      },
      maxRounds,
      ...(options.hooks ? { hooks: hooksForSubagent(options.hooks) } : {}),
      ...(spending ? { parentSpending: spending } : {}),
      // the parent's log receives the forwarded events
      log: () => {},
    });
    let output: ToolOutput = { text: "The sub-agent ended without an answer.", isError: true };
    for await (const event of agent.send(task, context.signal)) {
      if (event.type !== "turn.finished") {
        context.emit(event);
        continue;
      }
      const { outcome } = event;
      if (outcome.type === "failed") output = { text: `Sub-agent error: ${outcome.error.message}`, isError: true };
      else if (outcome.type === "interrupted") output = { text: "[interrupted]", isError: true };
      else if (outcome.type === "done") output = report(agent.lastText || "(no text)", context);
      else
        output = report(
          `The sub-agent was stopped before it was done (${outcome.type}). Its last words:\n${agent.lastText}`,
          context,
        );
    }
    return output;
  };
}

function report(text: string, context: ToolContext): ToolOutput {
  if (text.length <= reportLimit) return { text };
  const path = context.keep(text);
  const whole =
    path === undefined ? "the rest could not be kept" : `the whole report is ${context.handle}, read_file ${path}`;
  return { text: `${text.slice(0, reportLimit - 200)}\n[… ${text.length} characters in all; ${whole}]` };
}
