import { describe, expect, it } from "vitest";
import { chooseVendor, mayReceive, problemWithBaseUrl, problemWithProvider } from "./choose-vendor.ts";

const nothing = { provider: undefined, model: undefined, baseUrl: undefined, keyVariable: undefined };
const summary = (input: Partial<Parameters<typeof chooseVendor>[0]>) => {
  const { vendor, model, baseUrl } = chooseVendor({ ...nothing, ...input });
  return `${vendor.name} ${model} ${new URL(baseUrl).host} ${vendor.protocol ?? "openai-chat"}`;
};

describe("the vendor", () => {
  it.each([
    [{}, "openai gpt-5.5 api.openai.com openai-responses"],
    [{ model: "deepseek-chat" }, "deepseek deepseek-chat api.deepseek.com openai-chat"],
    [{ model: "claude-sonnet-4-5" }, "anthropic claude-sonnet-4-5 api.anthropic.com anthropic-messages"],
    [{ model: "ollama/qwen3:8b" }, "ollama qwen3:8b 127.0.0.1:11434 openai-chat"],
    [{ provider: "groq", model: "llama-4" }, "groq llama-4 api.groq.com openai-chat"],
    [{ keyVariable: "DEEPSEEK_API_KEY" }, "deepseek deepseek-chat api.deepseek.com openai-chat"],
    [{ model: "anything", keyVariable: "DEEPSEEK_API_KEY" }, "openai anything api.openai.com openai-responses"],
    [
      { model: "deepseek/deepseek-chat", baseUrl: "https://gateway.example/v1" },
      "deepseek deepseek/deepseek-chat gateway.example openai-chat",
    ],
    [
      { model: "claude-sonnet-4-5", baseUrl: "https://gateway.example/v1" },
      "anthropic claude-sonnet-4-5 gateway.example openai-chat",
    ],
    [
      { provider: "anthropic", model: "claude-sonnet-4-5", baseUrl: "https://gateway.example/v1" },
      "anthropic claude-sonnet-4-5 gateway.example anthropic-messages",
    ],
    [{ model: "gemini-3-pro" }, "gemini gemini-3-pro generativelanguage.googleapis.com gemini-generate-content"],
    [{ model: "grok-4" }, "xai grok-4 api.x.ai openai-responses"],
    [{ baseUrl: "https://api.openai.com/v1/" }, "openai gpt-5.5 api.openai.com openai-responses"],
    [{ provider: "openai", baseUrl: "http://127.0.0.1:1/v1" }, "openai gpt-5.5 127.0.0.1:1 openai-chat"],
    [
      { provider: "openai-responses", baseUrl: "http://127.0.0.1:1/v1" },
      "openai-responses gpt-5.5 127.0.0.1:1 openai-responses",
    ],
    [
      { provider: "gemini", model: "gemini-x", baseUrl: "http://127.0.0.1:1/v1" },
      "gemini gemini-x 127.0.0.1:1 gemini-generate-content",
    ],
    [
      { model: "azure/my-deployment", baseUrl: "https://me.openai.azure.com" },
      "azure my-deployment me.openai.azure.com openai-chat",
    ],
    [{ model: "custom/m", baseUrl: "https://llm.example/v1" }, "custom m llm.example openai-chat"],
  ])("for %j is %s", (input, expected) => {
    expect(summary(input)).toBe(expected);
  });

  it("must be named together with a model when it has no default", () => {
    expect(() => chooseVendor({ ...nothing, provider: "ollama" })).toThrow(/Which model of ollama/);
  });

  it.each(["azure", "custom"])("%s must be told where it is", (provider) => {
    expect(() => chooseVendor({ ...nothing, provider, model: "m" })).toThrow(/Where is your .* --base-url/);
    expect(() => chooseVendor({ ...nothing, model: `${provider}/m` })).toThrow(/--base-url/);
  });

  it("never receives another vendor's key, unless the person chose the address", () => {
    const openai = chooseVendor(nothing);
    expect(mayReceive(openai, "OPENAI_API_KEY")).toBe(true);
    expect(mayReceive(openai, "DEEPSEEK_API_KEY")).toBe(false);
    expect(mayReceive(openai, "CORECODER_API_KEY")).toBe(true);
    expect(mayReceive(chooseVendor({ ...nothing, provider: "openai-responses" }), "OPENAI_API_KEY")).toBe(true);
    expect(mayReceive(chooseVendor({ ...nothing, model: "gemini-3-pro" }), "GOOGLE_API_KEY")).toBe(true);
    expect(mayReceive(chooseVendor({ ...nothing, baseUrl: "http://127.0.0.1:1/v1" }), "DEEPSEEK_API_KEY")).toBe(true);
  });

  it("and its address are checked before they are used", () => {
    expect(problemWithProvider("nobody")).toMatch(/unknown provider "nobody"/);
    expect(problemWithProvider("openai")).toBeUndefined();
    expect(problemWithBaseUrl("not a url")).toMatch(/no http/);
    expect(problemWithBaseUrl("file:///etc/passwd")).toMatch(/no http/);
    expect(problemWithBaseUrl("http://localhost:8080/v1")).toBeUndefined();
  });
});
