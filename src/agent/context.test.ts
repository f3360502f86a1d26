import { describe, expect, it } from "vitest";
import type { ContextEdit, ContextEngine, Fit, FitOptions, Receipt, Summarise } from "../contracts/context.ts";
import { exitCode, ProviderError, UserError } from "../contracts/errors.ts";
import type { AgentEvent } from "../contracts/event.ts";
import type { Message } from "../contracts/message.ts";
import type { ModelAnswer, ModelRequest, Provider } from "../contracts/provider.ts";
import { object, optional, string } from "../contracts/schema.ts";
import type { SessionEntry } from "../contracts/session.ts";
import { type AnyTool, defineTool } from "../contracts/tool.ts";
import { createAgent } from "./agent.ts";
import { createWorkspace } from "./workspace.ts";

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };

type Turn = (request: ModelRequest) => ModelAnswer;

const say =
  (text: string): Turn =>
  () => ({ parts: [{ type: "text", text }], stopReason: "end", usage });

const use =
  (...tools: readonly string[]): Turn =>
  () => ({
    parts: tools.map((tool, n) => ({ type: "tool-call", callId: `${tool}-${n}`, tool, input: {}, rawInput: "{}" })),
    stopReason: "tool-calls",
    usage,
  });

const tooLong: Turn = () => {
  throw new ProviderError("context-overflow", "too long");
};

const receipt: Receipt = {
  trigger: "auto",
  stages: ["test"],
  tokensBefore: 100,
  tokensAfter: 10,
  archived: [],
  folded: 0,
  appended: [],
  spentUsd: 0,
  savesUsd: 0,
};

/** An engine that shows the last message only, and notes what is asked of it. */
function createEngine(answer: (options: FitOptions, fits: number) => Partial<Fit> = () => ({})) {
  const history: Message[] = [];
  const fits: FitOptions[] = [];
  const heard: string[] = [];
  let summarise: Summarise | undefined;
  const engine: ContextEngine = {
    add: (message) => {
      history.push(message);
      heard.push(message.role);
    },
    observe: ({ inputTokens }) => void heard.push(`counted ${inputTokens}`),
    async fit(options) {
      fits.push(options);
      heard.push("fit");
      return {
        view: this.view,
        edits: [],
        receipt: undefined,
        rent: [],
        floor: undefined,
        ...answer(options, fits.length),
      };
    },
    restore: () => {},
    prepareForIdle: async () => undefined,
    recall: ({ id }) => ({ isFound: id === "#1", text: `recalled ${id}` }),
    contents: () => ({ parts: [], windowTokens: 1, foldAtTokens: 1 }),
    get view() {
      return history.slice(-1);
    },
    tokens: 0,
  };
  const create = (given: Summarise) => {
    summarise = given;
    return engine;
  };
  return { create, fits, heard, summarise: () => summarise as Summarise };
}

const wish: AnyTool = defineTool<{ readonly focus?: string }>({
  name: "wish",
  description: "asks for a fold",
  input: object({ focus: optional(string()) }),
  effect: "none",
  describe: () => ({ label: "wish", title: "" }),
  async run(_input, context) {
    context.requestCompaction("the port");
    return { text: "will do" };
  },
});

const look: AnyTool = defineTool<Record<never, never>>({
  name: "look",
  description: "recalls",
  input: object({}),
  effect: "read",
  describe: () => ({ label: "look", title: "" }),
  run: async (_input, context) => ({ text: context.recall({ id: "#1" }).text }),
});

function agentWith(turns: Turn[], engine: ReturnType<typeof createEngine>) {
  const requests: ModelRequest[] = [];
  const log: SessionEntry[] = [];
  const provider: Provider = {
    endpoint: "test",
    async stream(request) {
      requests.push({ ...request, messages: [...request.messages] });
      const turn = turns.shift();
      if (!turn) throw new Error("the script is over");
      return turn(request);
    },
  };
  let handles = 0;
  const agent = createAgent({
    provider: () => provider,
    model: () => "m",
    system: "system",
    tools: [wish, look],
    workspace: createWorkspace("/"),
    permissions: { mode: "default", decide: () => ({ verdict: "allow", because: "", rule: "r" }), allow: () => {} },
    log: (entry) => log.push(entry),
    maxRounds: 20,
    retryBaseMs: 0,
    handles: { next: () => `#${++handles}` },
    createContext: engine.create,
  });
  return { agent, requests, log };
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function outcomeIn(events: readonly AgentEvent[]) {
  const last = events.at(-1);
  if (last?.type !== "turn.finished") throw new Error("the turn did not finish");
  return last.outcome;
}

describe("an agent with a context engine", () => {
  it("fits before every model call, also inside a turn, and sends the view", async () => {
    const engine = createEngine();
    const { agent, requests } = agentWith([use("look"), use("look", "look"), say("done")], engine);
    await collect(agent.send("hi"));
    expect(engine.heard).toEqual([
      ...["user", "fit", "assistant", "counted 10", "tool"],
      ...["fit", "assistant", "counted 10", "tool", "tool"],
      ...["fit", "assistant", "counted 10"],
    ]);
    expect(requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([["user"], ["tool"], ["tool"]]);
    expect(agent.history).toHaveLength(7);
  });

  it("has the edits in its log before the model is asked", async () => {
    const edit: ContextEdit = { type: "replace", messageId: "m1", callId: "c", text: "x" };
    const engine = createEngine(() => ({ edits: [edit], receipt }));
    const { agent, log } = agentWith(
      [
        () => {
          expect(log.slice(-2)).toMatchObject([{ type: "edits", edits: [edit], receipt }, { type: "request" }]);
          return say("done")({} as ModelRequest);
        },
      ],
      engine,
    );
    const events = await collect(agent.send("hi"));
    expect(outcomeIn(events)).toEqual({ type: "done" });
    expect(events.filter(({ type }) => type === "context.edited")).toHaveLength(1);
  });

  it("folds by the model's wish once, after all calls of the answer are done", async () => {
    const engine = createEngine();
    const { agent } = agentWith([use("look", "wish", "look"), use("look"), say("done")], engine);
    await collect(agent.send("hi"));
    expect(engine.fits.map(({ force, focus }) => [force, focus])).toEqual([
      [undefined, undefined],
      ["summarise", "the port"],
      [undefined, undefined],
    ]);
    expect(engine.heard.slice(1, 8)).toEqual(["fit", "assistant", "counted 10", "tool", "tool", "tool", "fit"]);
  });

  it("collapses once when the vendor finds the request too long, and goes on", async () => {
    const engine = createEngine(({ force }) => (force === "collapse" ? { receipt } : {}));
    const { agent, requests } = agentWith([tooLong, say("fits now")], engine);
    expect(outcomeIn(await collect(agent.send("hi")))).toEqual({ type: "done" });
    expect(engine.fits.map(({ force }) => force)).toEqual([undefined, "collapse"]);
    expect(requests).toHaveLength(2);
  });

  it("gives up after the second refusal, and at once when there is nothing to collapse", async () => {
    const willing = createEngine(({ force }) => (force === "collapse" ? { receipt } : {}));
    const twice = agentWith([tooLong, tooLong, say("never")], willing);
    expect(outcomeIn(await collect(twice.agent.send("hi")))).toMatchObject({ type: "failed" });
    expect(twice.requests).toHaveLength(2);
    const once = agentWith([tooLong, say("never")], createEngine());
    expect(outcomeIn(await collect(once.agent.send("hi")))).toMatchObject({ type: "failed" });
    expect(once.requests).toHaveLength(1);
  });

  it("ends with exit 56 and what fills the window when nothing more can go", async () => {
    const { agent, requests } = agentWith(
      [say("never")],
      createEngine(() => ({ floor: "tool schemas 61k of 64k" })),
    );
    const outcome = outcomeIn(await collect(agent.send("hi")));
    const error = outcome.type === "failed" ? outcome.error : undefined;
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).exit).toBe(exitCode.context);
    expect(error?.message).toContain("tool schemas 61k of 64k");
    expect(requests).toHaveLength(0);
  });

  it("asks for a summary with the same system, tools and messages, and counts its tokens", async () => {
    const engine = createEngine();
    const { agent, requests } = agentWith([say("done"), say("the summary"), use("look")], engine);
    await collect(agent.send("hi"));
    const signal = new AbortController().signal;
    const view = [...(requests[0]?.messages ?? [])];
    const before = agent.usage.inputTokens;
    const answer = await engine.summarise()({ view, instruction: "sum up", signal });
    expect(answer.text).toBe("the summary");
    expect(requests[1]).toMatchObject({ system: requests[0]?.system, tools: requests[0]?.tools });
    expect(requests[1]?.messages.slice(0, -1)).toEqual(view);
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "user", parts: [{ text: "sum up" }] });
    expect(agent.usage.inputTokens).toBe(before + 10);
    expect(agent.history).toHaveLength(2);
    await expect(engine.summarise()({ view, instruction: "sum up", signal })).rejects.toThrow(/called a tool/);
  });

  it("gives its tools a way to what left the view", async () => {
    const { agent } = agentWith([use("look"), say("done")], createEngine());
    await collect(agent.send("hi"));
    expect(agent.history[2]?.parts[0]).toMatchObject({ text: "recalled #1" });
  });
});
