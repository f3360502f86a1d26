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
  ])("for %j is %s", (input, expected) => {
    expect(summary(input)).toBe(expected);
  });

  it("must be named together with a model when it has no default", () => {
    expect(() => chooseVendor({ ...nothing, provider: "ollama" })).toThrow(/Which model of ollama/);
  });

  it("never receives another vendor's key, unless the person chose the address", () => {
    const openai = chooseVendor(nothing);
    expect(mayReceive(openai, "OPENAI_API_KEY")).toBe(true);
    expect(mayReceive(openai, "DEEPSEEK_API_KEY")).toBe(false);
    expect(mayReceive(openai, "CORECODER_API_KEY")).toBe(true);
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
