import type { AgentEvent } from "../../contracts/event.ts";
import type { Usage } from "../../contracts/message.ts";
import type { Todo, ToolView } from "../../contracts/tool-view.ts";
import { stripControl } from "../../platform/terminal-text.ts";
import { receiptLine } from "../receipt-line.ts";
import type { Block } from "./blocks.ts";
import { type EndedCall, type InnerCalls, noCalls, type ToolBlock, withCall } from "./tool-lines.ts";

export type RunningTool = {
  readonly callId: string;
  readonly parentCallId: string | undefined;
  readonly view: ToolView;
  readonly startedAt: number;
  /** The last line it printed. */
  readonly lastLine: string;
  /** What a sub-agent has done so far. */
  readonly inside: InnerCalls;
};

export type FoldedText = { readonly title: string; readonly text: string };

/** What the agent is doing, as far as a person wants to see it. */
export type Activity = {
  readonly turn: { readonly startedAt: number; readonly calls: number } | undefined;
  /** Text of the answer is arriving. */
  readonly isAnswering: boolean;
  readonly thinking: { readonly startedAt: number; readonly text: string } | undefined;
  readonly tools: readonly RunningTool[];
  /** When the model is asked again. */
  readonly retry: { readonly until: number } | undefined;
  readonly todos: readonly Todo[];
  /** Tokens of the last call to the model. */
  readonly lastUsage: Usage | undefined;
  /** Finished while the answer was arriving: shown below it. */
  readonly held: readonly Block[];
  /** What Ctrl+O shows whole, newest first. */
  readonly folded: readonly FoldedText[];
};

export const quiet: Activity = {
  turn: undefined,
  isAnswering: false,
  thinking: undefined,
  tools: [],
  retry: undefined,
  todos: [],
  lastUsage: undefined,
  held: [],
  folded: [],
};

const keptFolded = 20;

function withFolded({ folded }: Activity, text: FoldedText): readonly FoldedText[] {
  return [text, ...folded].slice(0, keptFolded);
}

/** What the screen has to do besides showing the state: all of it only ever adds to what was printed. */
export type Step =
  | { readonly type: "text"; readonly text: string }
  /** The answer is whole, or broken off. */
  | { readonly type: "end-text" }
  /** What is still live of the answer is void. */
  | { readonly type: "drop-text" }
  | { readonly type: "print"; readonly block: Block };

export type Reduced = { readonly activity: Activity; readonly steps: readonly Step[] };

export function startTurn(activity: Activity, now: number): Activity {
  return { ...activity, turn: { startedAt: now, calls: 0 } };
}

/** The state after an event. Pure: the same events give the same screen. */
export function reduceEvent(activity: Activity, event: AgentEvent, now: number): Reduced {
  if (event.parentCallId !== undefined) return reduceInside(activity, event, event.parentCallId, now);
  switch (event.type) {
    case "text.delta": {
      const ended = endThinking(activity, now);
      const next = { ...ended.activity, isAnswering: true, retry: undefined };
      return { activity: next, steps: [...ended.steps, { type: "text", text: stripControl(event.text) }] };
    }
    case "thinking.delta": {
      const { startedAt, text } = activity.thinking ?? { startedAt: now, text: "" };
      const thinking = { startedAt, text: text + stripControl(event.text) };
      return { activity: { ...activity, thinking, retry: undefined }, steps: [] };
    }
    case "answer.restarted":
      return { activity: { ...activity, isAnswering: false, thinking: undefined }, steps: [{ type: "drop-text" }] };
    case "message.added":
      return event.message.role === "assistant"
        ? endAnswer(activity, event.message.usage, now)
        : { activity, steps: [] };
    case "tool.started":
      return {
        activity: { ...endThinking(activity, now).activity, tools: [...activity.tools, started(event, now)] },
        steps: endThinking(activity, now).steps,
      };
    case "tool.progress":
      return { activity: { ...activity, tools: withProgress(activity.tools, event) }, steps: [] };
    case "tool.finished":
      return finishTool(activity, event);
    case "retrying": {
      const retry = { until: now + event.delayMs };
      const text = `${stripControl(event.reason)}; trying again`;
      return print({ ...activity, retry }, { type: "note", tone: "dim", text });
    }
    case "context.edited":
      return event.receipt
        ? print(activity, { type: "note", tone: "dim", text: receiptLine(event.receipt) })
        : { activity, steps: [] };
    case "cache.missed": {
      const { readTokens, expectedTokens, cause } = event;
      const text = `cache miss: ${readTokens} of about ${expectedTokens} tokens were read from the cache; ${cause}`;
      return print(activity, { type: "note", tone: "dim", text });
    }
    case "notice":
      return print(activity, { type: "note", tone: "dim", text: stripControl(event.text) });
    case "turn.finished":
      return endTurn(activity, event, now);
    case "model.used":
    case "files.changed":
      return { activity, steps: [] };
  }
}

type Started = Extract<AgentEvent, { type: "tool.started" }>;
type Progress = Extract<AgentEvent, { type: "tool.progress" }>;
type Finished = Extract<AgentEvent, { type: "tool.finished" }>;

function started({ callId, parentCallId, view }: Started, now: number): RunningTool {
  return { callId, parentCallId, view, startedAt: now, lastLine: "", inside: noCalls };
}

function withProgress(tools: readonly RunningTool[], { callId, text }: Progress): readonly RunningTool[] {
  const line = stripControl(text)
    .trimEnd()
    .split("\n")
    .findLast((each) => each.trim() !== "");
  if (line === undefined) return tools;
  return tools.map((tool) => (tool.callId === callId ? { ...tool, lastLine: line } : tool));
}

/** Work of a sub-agent: a tree below its call while it runs, one line when it is done. */
function reduceInside(activity: Activity, event: AgentEvent, parent: string, now: number): Reduced {
  switch (event.type) {
    case "tool.started":
      return { activity: { ...activity, tools: [...activity.tools, started(event, now)] }, steps: [] };
    case "tool.progress":
      return { activity: { ...activity, tools: withProgress(activity.tools, event) }, steps: [] };
    case "tool.finished": {
      const call = endedCall(event, activity.tools);
      const tools = activity.tools
        .filter(({ callId }) => callId !== event.callId)
        .map((tool) => (tool.callId === parent ? { ...tool, inside: withCall(tool.inside, call) } : tool));
      const next = { ...activity, tools };
      const isChange = event.display?.type === "diff";
      return isChange ? print(next, blockOf(event, call)) : { activity: next, steps: [] };
    }
    case "text.delta":
      return {
        activity: {
          ...activity,
          tools: withProgress(activity.tools, { type: "tool.progress", callId: parent, text: event.text }),
        },
        steps: [],
      };
    case "notice":
      return print(activity, { type: "note", tone: "dim", text: stripControl(event.text) });
    default:
      return { activity, steps: [] };
  }
}

function endedCall({ callId, view, isError, durationMs, display }: Finished, tools: readonly RunningTool[]): EndedCall {
  const inside = tools.find((tool) => tool.callId === callId)?.inside ?? noCalls;
  return { view, isError, durationMs, inside, ...(display ? { display } : {}) };
}

function blockOf({ text, parentCallId }: Finished, call: EndedCall): ToolBlock {
  return { type: "tool", ...call, text, depth: parentCallId === undefined ? 0 : 1 };
}

function finishTool(activity: Activity, event: Finished): Reduced {
  const next: Activity = {
    ...activity,
    tools: activity.tools.filter(
      ({ callId, parentCallId }) => callId !== event.callId && parentCallId !== event.callId,
    ),
    ...(event.display?.type === "todos" ? { todos: event.display.todos } : {}),
    folded: withFolded(activity, { title: `${event.view.label} ${event.view.title}`, text: event.text }),
  };
  return print(next, blockOf(event, endedCall(event, activity.tools)));
}

/** While text of the answer is arriving nothing may come between its lines. */
function print(activity: Activity, ...blocks: readonly Block[]): Reduced {
  if (activity.isAnswering) return { activity: { ...activity, held: [...activity.held, ...blocks] }, steps: [] };
  return { activity, steps: blocks.map((block) => ({ type: "print", block })) };
}

function endThinking(activity: Activity, now: number): Reduced {
  if (activity.thinking === undefined) return { activity, steps: [] };
  const { text, startedAt } = activity.thinking;
  const next: Activity = { ...activity, thinking: undefined };
  if (text.trim() === "") return { activity: next, steps: [] };
  const folded = withFolded(activity, { title: "thinking", text });
  return print({ ...next, folded }, { type: "thinking", text, durationMs: now - startedAt });
}

function endAnswer(activity: Activity, usage: Usage | undefined, now: number): Reduced {
  const ended = endThinking(activity, now);
  const { held, isAnswering, turn } = ended.activity;
  const steps: Step[] = [
    ...ended.steps,
    ...(isAnswering ? [{ type: "end-text" } as const] : []),
    ...held.map((block) => ({ type: "print", block }) as const),
  ];
  const next: Activity = {
    ...ended.activity,
    isAnswering: false,
    held: [],
    retry: undefined,
    lastUsage: usage ?? activity.lastUsage,
    turn: turn && { ...turn, calls: turn.calls + 1 },
  };
  return { activity: next, steps };
}

const worthATotalMs = 10_000;

function endTurn(activity: Activity, event: Extract<AgentEvent, { type: "turn.finished" }>, now: number): Reduced {
  const ended = endAnswer(activity, undefined, now);
  const { durationMs, rounds, costUsd } = event.totals;
  const isLong = durationMs >= worthATotalMs;
  const total: Step = { type: "print", block: { type: "total", durationMs, rounds, costUsd } };
  return {
    activity: { ...ended.activity, turn: undefined, tools: [], retry: undefined, lastUsage: activity.lastUsage },
    steps: [...ended.steps, ...(isLong ? [total] : [])],
  };
}
