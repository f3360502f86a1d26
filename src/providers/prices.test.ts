import { describe, expect, it } from "vitest";
import { chooseVendor } from "./choose-vendor.ts";
import { priceRowOf } from "./price-row.ts";
import { createPriceOf } from "./prices.ts";

const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 500_000, cacheWriteTokens: 100_000 };

describe("what a call costs", () => {
  it("is what the person's settings say, the cache at its own rates", async () => {
    const priceOf = createPriceOf(() => ({ name: "ollama" }), {
      "ollama/mine": { price },
      free: { price: { input: 0, output: 0 } },
    });
    expect(await priceOf("mine", usage)).toBeCloseTo(0.4 * 2 + 0.5 * 0.2 + 0.1 * 2.5 + 0.1 * 10, 10);
    expect(await priceOf("free", usage)).toBe(0);
    expect(await priceOf("unheard-of", usage)).toBeUndefined();
    const plain = createPriceOf(() => ({ name: "x" }), { m: { price: { input: 3, output: 15 } } });
    expect(await plain("m", usage)).toBeCloseTo(3 + 1.5, 10);
  });

  it("is the list's otherwise, also for a model of which only the window was set", async () => {
    const priceOf = createPriceOf(() => ({ name: "anthropic" }), { "claude-sonnet-4-5": { window: 9_000 } });
    const some = { inputTokens: 10_000, outputTokens: 1_000, cacheReadTokens: 5_000, cacheWriteTokens: 1_000 };
    expect(await priceOf("claude-sonnet-4-5", some)).toBeCloseTo((4 * 3 + 5 * 0.3 + 3.75 + 15) / 1_000, 10);
  });

  it("is nobody's list price on a server without keys, and that of the vendor each model belongs to", async () => {
    const vendorOf = (model: string) =>
      chooseVendor({
        provider: model === "gpt-4o" ? "openai" : "ollama",
        model,
        baseUrl: undefined,
        keyVariable: undefined,
      }).vendor;
    const priceOf = createPriceOf(vendorOf);
    expect(await priceOf("deepseek-r1", usage)).toBeUndefined();
    expect(await priceOf("gpt-4o", { ...usage, cacheWriteTokens: 0 })).toBeCloseTo(0.5 * 2.5 + 0.5 * 1.25 + 1, 10);
  });
});

describe("what the context engine weighs by", () => {
  const typical = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 1.25, cacheMs: 300_000 };
  const row = (model: string, models = {}) =>
    priceRowOf(
      chooseVendor({ provider: undefined, model, baseUrl: undefined, keyVariable: undefined, models }),
      typical,
    );

  it("are the rates of the model and the tier above which it is dearer", () => {
    expect(row("gpt-5.5")).toMatchObject({ input: 5, output: 30, cacheRead: 0.1, cacheMs: 1_800_000, tierAt: 272_000 });
    expect(row("claude-sonnet-5-5")).toMatchObject({ input: 2, cacheRead: 0.05, cacheWrite: 1.25, cacheMs: 300_000 });
    expect(row("claude-haiku-5-5")).not.toHaveProperty("tierAt");
  });

  it("are the person's where they are set, and the vendor's usual ones where nothing is known", () => {
    expect(row("ollama/m", { m: { price } })).toMatchObject({ input: 2, output: 10, cacheRead: 0.1, cacheWrite: 1.25 });
    expect(row("ollama/m", { m: { price: { input: 0, output: 0 } } })).toEqual(typical);
    expect(row("groq/new-one")).toMatchObject({ input: 2, cacheRead: 0.5, cacheWrite: 1 });
    expect(row("ollama/gpt-oss:20b")).toEqual(typical);
  });
});
