import { describe, expect, it } from "vitest";
import { ProviderError, ToolError } from "../contracts/errors.ts";
import type { AgentEvent } from "../contracts/event.ts";
import type { PermissionPolicy, Verdict } from "../contracts/permission.ts";
import type { ModelAnswer, ModelRequest, Provider, ProviderEvent } from "../contracts/provider.ts";
import { object, string } from "../contracts/schema.ts";
import type { SessionEntry } from "../contracts/session.ts";
import { type AnyTool, type Concurrency, defineTool, type ToolEffect } from "../contracts/tool.ts";
import { createAgent } from "./agent.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createWorkspace } from "./workspace.ts";

/** A model whose answers are functions: they may announce calls early, wait, and see the request. */
type Turn = (request: ModelRequest, emit: (event: ProviderEvent) => void, signal: AbortSignal) => Promise<ModelAnswer>;

function providerOf(turns: Turn[]): Provider & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    endpoint: "test",
    requests,
    stream(request, { onEvent, signal }) {
      requests.push({ ...request, messages: [...request.messages] });
      const turn = turns.shift();
      if (!turn) throw new Error("the script is over");
      return turn(request, onEvent, signal);
    },
  };
}

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
const say =
  (text: string): Turn =>
  async (_request, emit) => {
    emit({ type: "text", text });
    return { parts: [{ type: "text", text }], stopReason: "end", usage };
  };
const callPart = (callId: string, tool: string, input: Record<string, unknown>) =>
  ({ type: "tool-call", callId, tool, input, rawInput: JSON.stringify(input) }) as const;
const use =
  (...calls: ReturnType<typeof callPart>[]): Turn =>
  async () => ({ parts: calls, stopReason: "tool-calls", usage });

type Trace = string[];

/** A tool that notes its start and its end and waits, when told to, for a gate. */
function tool(
  name: string,
  options: { effect: ToolEffect; trace: Trace; gate?: () => Promise<void>; concurrency?: Concurrency },
): AnyTool {
  const { effect, trace, gate, concurrency } = options;
  return defineTool<{ readonly x: string }>({
    name,
    description: name,
    input: object({ x: string() }),
    effect,
    ...(concurrency ? { concurrency: () => concurrency } : {}),
    describe: ({ x }) => ({ label: name, title: x }),
    async run({ x }) {
      trace.push(`${x} starts`);
      await gate?.();
      if (x === "boom") throw new ToolError("it broke");
      trace.push(`${x} ends`);
      return { text: `result of ${x}` };
    },
  });
}

function policyOf(verdict: Verdict): PermissionPolicy {
  return { mode: "default", decide: () => ({ verdict, because: "the test says so", rule: "rule" }), allow: () => {} };
}

function agentWith(turns: Turn[], tools: AnyTool[], extra: Partial<AgentOptions> = {}) {
  const provider = providerOf(turns);
  const log: SessionEntry[] = [];
  let handles = 0;
  const workspace = createWorkspace("/");
  const agent = createAgent({
    provider: () => provider,
    model: () => "m",
    system: "system",
    tools,
    workspace,
    permissions: policyOf("allow"),
    log: (entry) => log.push(entry),
    maxRounds: 50,
    retryBaseMs: 0,
    handles: { next: () => `#${++handles}` },
    ...extra,
  });
  return { agent, provider, log };
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const results = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === "message.added"
      ? event.message.parts.flatMap((part) => (part.type === "tool-result" ? [part] : []))
      : [],
  );

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, wait: () => opened };
}

describe("a prompt", () => {
  it("ends with the answer when the model asks for no tools", async () => {
    const { agent, provider } = agentWith([say("hello")], []);
    const events = await collect(agent.send("hi"));
    expect(events.map((event) => event.type)).toEqual([
      "message.added",
      "text.delta",
      "message.added",
      "turn.finished",
    ]);
    expect(agent.lastText).toBe("hello");
    expect(provider.requests[0]?.messages.map((message) => message.role)).toEqual(["user"]);
  });

  it("is in the log before its event is seen, and so is every message after it", async () => {
    const { agent, log } = agentWith([say("hello")], []);
    for await (const event of agent.send("hi")) {
      if (event.type !== "message.added") continue;
      expect(log.some((entry) => entry.type === "message" && entry.message === event.message)).toBe(true);
    }
  });

  it("stops at the round limit, and the next prompt goes on with a valid history", async () => {
    const trace: Trace = [];
    const read = tool("read", { effect: "read", trace });
    const { agent, provider } = agentWith(
      [use(callPart("a", "read", { x: "1" })), use(callPart("b", "read", { x: "2" })), say("done")],
      [read],
      { maxRounds: 2 },
    );
    const first = await collect(agent.send("go"));
    expect(first.at(-1)).toMatchObject({ type: "turn.finished", outcome: { type: "round-limit", rounds: 2 } });
    const second = await collect(agent.send("go on"));
    expect(second.at(-1)).toMatchObject({ outcome: { type: "done" } });
    expect(provider.requests[2]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "user",
    ]);
  });
});

describe("tool calls", () => {
  it("that only read run side by side, and their results are recorded in call order", async () => {
    const trace: Trace = [];
    const first = gate();
    const read = defineTool<{ readonly x: string }>({
      name: "read",
      description: "",
      input: object({ x: string() }),
      effect: "read",
      describe: ({ x }) => ({ label: "read", title: x }),
      async run({ x }) {
        trace.push(x);
        if (x === "slow") await first.wait();
        else first.open();
        return { text: x };
      },
    });
    const { agent } = agentWith(
      [use(callPart("a", "read", { x: "slow" }), callPart("b", "read", { x: "fast" })), say("done")],
      [read],
    );
    const events = await collect(agent.send("go"));
    expect(trace).toEqual(["slow", "fast"]);
    expect(results(events).map((part) => part.text)).toEqual(["slow", "fast"]);
  });

  it("that change something run alone, as a barrier between the reads around them", async () => {
    const trace: Trace = [];
    const tools = [tool("read", { effect: "read", trace }), tool("write", { effect: "write", trace })];
    const { agent } = agentWith(
      [
        use(
          callPart("a", "read", { x: "r1" }),
          callPart("b", "write", { x: "w1" }),
          callPart("c", "write", { x: "w2" }),
          callPart("d", "read", { x: "r2" }),
        ),
        say("done"),
      ],
      tools,
    );
    await collect(agent.send("go"));
    expect(trace).toEqual([
      "r1 starts",
      "r1 ends",
      "w1 starts",
      "w1 ends",
      "w2 starts",
      "w2 ends",
      "r2 starts",
      "r2 ends",
    ]);
  });

  it("that only read start while the model is still streaming; what changes something waits for the end", async () => {
    const trace: Trace = [];
    const started = gate();
    const read = tool("read", { effect: "read", trace, gate: async () => started.open() });
    const write = tool("write", { effect: "write", trace });
    const calls = [callPart("a", "read", { x: "r" }), callPart("b", "write", { x: "w" })];
    const turn: Turn = async (_request, emit) => {
      for (const call of calls) emit({ type: "tool-call", call });
      await started.wait();
      trace.push("stream ends");
      return { parts: calls, stopReason: "tool-calls", usage };
    };
    const { agent } = agentWith([turn, say("done")], [read, write]);
    await collect(agent.send("go"));
    expect(trace.indexOf("r starts")).toBeLessThan(trace.indexOf("stream ends"));
    expect(trace.indexOf("w starts")).toBeGreaterThan(trace.indexOf("stream ends"));
    expect(trace.filter((line) => line === "r starts")).toHaveLength(1);
  });

  it("at most eight at a time", async () => {
    let running = 0;
    let most = 0;
    const read = tool("read", {
      effect: "read",
      trace: [],
      gate: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      },
    });
    const calls = Array.from({ length: 20 }, (_, n) => callPart(`c${n}`, "read", { x: `${n}` }));
    const { agent } = agentWith([use(...calls), say("done")], [read]);
    const events = await collect(agent.send("go"));
    expect(most).toBe(8);
    expect(results(events)).toHaveLength(20);
  });

  it("that fail, do not exist or do not fit their schema become errors the model can act on", async () => {
    const trace: Trace = [];
    const read = tool("read", { effect: "read", trace });
    const broken = { type: "tool-call", callId: "d", tool: "read", input: undefined, rawInput: '{"x": "a' } as const;
    const turn: Turn = async () => ({
      parts: [
        callPart("a", "nope", {}),
        callPart("b", "read", {}),
        callPart("c", "read", { x: 1 } as never),
        broken,
        callPart("e", "read", { x: "boom" }),
      ],
      stopReason: "tool-calls",
      usage,
    });
    const { agent } = agentWith([turn, say("done")], [read]);
    const parts = results(await collect(agent.send("go")));
    expect(parts.every((part) => part.isError)).toBe(true);
    expect(parts.map((part) => part.text)).toEqual([
      'There is no tool named "nope". The tools are: read.',
      "read was not run: x is missing.\nExpected: {x: string}",
      "read was not run: x must be a string, got number.\nExpected: {x: string}",
      'The arguments of read are invalid (not a JSON object), so it was not run. Received: {"x": "a\nExpected: {x: string}',
      "it broke",
    ]);
    expect(trace).toEqual(["boom starts"]);
  });

  it("are denied when there is nobody to ask, and named in the totals", async () => {
    const trace: Trace = [];
    const { agent } = agentWith(
      [use(callPart("a", "write", { x: "w" })), say("done")],
      [tool("write", { effect: "write", trace })],
      { permissions: policyOf("ask") },
    );
    const events = await collect(agent.send("go"));
    expect(results(events)[0]?.text).toMatch(/Permission denied.*nobody can be asked.*--allowed-tools 'rule'/);
    expect(trace).toEqual([]);
    expect(events.at(-1)).toMatchObject({ totals: { denials: [{ tool: "write", callId: "a" }] } });
  });

  it("run once, for the session or never, as the person answers", async () => {
    const trace: Trace = [];
    const remembered: string[] = [];
    const answers = [{ type: "no", word: "not today" }, { type: "once" }, { type: "always" }] as const;
    let asked = 0;
    const permissions = {
      ...policyOf("ask"),
      allow: (rule: string, lasting: string) => void remembered.push(`${rule} ${lasting}`),
    };
    const { agent } = agentWith(
      [
        use(callPart("a", "write", { x: "1" }), callPart("b", "write", { x: "2" }), callPart("c", "write", { x: "3" })),
        say("done"),
      ],
      [tool("write", { effect: "write", trace })],
      { permissions, ask: async () => answers[asked++] ?? { type: "no" } },
    );
    const parts = results(await collect(agent.send("go")));
    expect(parts.map((part) => part.text)).toEqual(["The user said no: not today", "result of 2", "result of 3"]);
    expect(remembered).toEqual(["rule project"]);
  });

  it("repeated with the same result are pointed out after three times and stopped after eleven", async () => {
    const read = tool("read", { effect: "read", trace: [] });
    const turns = Array.from({ length: 20 }, () => use(callPart("a", "read", { x: "same" })));
    const { agent } = agentWith(turns, [read]);
    const events = await collect(agent.send("go"));
    const texts = results(events).map((part) => part.text);
    expect(texts).toHaveLength(11);
    expect(texts[1]).not.toContain("notice");
    expect(texts[2]).toContain("3 times in a row");
    expect(events.at(-1)).toMatchObject({ outcome: { type: "repetition", tool: "read", times: 11 } });
  });
});

describe("an interruption", () => {
  it("during a tool answers every open call and leaves a history the next prompt can use", async () => {
    const stop = new AbortController();
    const write = tool("write", {
      effect: "write",
      trace: [],
      gate: () =>
        new Promise((_resolve, reject) => stop.signal.addEventListener("abort", () => reject(new Error("killed")))),
    });
    const { agent, provider } = agentWith(
      [use(callPart("a", "write", { x: "1" }), callPart("b", "write", { x: "2" })), say("hello again")],
      [write],
    );
    const events: AgentEvent[] = [];
    for await (const event of agent.send("go", stop.signal)) {
      events.push(event);
      if (event.type === "tool.started") stop.abort();
    }
    expect(results(events).map((part) => part.text)).toEqual(["[interrupted]", "[interrupted]"]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: "interrupted" } });
    await collect(agent.send("again"));
    expect(provider.requests[1]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
  });

  it("while text streams keeps what was shown", async () => {
    const stop = new AbortController();
    const turn: Turn = (_request, emit, signal) =>
      new Promise((_resolve, reject) => {
        emit({ type: "text", text: "half an ans" });
        signal.addEventListener("abort", () => reject(new ProviderError("aborted", "interrupted")));
      });
    const { agent } = agentWith([turn], []);
    for await (const event of agent.send("go", stop.signal)) if (event.type === "text.delta") stop.abort();
    expect(agent.history.at(-1)).toMatchObject({
      role: "assistant",
      stopReason: "interrupted",
      parts: [{ type: "text", text: "half an ans" }],
    });
  });

  it("by leaving the event loop stops the work", async () => {
    const seen: string[] = [];
    const turn: Turn = (_request, emit, signal) =>
      new Promise((_resolve, reject) => {
        emit({ type: "text", text: "a" });
        signal.addEventListener("abort", () => {
          seen.push("aborted");
          reject(new Error("aborted"));
        });
      });
    const { agent } = agentWith([turn], []);
    for await (const event of agent.send("go")) if (event.type === "text.delta") break;
    expect(seen).toEqual(["aborted"]);
  });
});

describe("money", () => {
  it("is summed over calls, and unknown as soon as one price is", async () => {
    const prices = new Map([["m", 0.5]]);
    const priceOf = async (model: string) => prices.get(model);
    const read = tool("read", { effect: "read", trace: [] });
    const known = agentWith([use(callPart("a", "read", { x: "1" })), say("done")], [read], { priceOf });
    expect((await collect(known.agent.send("go"))).at(-1)).toMatchObject({
      totals: { costUsd: 1, usage: { inputTokens: 20, outputTokens: 10 } },
    });
    prices.clear();
    const unknown = agentWith([say("done")], [], { priceOf });
    expect((await collect(unknown.agent.send("go"))).at(-1)).toMatchObject({ totals: { costUsd: null } });
  });

  it("has a limit that is checked before every call", async () => {
    const read = tool("read", { effect: "read", trace: [] });
    const { agent, provider } = agentWith([use(callPart("a", "read", { x: "1" })), say("never asked")], [read], {
      priceOf: async () => 0.5,
      maxBudgetUsd: 0.4,
    });
    const events = await collect(agent.send("go"));
    expect(events.at(-1)).toMatchObject({ outcome: { type: "budget", limitUsd: 0.4 } });
    expect(provider.requests).toHaveLength(1);
  });
});
