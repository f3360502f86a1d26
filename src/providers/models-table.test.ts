import { describe, expect, it } from "vitest";
import { modelsTable } from "./models-table.ts";

describe("the table of models", () => {
  it("lists what an agent can work with, and says where its figures come from", async () => {
    const { rows, sources } = await modelsTable("");
    expect(rows.length).toBeGreaterThan(40);
    expect(new Set(rows.map(({ vendor }) => vendor)).size).toBeGreaterThan(5);
    for (const { limits, prices } of rows) {
      expect(limits?.tools).toBe(true);
      expect(prices?.input ?? 1).toBeGreaterThan(0);
    }
    expect(rows.map(({ model }) => model).filter((name) => /embedding|whisper|image/.test(name))).toEqual([]);
    expect(sources.limits).toMatch(/\d{4}-\d\d-\d\d/);
    expect(sources.prices).toContain("genai-prices");
  });

  it("has rates with the cache's own", async () => {
    const { rows } = await modelsTable("anthropic/claude-sonnet-4-5");
    expect(rows).toMatchObject([
      {
        vendor: "anthropic",
        model: "claude-sonnet-4-5",
        limits: { windowTokens: 200_000, outputTokens: 64_000, images: true, thinking: true },
        prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      },
    ]);
  });

  it("finds by words in any order, gateways included, and nothing where there is nothing", async () => {
    const { rows } = await modelsTable("CLAUDE openrouter");
    expect(rows.length).toBeGreaterThan(0);
    for (const { model } of rows) expect(model).toMatch(/^openrouter\/.*claude/);
    expect((await modelsTable("no such model")).rows).toEqual([]);
  });

  it("says first what the settings say, and which part of it they say", async () => {
    const models = {
      "claude-sonnet-4-5": { window: 100_000 },
      "mine/llama": { window: 64_000, output: 4_096, price: { input: 1, output: 2 } },
    };
    const { rows } = await modelsTable("claude-sonnet-4-5", models);
    expect(rows[0]).toMatchObject({
      limits: { windowTokens: 100_000, outputTokens: 64_000 },
      prices: { input: 3 },
      fromSettings: ["window"],
    });
    expect((await modelsTable("llama mine", models)).rows).toEqual([
      {
        vendor: "",
        model: "mine/llama",
        limits: { windowTokens: 64_000, outputTokens: 4_096 },
        prices: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 },
        fromSettings: ["window", "output", "price"],
      },
    ]);
  });
});
