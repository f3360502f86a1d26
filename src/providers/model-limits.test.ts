import { describe, expect, it } from "vitest";
import { chooseVendor } from "./choose-vendor.ts";
import { familyRows } from "./model-families.ts";
import { canAskWindow, knownLimits, limitsOf, windowOf } from "./model-limits.ts";
import { limitsRows, limitsTakenOn } from "./model-limits-data.ts";
import { vendors } from "./vendors.ts";

describe("the limits of a model", () => {
  it.each([
    ["gpt-5.5", 922_000, 128_000],
    ["gpt-5.4-mini-2026-03-17", 272_000, 128_000],
    ["gpt-4o-2024-11-20", 128_000, 16_384],
    ["gpt-4-0613", 8_192, 8_192],
    ["claude-sonnet-4-5-20250929", 200_000, 64_000],
    ["claude-sonnet-4-20250514", 200_000, 64_000],
    ["anthropic/claude-opus-4.6", 1_000_000, 128_000],
    ["models/gemini-2.5-flash", 1_048_576, 65_536],
    ["openai/gpt-oss-120b:free", 131_072, 65_536],
    ["devstral-small-2607", 262_144, 262_144],
    ["deepseek-v4.1-flash", 1_000_000, 384_000],
    ["o3-mini", 200_000, 100_000],
  ])("%s are known by the longest beginning of its name", (model, windowTokens, outputTokens) => {
    expect(limitsOf(model)).toMatchObject({ windowTokens, outputTokens });
  });

  it.each(["my-own-model", "gpt-40b", "gpt", "o30", ""])("%s are not known, and not guessed", (model) => {
    expect(limitsOf(model)).toBeUndefined();
  });

  it("tell who can see", () => {
    expect(limitsOf("gpt-4o")?.images).toBe(true);
    expect(limitsOf("deepseek-chat")?.images).toBe(false);
    expect(limitsOf("glm-4.5v")?.images).toBe(true);
    expect(limitsOf("glm-4.5-air")?.images).toBe(false);
  });

  it("are sound: dated, once each, of a vendor's own models or of models that many serve", () => {
    expect(limitsTakenOn).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const rows of [limitsRows, familyRows]) expect(new Set(rows.map(([prefix]) => prefix)).size).toBe(rows.length);
    for (const [prefix, windowTokens, outputTokens, abilities] of [...limitsRows, ...familyRows]) {
      expect(windowTokens).toBeGreaterThanOrEqual(outputTokens);
      expect(abilities).toMatch(/^i?r?t?$/);
      const isOwned = vendors.some(({ models }) => models?.test(prefix));
      expect([prefix, isOwned || /^(gpt-oss|llama|gemma|ministral|minimax|pixtral|open-mistral)/.test(prefix)]).toEqual(
        [prefix, true],
      );
    }
  });

  it("decide the window, unless a local server does", () => {
    const of = (model: string) =>
      windowOf(chooseVendor({ provider: undefined, model, baseUrl: undefined, keyVariable: undefined }));
    expect(of("claude-opus-5")).toBe(1_000_000);
    expect(of("claude-unheard-of")).toBe(200_000);
    expect(of("ollama/qwen3-coder:30b")).toBeUndefined();
  });

  it("are first of all what the person says, field by field", () => {
    const models = {
      "claude-opus-5": { window: 300_000, images: false },
      "ollama/mine": { window: 40_000, output: 4_096 },
    };
    const choose = (model: string) =>
      chooseVendor({ provider: undefined, model, baseUrl: undefined, keyVariable: undefined, models });
    expect(windowOf(choose("claude-opus-5"))).toBe(300_000);
    expect(knownLimits(choose("claude-opus-5"))).toMatchObject({
      windowTokens: 300_000,
      outputTokens: 128_000,
      images: false,
    });
    expect(windowOf(choose("ollama/mine"))).toBe(40_000);
    expect(choose("ollama/other").settings).toBeUndefined();
    expect(knownLimits(choose("ollama/mine"))).toEqual({ windowTokens: 40_000, outputTokens: 4_096 });
  });

  it("are asked of servers that tell, and of nobody else", () => {
    const asks = (model: string, more: object = {}) =>
      canAskWindow(chooseVendor({ provider: undefined, model, baseUrl: undefined, keyVariable: undefined, ...more }));
    expect(asks("ollama/qwen3-coder:30b")).toBe(true);
    expect(asks("openrouter/somebody/new-model")).toBe(true);
    expect(asks("openrouter/anthropic/claude-opus-5")).toBe(false);
    expect(asks("gpt-9")).toBe(false);
    expect(asks("new-model", { baseUrl: "http://127.0.0.1:9/v1" })).toBe(false);
    expect(asks("new-model", { baseUrl: "http://127.0.0.1:9/v1", provider: "custom" })).toBe(true);
    expect(asks("ollama/m", { models: { m: { window: 9_000 } } })).toBe(false);
  });
});
