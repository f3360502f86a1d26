import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, Part } from "../../src/contracts/message.ts";
import type { ModelRequest } from "../../src/contracts/provider.ts";
import { createAnthropicMessages } from "../../src/providers/protocols/anthropic-messages.ts";
import { call, calls, startScriptedModel, text } from "../../src/testing/index.ts";
import { it as inWorld } from "../support/world.ts";
import { ask, message, providerFor, requestWith, said, wires } from "./provider-wires.ts";

const mark = ',"cache_control":{"type":"ephemeral"}';
const withoutMarks = (body: string) => body.replaceAll(mark, "");

/** What is behind the last message of a request, and gives way to the next one. */
const closing = {
  "openai-chat": "]}",
  "openai-responses": "]}",
  "anthropic-messages": "]}]}",
  "gemini-generate-content": "]}]}",
} as const;

describe.each(wires)("fifty rounds on $name", (wire) => {
  inWorld(
    "extend each other byte for byte, so that the vendor's cache holds",
    async ({ world }) => {
      world.write("a.txt", "alpha\n");
      const rounds = 50;
      const model = await world.model((_, index) => {
        if (index === rounds) return text("done");
        const commands = Array.from({ length: index % 10 === 9 ? 12 : 1 + (index % 3) }, (_, n) =>
          call("bash", { command: `echo ${index} ${n}` }, { id: `call_${index}_${n}` }),
        );
        return calls(commands, { text: index % 2 ? "I look." : "", reasoning: index % 3 ? "" : "hm" });
      });
      const args = ["-p", "go", "--provider", wire.provider, "-m", wire.model, "--base-url", model.url];
      const result = await world.run([...args, "--context-policy", "none"], {
        env: { [wire.keyVariable]: world.key },
        timeoutMs: 60_000,
      });
      expect(result.code).toBe(0);
      expect(model.requests).toHaveLength(rounds + 1);
      const bodies = model.requests.map(({ rawBody }) => withoutMarks(rawBody));
      for (const [at, body] of bodies.entries()) {
        const before = bodies[at - 1];
        if (before === undefined) continue;
        expect(before.endsWith(closing[wire.name])).toBe(true);
        expect(body.startsWith(before.slice(0, -closing[wire.name].length))).toBe(true);
      }
      if (wire.name !== "anthropic-messages") return;
      for (const [at, { rawBody }] of model.requests.entries()) {
        const places = rawBody.split(mark);
        // behind system and tools, where the request before ended, and at the end
        expect(places).toHaveLength(at === 0 ? 3 : 4);
        expect(`${places.at(-1)}`).toMatch(/^\}\]\}\]\}$/);
        if (at === 0) continue;
        const seen = withoutMarks(model.requests[at - 1]!.rawBody).slice(0, -closing[wire.name].length);
        expect(places.slice(0, 2).join("")).toBe(seen.slice(0, -1));
      }
    },
    90_000,
  );
});

/** Anthropic's cache: it keeps what stands before a mark, and looks back twenty blocks from each mark for something it has kept. */
function createCache() {
  const kept = new Set<string>();
  return {
    /** Blocks that are read from the cache, and the most that could be. */
    ask(body: { system: unknown[]; messages: { role: string; content: Record<string, unknown>[] }[] }) {
      const blocks = body.messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block })));
      const marks: number[] = [];
      const prefixes: string[] = [JSON.stringify(body.system)];
      for (const [at, { cache_control, ...block }] of blocks.entries() as Iterable<[number, Record<string, unknown>]>) {
        prefixes.push(`${prefixes.at(-1)}${JSON.stringify(block)}`);
        if (cache_control !== undefined) marks.push(at + 1);
      }
      const found = [0, ...marks].flatMap((mark) =>
        Array.from({ length: 20 }, (_, back) => mark - back).filter(
          (at) => at >= 0 && kept.has(prefixes[at] as string),
        ),
      );
      const best = prefixes.findLastIndex((prefix) => kept.has(prefix));
      for (const place of [0, ...marks]) kept.add(prefixes[place] as string);
      return { read: Math.max(-1, ...found), best, marks: marks.length + 1 };
    },
  };
}

let count = 0;
const answerWith = (calls: number): Message[] => {
  const ids = Array.from({ length: calls }, () => `c${++count}`);
  const made = ids.map((callId): Part => ({ type: "tool-call", callId, tool: "bash", input: {}, rawInput: "{}" }));
  const results = ids.map((id) => toolMessage(id, `out ${id}`));
  return [message("assistant", said("I look."), ...made), ...results];
};
const toolMessage = (callId: string, out: string): Message =>
  message("tool", { type: "tool-result", callId, tool: "bash", text: out, isError: false, handle: "#1" });

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("round" as const), calls: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("prompt" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("repeat" as const) }) },
  // the context engine shows old results as one line
  { weight: 2, arbitrary: fc.record({ type: fc.constant("edit" as const), at: fc.nat(), until: fc.nat() }) },
);

describe("marks for Anthropic's cache", () => {
  it("find everything that was kept, through long rounds, cuts and repetitions, with four marks at most", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), (steps) => {
        const wire = createAnthropicMessages();
        const cache = createCache();
        let messages: Message[] = [message("user", said("go"))];
        for (const one of [{ type: "repeat" as const }, ...steps]) {
          if (one.type === "round") messages.push(...answerWith(one.calls));
          if (one.type === "prompt") messages.push(message("assistant", said("done")), message("user", said("next")));
          if (one.type === "edit") {
            const [from, to] = [one.at, one.until].map((n) => n % messages.length).toSorted((a, b) => a - b) as [
              number,
              number,
            ];
            messages = messages.map((given, at) =>
              given.role === "tool" && at >= from && at <= to && !JSON.stringify(given).includes("[archived]")
                ? { ...given, parts: given.parts.map((part) => ({ ...part, text: "[archived]" }) as Part) }
                : given,
            );
          }
          const request: ModelRequest = { model: "claude-x", system: "be brief", tools: [], messages };
          const body = Buffer.concat(wire.encode(request, { refusals: {}, replayThinking: false })).toString();
          const { read, best, marks } = cache.ask(JSON.parse(body));
          expect(read).toBe(best);
          expect(marks).toBeLessThanOrEqual(4);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("find what an earlier run of the program has kept", () => {
    const cache = createCache();
    const messages = [message("user", said("go")), ...answerWith(25)];
    const send = (wire: ReturnType<typeof createAnthropicMessages>) => {
      const request: ModelRequest = { model: "claude-x", system: "be brief", tools: [], messages };
      return cache.ask(
        JSON.parse(Buffer.concat(wire.encode(request, { refusals: {}, replayThinking: false })).toString()),
      );
    };
    send(createAnthropicMessages());
    messages.push(...answerWith(25));
    const { read, best } = send(createAnthropicMessages());
    expect(best).toBeGreaterThan(20);
    expect(read).toBe(best);
  });
});

describe("the id of the session", () => {
  it("goes where a vendor spreads its caches over machines, and nowhere else", async () => {
    const model = await startScriptedModel(() => text("ok"));
    for (const wire of wires) {
      const request = requestWith(wire, [message("user", said("go"))], { sessionId: "session-1" });
      await ask(providerFor(wire, { url: model.url }), request);
      const body = JSON.parse(model.requests.at(-1)!.rawBody) as Record<string, unknown>;
      const isOpenAi = wire.name.startsWith("openai");
      expect(body.prompt_cache_key).toBe(isOpenAi ? "session-1" : undefined);
      if (!isOpenAi) expect(JSON.stringify(body)).not.toContain("session-1");
    }
    await model.close();
  });
});
