import { describe, expect, it } from "vitest";
import { chooseVendor } from "./choose-vendor.ts";
import { limitsOf, windowOf } from "./model-limits.ts";
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
    ["openai/gpt-oss-120b:free", 131_072, 32_768],
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
    const names = limitsRows.map(([prefix]) => prefix);
    expect(new Set(names).size).toBe(names.length);
    for (const [prefix, windowTokens, outputTokens, abilities] of limitsRows) {
      expect(windowTokens).toBeGreaterThanOrEqual(outputTokens);
      expect(abilities).toMatch(/^i?r?t?$/);
      const isOwned = vendors.some(({ models }) => models?.test(prefix));
      expect([prefix, isOwned || /^(gpt-oss|llama|gemma|ministral)/.test(prefix)]).toEqual([prefix, true]);
    }
  });

  it("decide the window, unless a local server does", () => {
    const of = (model: string) =>
      windowOf(chooseVendor({ provider: undefined, model, baseUrl: undefined, keyVariable: undefined }));
    expect(of("claude-opus-5")).toBe(1_000_000);
    expect(of("claude-unheard-of")).toBe(200_000);
    expect(of("ollama/qwen3-coder:30b")).toBeUndefined();
  });
});
