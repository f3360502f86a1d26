import { describe, expect, it } from "vitest";
import { vendorOfModel, vendors } from "./vendors.ts";

describe("the rows of vendors", () => {
  it("are those that people use", () => {
    expect(vendors.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...["openai", "anthropic", "gemini", "deepseek", "openrouter", "xai", "mistral", "groq", "moonshot", "qwen"],
        ...["zai", "azure", "ollama", "lmstudio", "llamacpp", "vllm", "custom"],
      ]),
    );
  });

  it.each(vendors)("$name is sound", ({ name, baseUrl, keyVariables, cache, windowTokens, needsKey }) => {
    expect(name).toMatch(/^[a-z][a-z-]*$/);
    expect(vendors.filter((other) => other.name === name)).toHaveLength(1);
    expect(URL.canParse(baseUrl)).toBe(true);
    expect(baseUrl).not.toMatch(/\/$/);
    for (const variable of keyVariables) expect(variable).toMatch(/^[A-Z][A-Z0-9_]*_KEY$/);
    expect(keyVariables.length > 0).toBe(needsKey);
    if (cache) {
      expect(cache.read).toBeGreaterThan(0);
      expect(cache.read).toBeLessThanOrEqual(1);
      expect(cache.write).toBeGreaterThanOrEqual(1);
      expect(cache.keptMs).toBeGreaterThanOrEqual(60_000);
    }
    expect(windowTokens ?? 128_000).toBeGreaterThanOrEqual(128_000);
  });

  it("do not fight over a model", () => {
    const names = ["gpt-5.5", "o3", "claude-opus-5", "gemini-3-pro", "deepseek-chat", "grok-4", "mistral-large-latest"];
    for (const model of [...names, "kimi-k3", "qwen3-max", "glm-5", "codestral-latest"])
      expect(vendors.filter(({ models }) => models?.test(model))).toHaveLength(1);
    expect(vendorOfModel("gpt-oss-120b")).toBeUndefined();
    expect(vendorOfModel("llama-3.3-70b")).toBeUndefined();
  });

  it("are named by a prefix of the model", () => {
    expect(vendorOfModel("groq/openai/gpt-oss-120b")).toMatchObject({
      vendor: { name: "groq" },
      model: "openai/gpt-oss-120b",
    });
    expect(vendorOfModel("openrouter/anthropic/claude-opus-5")).toMatchObject({ model: "anthropic/claude-opus-5" });
  });
});
