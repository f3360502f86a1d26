import { describe, expect, it } from "vitest";
import type { Effort } from "../contracts/provider.ts";
import { effortFields } from "./effort.ts";
import { vendorNamed, vendors } from "./vendors.ts";

const levels: readonly Effort[] = ["off", "low", "medium", "high", "max"];
const say = (vendor: string, model: string, effort: Effort | undefined) =>
  effortFields(vendorNamed(vendor)?.effort ?? [], model, effort);

describe("effort", () => {
  it.each<[string, string, Effort, object]>([
    ["openai", "gpt-5.5", "max", { reasoning_effort: "xhigh" }],
    ["openai", "gpt-5.5", "off", { reasoning_effort: "none" }],
    ["openai", "gpt-5.6-sol", "max", { reasoning_effort: "max" }],
    ["openai", "gpt-6-sol", "low", { reasoning_effort: "low" }],
    ["openai", "gpt-5-mini", "off", { reasoning_effort: "minimal" }],
    ["openai", "o3", "off", { reasoning_effort: "low" }],
    ["openai", "gpt-4o", "high", {}],
    ["openai", "something-local", "high", { reasoning_effort: "high" }],
    ["anthropic", "claude-3-5-sonnet-20241022", "high", {}],
    ["anthropic", "claude-sonnet-4-5", "off", {}],
    ["anthropic", "claude-sonnet-4-5", "medium", { thinking: { type: "enabled", budget_tokens: 10_000 } }],
    ["anthropic", "claude-opus-4-6", "off", {}],
    ["anthropic", "claude-opus-5", "off", { thinking: { type: "disabled" } }],
    [
      "anthropic",
      "claude-opus-4-8",
      "max",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "max" } },
    ],
    [
      "anthropic",
      "claude-opus-5-5",
      "off",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
    ],
    ["gemini", "gemini-2.5-flash", "off", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    [
      "gemini",
      "gemini-3-pro-preview",
      "high",
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "high" } } },
    ],
    ["deepseek", "deepseek-v4-pro", "off", { thinking: { type: "disabled" } }],
    ["deepseek", "deepseek-v4-pro", "medium", { thinking: { type: "enabled" }, reasoning_effort: "high" }],
    ["openrouter", "anthropic/claude-opus-5", "max", { reasoning: { effort: "xhigh" } }],
    ["xai", "grok-code-fast-1", "high", {}],
    ["xai", "grok-4.3", "off", { reasoning_effort: "none" }],
    ["groq", "openai/gpt-oss-120b", "medium", { reasoning_effort: "medium" }],
    ["moonshot", "kimi-k2.6", "off", { thinking: { type: "disabled" } }],
    ["moonshot", "kimi-k3", "max", { reasoning_effort: "max" }],
    ["qwen", "qwen3.7-max", "off", { enable_thinking: false }],
    ["zai", "glm-5", "high", { thinking: { type: "enabled", clear_thinking: false } }],
    ["mistral", "mistral-medium-latest", "low", { reasoning_effort: "high" }],
    ["llamacpp", "any", "off", { chat_template_kwargs: { enable_thinking: false } }],
    ["ollama", "any", "max", { reasoning_effort: "high" }],
    ["azure", "gpt-5.5", "high", { reasoning_effort: "high" }],
  ])("of %s for %s, %s, is said in the vendor's words", (vendor, model, effort, fields) => {
    expect(say(vendor, model, effort)).toEqual(fields);
  });

  it("that nobody asked for is not said", () => {
    for (const { name } of vendors) expect(say(name, "any-model", undefined)).toEqual({});
  });

  it.each(vendors.filter(({ effort }) => effort !== undefined))(
    "of $name never throws and is plain data",
    ({ name }) => {
      for (const model of ["", "any-model", "gpt-5", "claude-x"])
        for (const level of levels)
          expect(JSON.parse(JSON.stringify(say(name, model, level)))).toEqual(say(name, model, level));
    },
  );

  it("can be asked of every vendor", () => {
    expect(vendors.filter(({ effort }) => effort === undefined).map(({ name }) => name)).toEqual([]);
  });
});
