import { describe, expect, it } from "vitest";
import { limitsOf } from "../../src/providers/model-limits.ts";
import { fault, type Reply, text } from "../../src/testing/index.ts";
import { goWith, usePlayer } from "./provider-player.ts";
import { ask, createMemory, providerFor, type WireUnderTest } from "./provider-wires.ts";

/** An answer cut by its length limit: the model's own limit is asked for, on every wire in its own words. */

const field = {
  "openai-chat": "max_tokens",
  "openai-responses": "max_output_tokens",
  "anthropic-messages": "max_tokens",
  "gemini-generate-content": "maxOutputTokens",
};
const usage = { inputTokens: 10, outputTokens: 50 };
const cutText = text("half an ans", { finishReason: "length", usage });
const cutThought = text("", { finishReason: "length", reasoning: "let me think", usage });

export function providerLimitCases(wire: WireUnderTest): void {
  const player = usePlayer(wire);
  const name = field[wire.name];
  const most = limitsOf(wire.model)!.outputTokens;
  /** Without a word of ours: the wire's own default, where it has one. */
  const usual = wire.name === "anthropic-messages" ? Math.min(most, 32_000) : undefined;

  function conversation(memory = createMemory()) {
    const provider = providerFor(wire, { url: player.model.url, memory });
    return {
      memory,
      async play(reply: Reply, more: { readonly maxTokens?: number } = {}) {
        player.says(reply);
        return ask(provider, { ...goWith(wire), ...more });
      },
      sent(): number | undefined {
        const body = JSON.parse(player.model.requests.at(-1)!.rawBody) as Record<string, unknown>;
        return { ...body, ...(body.generationConfig as object) }[name] as number | undefined;
      },
    };
  }

  describe("an answer cut by a limit nobody set", () => {
    it("is an answer, and the next request asks for all that the model can write", async () => {
      const { play, sent, memory } = conversation();
      expect((await play(cutText)).answer).toMatchObject({ stopReason: "length" });
      expect(sent()).toBe(usual);
      expect(memory.learned).toEqual(["lowDefault"]);
      await play(text("on"));
      expect(sent()).toBe(most);
    });

    it("before it came to the point is asked for again, and what it cost is known", async () => {
      const { play, sent } = conversation();
      const { error } = await play(cutThought);
      expect(error).toMatchObject({ code: "parameter-refused", usage });
      // the second time there is nothing left to raise
      expect((await play(cutThought)).answer).toMatchObject({ stopReason: "length" });
      expect(sent()).toBe(most);
    });

    it("is asked for as before when the endpoint takes no higher limit, or finds the prompt too long with it", async () => {
      for (const refusal of [
        fault(400, { error: { message: `Invalid ${name}: the maximum allowed is 4096` } }),
        fault(400, { error: { code: "context_length_exceeded", message: "maximum context length is 9000 tokens" } }),
      ]) {
        const { play, sent } = conversation();
        await play(cutText);
        expect((await play(refusal)).code).toBe("parameter-refused");
        await play(cutText);
        expect(sent()).toBe(usual);
        expect((await play(fault(413, {}))).code).toBe("context-overflow");
      }
    });

    it("is left alone when it was all the model can write", async () => {
      const { play, memory } = conversation();
      await play(text("long", { finishReason: "length", usage: { inputTokens: 1, outputTokens: most } }));
      expect(memory.learned).toEqual([]);
    });
  });

  it("a limit the person set is kept", async () => {
    const { play, sent, memory } = conversation();
    await play(cutThought, { maxTokens: 60 });
    await play(cutText, { maxTokens: 60 });
    expect(sent()).toBe(60);
    expect(memory.learned).toEqual([]);
  });
}
