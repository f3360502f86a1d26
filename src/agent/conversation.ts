import type {
  ContextEngine,
  FitOptions,
  Receipt,
  Summarise,
  SummaryRequest,
  WindowContents,
} from "../contracts/context.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { AgentEvent, PermissionDenial } from "../contracts/event.ts";
import type { Message, Usage } from "../contracts/message.ts";
import type { AskPermission, PermissionPolicy } from "../contracts/permission.ts";
import type { ModelRequest, PriceOf, Provider, ToolSchema } from "../contracts/provider.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { AnyTool } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { callModel } from "./model-call.ts";
import { createSpending, type Spending } from "./spending.ts";
import { createToolRound, type ToolRound } from "./tool-runner.ts";

/** Everything an agent is made of. Model and provider are functions because a person may switch them between prompts. */
export type AgentOptions = {
  readonly provider: () => Provider;
  readonly model: () => string;
  readonly system: string;
  readonly tools: readonly AnyTool[];
  readonly workspace: Workspace;
  readonly permissions: PermissionPolicy;
  readonly ask?: AskPermission;
  /** Must return when the entry is with the operating system. */
  readonly log?: (entry: SessionEntry) => void;
  readonly maxRounds: number;
  readonly maxBudgetUsd?: number;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly retryBaseMs: number;
  readonly priceOf?: PriceOf;
  readonly keep?: (handle: string, text: string) => string | undefined;
  readonly outputFolder?: () => string | undefined;
  /** Keeps the view inside the window; left out, the model is sent the whole history. */
  readonly createContext?: (summarise: Summarise, workspace: Workspace) => ContextEngine;
  /** The vendor named its limit when it refused a request that was longer. */
  readonly onWindowLearned?: (tokens: number) => void;
  /** Takes the key out of whatever a tool brings back. */
  readonly redact?: (text: string) => string;
  /** Shared with sub-agents, so that no two results of a session have the same name. */
  readonly handles: { next(): string };
};

export type TurnMeter = {
  rounds: number;
  apiMs: number;
  spent: Spending;
  /** Over all prompts, sub-agents included. */
  readonly session: Spending;
  denials: PermissionDenial[];
};

/** One conversation: the history, and the only ways to add to it. */
export type Conversation = {
  readonly options: AgentOptions;
  readonly history: readonly Message[];
  readonly meter: TurnMeter;
  readonly lastUsage: Usage | undefined;
  /** Adds a message: log first, then memory, then the event. */
  add(message: Omit<Message, "id">): Message;
  emit(event: AgentEvent): void;
  /** Makes the next view; its edits are on disk when this returns. */
  fit(options: FitOptions): Promise<Receipt | undefined>;
  contents(): WindowContents | undefined;
  /** Tokens of the next request, as far as they can be told; undefined without a context engine. */
  readonly requestTokens: number | undefined;
  /** To be called between prompts, shortly before the vendor forgets the prefix. */
  prepareForIdle(signal: AbortSignal): Promise<void>;
  /** Set by the model's own wish to fold the conversation. */
  compactionWish: { readonly focus: string | undefined } | undefined;
  request(): ModelRequest;
  startRound(signal: AbortSignal): ToolRound;
  startTurn(): void;
  clear(): void;
};

function windowIsFull(floor: string): UserError {
  const advice =
    "Start anew with /reset, shorten the project instructions, or use a model with a larger window (--max-context).";
  return new UserError(exitCode.context, `The conversation cannot be made to fit the window: ${floor}.\n${advice}`);
}

/** Messages have entries of their own; deltas and progress are contained in what follows them. */
const loggedEvents: ReadonlySet<AgentEvent["type"]> = new Set(["tool.started", "notice", "retrying", "turn.finished"]);

export function createConversation(options: AgentOptions, deliver: (event: AgentEvent) => void): Conversation {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const schemas: readonly ToolSchema[] = options.tools.map(({ name, description, input }) => ({
    name,
    description,
    input: input.json,
  }));
  let history: Message[] = [];
  let context = options.createContext?.(summarise, options.workspace);
  let compactionWish: Conversation["compactionWish"];
  let lastUsage: Usage | undefined;
  let count = 0;
  const meter: TurnMeter = {
    rounds: 0,
    apiMs: 0,
    spent: createSpending(options.priceOf),
    session: createSpending(options.priceOf),
    denials: [],
  };

  function emit(event: AgentEvent): void {
    if (event.type === "message.added") {
      const { message, parentCallId } = { parentCallId: undefined, ...event };
      options.log?.({ type: "message", message, ...(parentCallId ? { parentCallId } : {}) });
      if (message.role === "assistant") {
        meter.spent.add(options.model(), message.usage);
        meter.session.add(options.model(), message.usage);
      }
    } else if (event.type === "context.edited") {
      const { edits, receipt, parentCallId } = { parentCallId: undefined, ...event };
      options.log?.({
        type: "edits",
        edits,
        ...(receipt ? { receipt } : {}),
        ...(parentCallId ? { parentCallId } : {}),
      });
    } else if (loggedEvents.has(event.type)) options.log?.({ type: "event", event });
    deliver(event);
  }

  function requestFor(messages: readonly Message[]): ModelRequest {
    const { temperature, maxTokens } = options;
    return {
      model: options.model(),
      system: options.system,
      tools: schemas,
      messages,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    };
  }

  /** Same system, same tools, same messages, one instruction more: everything before it is read from the vendor's cache. */
  async function summarise({
    view,
    instruction,
    signal,
  }: SummaryRequest): Promise<{ text: string; usage: Usage | undefined }> {
    const asked: Message = {
      id: `s${++count}`,
      role: "user",
      parts: [{ type: "text", text: instruction }],
      synthetic: true,
    };
    const answer = await callModel({
      provider: options.provider(),
      request: requestFor([...view, asked]),
      signal,
      budget: { used: 0 },
      retryBaseMs: options.retryBaseMs,
      emit: (event) => event.type === "retrying" && emit(event),
      onCall: () => {},
      onRestart: () => {},
    });
    meter.spent.add(options.model(), answer.usage);
    meter.session.add(options.model(), answer.usage);
    const text = answer.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (answer.parts.some((part) => part.type === "tool-call") && text.trim() === "")
      throw new Error("the model called a tool instead of summarising");
    return { text, usage: answer.usage };
  }

  return {
    options,
    meter,
    emit,
    get history() {
      return history;
    },
    get lastUsage() {
      return lastUsage;
    },
    add(body) {
      const message: Message = { id: `m${++count}`, ...body };
      if (message.usage) lastUsage = message.usage;
      history.push(message);
      emit({ type: "message.added", message });
      context?.add(message);
      if (message.usage && context) context.observe(message.usage);
      return message;
    },
    async fit(fit) {
      if (context === undefined) return undefined;
      const { edits, receipt, floor } = await context.fit(fit);
      if (edits.length > 0) emit({ type: "context.edited", edits, receipt });
      if (floor !== undefined) throw windowIsFull(floor);
      return receipt;
    },
    contents: () => context?.contents(),
    get requestTokens() {
      return context?.tokens;
    },
    prepareForIdle: async (signal) => context?.prepareForIdle(signal),
    get compactionWish() {
      return compactionWish;
    },
    set compactionWish(wish) {
      compactionWish = wish;
    },
    request: () => requestFor(context?.view ?? history),
    startRound(signal) {
      return createToolRound({
        tools,
        workspace: options.workspace,
        permissions: options.permissions,
        ask: options.ask,
        signal,
        emit,
        onDenial: (denial) => meter.denials.push(denial),
        nextHandle: options.handles.next,
        keep: options.keep ?? (() => undefined),
        outputFolder: options.outputFolder ?? (() => undefined),
        redact: options.redact ?? ((text) => text),
        recall: (request) =>
          context?.recall(request) ?? { isFound: false, text: "Nothing has left this conversation." },
        requestCompaction: (focus) => void (compactionWish = { focus }),
      });
    },
    startTurn() {
      meter.rounds = 0;
      meter.apiMs = 0;
      meter.denials = [];
      meter.spent = createSpending(options.priceOf);
    },
    clear() {
      options.log?.({ type: "reset" });
      history = [];
      context = options.createContext?.(summarise, options.workspace);
      lastUsage = undefined;
    },
  };
}
