import { describe, expect } from "vitest";
import { call, calls, rawStream, text } from "../../src/testing/index.ts";
import type { ResultEvent } from "../support/stream-events.ts";
import { it, type World } from "../support/world.ts";

async function resultFor(
  world: World,
  args: readonly string[],
  script: Parameters<World["model"]>[0],
): Promise<ResultEvent> {
  const model = await world.model(script);
  const result = await world.run(["-p", "hi", "--output-format", "json", ...args], { model });
  expect(result.code).toBe(0);
  return JSON.parse(result.stdout) as ResultEvent;
}

const thousand = { inputTokens: 1000, outputTokens: 500 };

describe("tokens and cost", () => {
  it("are added up over the calls of a prompt", async ({ world }) => {
    const result = await resultFor(
      world,
      ["-m", "gpt-4o"],
      [calls([call("bash", { command: "echo hi" })], { usage: thousand }), text("ok", { usage: thousand })],
    );
    expect(result.usage).toMatchObject({ input_tokens: 2000, output_tokens: 1000 });
    expect(result.total_cost_usd).toBeCloseTo(0.015, 8);
    expect(result.num_turns).toBe(2);
  });

  it("count cached tokens at their own price", async ({ world }) => {
    const result = await resultFor(
      world,
      ["-m", "gpt-4o"],
      [text("ok", { usage: { ...thousand, cachedTokens: 400 } })],
    );
    expect(result.usage.cache_read_input_tokens).toBe(400);
    expect(result.total_cost_usd).toBeCloseTo(0.007, 8);
  });

  it("have no dollar figure for a model without a known price", async ({ world }) => {
    const result = await resultFor(world, ["-m", "my-own-model"], [text("ok", { usage: thousand })]);
    expect(result.usage).toMatchObject({ input_tokens: 1000, output_tokens: 500 });
    expect(result.total_cost_usd).toBeNull();
  });

  it("are zero when the endpoint reports null", async ({ world }) => {
    const chunks = [
      { choices: [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: null, completion_tokens: null, prompt_tokens_details: null } },
    ].map((payload) => `data: ${JSON.stringify(payload)}\n\n`);
    const result = await resultFor(world, [], [rawStream({ chunks: [...chunks, "data: [DONE]\n\n"], end: "close" })]);
    expect(result.result).toBe("ok");
    expect(result.usage).toMatchObject({ input_tokens: 0, output_tokens: 0 });
  });

  it("stop the run with exit 55 once the budget is reached", async ({ world }) => {
    const model = await world.model((_, index) =>
      calls([call("bash", { command: `echo ${index}` })], { usage: thousand }),
    );
    const result = await world.run(
      ["-p", "hi", "-m", "gpt-4o", "--max-budget-usd", "0.02", "--output-format", "stream-json"],
      { model },
    );
    expect(result.code).toBe(55);
    expect(result.events.at(-1)).toMatchObject({ type: "result", subtype: "error_max_budget_usd", is_error: true });
    expect(model.requests).toHaveLength(3);
    expect(result.stderr).toMatch(/budget/i);
  });
});
