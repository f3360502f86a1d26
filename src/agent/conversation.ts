import type { ContextEngine, FitOptions, Receipt, SummaryRequest, WindowContents } from "../contracts/context.ts";
import { type ConversationRecord, createConversationRecord } from "../contracts/conversation-record.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { AgentEvent, PermissionDenial } from "../contracts/event.ts";
import { type Message, textOf, type Usage } from "../contracts/message.ts";
import type { ModelRequest, ToolSchema } from "../contracts/provider.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { AnyTool } from "../contracts/tool.ts";
import type { AgentOptions } from "./agent-options.ts";
import { type CacheWatch, createCacheWatch } from "./cache-watch.ts";
import { callHooks, hookMessage } from "./hook-points.ts";
import { callModel, partialTextOf } from "./model-call.ts";
import { fateOf, openCalls } from "./open-calls.ts";
import { createPurse, type Ticket } from "./purse.ts";
import { createSpending, type Spending } from "./spending.ts";
import { createToolRound, type ToolRound } from "./tool-runner.ts";
import { createWorkspaceDiary } from "./workspace-diary.ts";

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
  readonly record: ConversationRecord;
  readonly meter: TurnMeter;
  readonly cacheWatch: CacheWatch | undefined;
  /** Money for the next call; undefined where nobody counts it. */
  enterPurse(signal: AbortSignal): Promise<Ticket | undefined>;
  /** Adds a message: log first, then memory, then the event. */
  add(message: Omit<Message, "id">): Message;
  emit(event: AgentEvent): void;
  /** Makes the next view; its edits are on disk when this returns. */
  fit(options: FitOptions): Promise<Receipt | undefined>;
  /** To be asked before somebody's wish to fold is fulfilled: why a hook refuses it. */
  foldRefusal(focus: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  contents(): WindowContents | undefined;
  /** Tokens of the next request, as far as they can be told; undefined without a context engine. */
  readonly requestTokens: number | undefined;
  /** To be called between prompts, shortly before the vendor forgets the prefix. */
  prepareForIdle(signal: AbortSignal): Promise<void>;
  /** Set by the model's own wish to fold the conversation. */
  compactionWish: { readonly focus: string | undefined } | undefined;
  /** Set by a hook that wants the agent to stop. */
  stopWish: string | undefined;
  request(): ModelRequest;
  startRound(signal: AbortSignal): ToolRound;
  startTurn(): void;
  clear(): void;
  refit(): void;
  /** Every call gets a result, also one that a stopped program left open. */
  closeOpenCalls(): void;
  /** Takes back what came after a message, or the last undo; the view follows. */
  rewind(entry: Extract<SessionEntry, { type: "undo" | "redo" }>): void;
};

function windowIsFull(floor: string): UserError {
  const advice =
    "Start anew with /reset, shorten the project instructions, or use a model with a larger window (--max-context).";
  return new UserError(exitCode.context, `The conversation cannot be made to fit the window: ${floor}.\n${advice}`);
}

/** Tokens are estimated before a call; the vendor may count this many times as many. */
const estimateMargin = 1.3;

/** Messages have entries of their own; deltas and progress are contained in what follows them. */
const loggedEvents: ReadonlySet<AgentEvent["type"]> = new Set([
  "tool.started",
  "notice",
  "retrying",
  "cache.missed",
  "turn.finished",
]);

export function createConversation(options: AgentOptions, deliver: (event: AgentEvent) => void): Conversation {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const schemas: readonly ToolSchema[] =
    options.toolSchemas ??
    options.tools.map(({ name, description, input }) => ({ name, description, input: input.json }));
  const record = options.restored?.record ?? createConversationRecord();
  let context = createContext();
  let compactionWish: Conversation["compactionWish"];
  let stopWish: string | undefined;
  let count = options.restored?.lastMessage ?? 0;
  const warned = new Set<string>();
  const diary = createWorkspaceDiary(options.workspace);
  const meter: TurnMeter = {
    rounds: 0,
    apiMs: 0,
    spent: createSpending(options.priceOf),
    session: options.spending ?? createSpending(options.priceOf),
    denials: [],
  };

  const purse =
    options.purse ??
    (options.maxBudgetUsd === undefined
      ? undefined
      : createPurse({ limitUsd: options.maxBudgetUsd, priceOf: options.priceOf }));

  async function enterPurse(signal: AbortSignal): Promise<Ticket | undefined> {
    const model = options.model();
    const inputTokens = context && Math.ceil(context.tokens * estimateMargin) + 500;
    return purse?.enter(
      { model, inputTokens, outputTokens: options.maxTokens ?? options.longestAnswer?.(model) },
      signal,
    );
  }

  async function findTool(name: string): Promise<AnyTool | undefined> {
    const own = tools.get(name);
    if (own !== undefined) return own;
    for (const extension of options.extensions ?? []) {
      const found = await extension.findTool?.(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function createContext(): ContextEngine | undefined {
    const engine = options.createContext?.(summarise, options.workspace);
    engine?.restore(record.steps);
    return engine;
  }

  /** Everything that a resumed conversation must know goes through here: to the disk first, then into memory. */
  function note(entry: SessionEntry): void {
    options.log?.(entry);
    record.take(entry, Date.now());
  }

  function spend(model: string, usage: Usage | undefined): void {
    meter.spent.add(model, usage);
    meter.session.add(model, usage);
  }

  function emit(event: AgentEvent): void {
    const of = event.parentCallId ? { parentCallId: event.parentCallId } : {};
    switch (event.type) {
      case "message.added":
        note({ type: "message", message: event.message, ...(event.model ? { model: event.model } : {}), ...of });
        if (event.message.role === "assistant") spend(event.model ?? options.model(), event.message.usage);
        break;
      case "context.edited":
        note({ type: "edits", edits: event.edits, ...(event.receipt ? { receipt: event.receipt } : {}), ...of });
        break;
      case "model.used": {
        const { model, usage } = event;
        note({ type: "usage", model, usage, ...of });
        spend(model, usage);
        break;
      }
      case "files.changed":
        if (event.changes.length > 0) note({ type: "changes", callId: event.callId, changes: event.changes, ...of });
        for (const text of event.uncovered) warnOnce(`Undo does not cover this: ${text}.`);
        break;
      default:
        if (loggedEvents.has(event.type)) note({ type: "event", event });
    }
    deliver(event);
  }

  function warnOnce(text: string): void {
    if (warned.has(text)) return;
    warned.add(text);
    emit({ type: "notice", text });
  }

  function requestFor(messages: readonly Message[]): ModelRequest {
    const { temperature, maxTokens, effort, sessionId } = options;
    return {
      model: options.model(),
      system: options.system,
      tools: schemas,
      messages,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(effort === undefined ? {} : { effort }),
      ...(sessionId === undefined ? {} : { sessionId }),
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
    const ticket = await enterPurse(signal);
    const answer = await callModel({
      provider: options.provider(),
      request: requestFor([...view, asked]),
      signal,
      budget: { used: 0 },
      retryBaseMs: options.retryBaseMs,
      emit: (event) => event.type === "retrying" && emit(event),
      onCall: () => {},
      onRestart: () => {},
    }).catch((error: unknown) => {
      ticket?.fail(partialTextOf(error) === "" ? "nothing" : "something");
      throw error;
    });
    ticket?.settle(answer.usage);
    if (answer.usage) emit({ type: "model.used", model: options.model(), usage: answer.usage });
    else spend(options.model(), undefined);
    const text = answer.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (answer.parts.some((part) => part.type === "tool-call") && text.trim() === "")
      throw new Error("the model called a tool instead of summarising");
    return { text, usage: answer.usage };
  }

  function add(body: Omit<Message, "id">): Message {
    const message: Message = { id: `m${++count}`, ...body };
    const moved = message.role === "tool" ? diary.changes() : undefined;
    if (moved) note(moved);
    emit({ type: "message.added", message });
    context?.add(message);
    if (message.usage && context) context.observe(message.usage);
    return message;
  }

  /** Extensions repeat what must not be lost, and nothing else. */
  function tellOfView(): void {
    if (!options.extensions?.some(({ onView }) => onView !== undefined)) return;
    const own = (context?.view ?? record.messages).filter(
      ({ role, synthetic }) => role === "user" && synthetic === true,
    );
    const told = own.map(textOf);
    for (const extension of options.extensions) extension.onView?.(told);
  }

  const triggerOf = ({ force }: FitOptions) => (force === "summarise" ? "manual" : "auto");

  /** Hooks hear of a fold before it happens. */
  async function announceFold(fit: FitOptions): Promise<string | undefined> {
    const caller = { hooks: options.hooks, signal: fit.signal, emit };
    const focus = fit.focus === undefined ? {} : { focus: fit.focus };
    const { block, stop } = await callHooks(caller, { type: "PreCompact", trigger: triggerOf(fit), ...focus });
    return block ?? stop;
  }

  /** A fold that the window needs cannot be refused. */
  async function announceAutomaticFold(fit: FitOptions, engine: ContextEngine): Promise<void> {
    if (fit.force === "summarise" || !options.hooks?.wants("PreCompact")) return;
    if (fit.force === undefined && engine.tokens < engine.contents().foldAtTokens) return;
    const reason = await announceFold(fit);
    if (reason !== undefined)
      emit({ type: "notice", text: `The window is full, so it is folded although a PreCompact hook says: ${reason}` });
  }

  async function tellOfFold(fit: FitOptions, { tokensBefore, tokensAfter }: Receipt): Promise<void> {
    const caller = { hooks: options.hooks, signal: fit.signal, emit };
    for (const extension of options.extensions ?? []) extension.onFolded?.();
    tellOfView();
    for (const text of options.extensions?.flatMap((extension) => extension.pendingNotices?.() ?? []) ?? [])
      add({ role: "user", synthetic: true, parts: [{ type: "text", text }] });
    const after = await callHooks(caller, { type: "PostCompact", trigger: triggerOf(fit), tokensBefore, tokensAfter });
    if (after.context !== undefined) add(hookMessage("PostCompact", after.context));
    const again = await callHooks(caller, { type: "SessionStart", source: "compact" });
    if (again.context !== undefined) add(hookMessage("SessionStart", again.context));
  }

  if (options.restored) tellOfView();
  return {
    options,
    meter,
    emit,
    record,
    cacheWatch: options.cacheMs === undefined ? undefined : createCacheWatch(options.cacheMs),
    enterPurse,
    add,
    closeOpenCalls() {
      for (const call of openCalls(record)) {
        const answer = options.restored?.openCallAnswer;
        const text = answer ?? fateOf(call, record, options.restored?.startedCalls ?? new Set());
        const { callId, tool } = call;
        const handle = options.handles.next();
        const isError = answer === undefined;
        add({ role: "tool", parts: [{ type: "tool-result", callId, tool, text, isError, handle }] });
      }
    },
    async fit(fit) {
      if (context === undefined) return undefined;
      await announceAutomaticFold(fit, context);
      const { edits, receipt, floor, rent } = await context.fit(fit);
      if (edits.length > 0) emit({ type: "context.edited", edits, receipt });
      if (floor !== undefined) throw windowIsFull(floor);
      note({ type: "request", rent });
      if (receipt && edits.some(({ type }) => type === "fold")) await tellOfFold(fit, receipt);
      return receipt;
    },
    foldRefusal: (focus, signal) => announceFold({ signal, force: "summarise", ...(focus ? { focus } : {}) }),
    contents: () => context?.contents(),
    get requestTokens() {
      return context?.tokens;
    },
    async prepareForIdle(signal) {
      const summary = await context?.prepareForIdle(signal);
      if (summary !== undefined) note({ type: "summary", text: summary });
    },
    get compactionWish() {
      return compactionWish;
    },
    set compactionWish(wish) {
      compactionWish = wish;
    },
    get stopWish() {
      return stopWish;
    },
    set stopWish(reason) {
      stopWish = reason;
    },
    request: () => requestFor(context?.view ?? record.messages),
    startRound(signal) {
      return createToolRound({
        findTool,
        toolNames: [...tools.keys()],
        onTouched: (paths) => options.extensions?.forEach((extension) => void extension.onTouched?.(paths)),
        workspace: options.workspace,
        permissions: options.permissions,
        tracker: options.tracker,
        ask: options.ask,
        signal,
        emit,
        onDenial: (denial) => meter.denials.push(denial),
        nextHandle: options.handles.next,
        roundsLeft: options.maxRounds - meter.rounds - 1,
        keep: options.keep ?? (() => undefined),
        keepFile: options.keepFile ?? ((_handle, path) => path),
        outputFolder: options.outputFolder ?? (() => undefined),
        redact: options.redact ?? ((text) => text),
        recall: (request) =>
          context?.recall(request) ?? { isFound: false, text: "Nothing has left this conversation." },
        requestCompaction: (focus) => void (compactionWish = { focus }),
        hooks: options.hooks,
        onStop: (reason) => void (stopWish = reason),
      });
    },
    startTurn() {
      stopWish = undefined;
      meter.rounds = 0;
      meter.apiMs = 0;
      meter.denials = [];
      meter.spent = createSpending(options.priceOf);
    },
    clear() {
      note({ type: "reset" });
      options.workspace.todos = [];
      context = createContext();
      tellOfView();
    },
    refit() {
      context = createContext();
    },
    rewind(entry) {
      note(entry);
      context = createContext();
      tellOfView();
    },
  };
}
