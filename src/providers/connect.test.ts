import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelRequest } from "../contracts/provider.ts";
import { type ScriptedModel, startScriptedModel, text } from "../testing/index.ts";
import { chooseVendor } from "./choose-vendor.ts";
import { connect } from "./connect.ts";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel(() => text("ok"));
});
afterAll(() => model.close());

async function send(provider: string, name: string, path: string, more: Partial<ModelRequest> = {}) {
  const baseUrl = `http://127.0.0.1:${model.port}${path}`;
  const choice = chooseVendor({ provider, model: name, baseUrl, keyVariable: undefined });
  const memory = { recall: () => ({}), learn: () => {} };
  const messages = [{ id: "1", role: "user" as const, parts: [{ type: "text" as const, text: "hi" }] }];
  await connect({ choice, apiKey: "k", idleTimeoutMs: 1000, memory }).stream(
    { model: choice.model, system: "", tools: [], messages, ...more },
    { signal: new AbortController().signal, onEvent: () => {} },
  );
  return model.requests.at(-1)!;
}

describe("a vendor's row decides", () => {
  it("the path and the header for Azure: a deployment behind a bare host, or what the address says", async () => {
    const bare = await send("azure", "my gpt", "");
    expect(bare.path).toMatch(/^\/openai\/deployments\/my%20gpt\/chat\/completions\?api-version=\d{4}-\d\d-\d\d/);
    expect(bare.headers).toMatchObject({ "api-key": "k" });
    expect(bare.headers.authorization).toBeUndefined();
    expect((await send("azure", "gpt", "/openai/v1")).path).toBe("/openai/v1/chat/completions");
    const dated = await send("azure", "gpt", "/openai/deployments/x?api-version=2024-10-21");
    expect(dated.path).toBe("/openai/deployments/x/chat/completions?api-version=2024-10-21");
  });

  it("the key's header on each wire", async () => {
    expect((await send("openai", "m", "/v1")).headers.authorization).toBe("Bearer k");
    expect((await send("anthropic", "m", "/v1")).headers["x-api-key"]).toBe("k");
    expect((await send("gemini", "m", "/v1")).headers["x-goog-api-key"]).toBe("k");
    expect((await send("gemini", "models/m", "/v1")).path).toBe("/v1/models/m:streamGenerateContent?alt=sse");
  });

  it("how effort is said, and what else a model wants", async () => {
    const body = async (...args: Parameters<typeof send>) => (await send(...args)).body;
    expect(await body("openai", "gpt-5.5", "/v1", { effort: "low" })).toMatchObject({ reasoning_effort: "low" });
    expect(await body("openai-responses", "gpt-5.5", "/v1", { effort: "low" })).toMatchObject({
      reasoning: { effort: "low", summary: "auto" },
    });
    const claude = await body("anthropic", "claude-sonnet-4-5", "/v1", { effort: "high", temperature: 0 });
    expect(claude).toMatchObject({ thinking: { budget_tokens: 20_000 }, max_tokens: 52_000 });
    expect(claude).not.toHaveProperty("temperature");
    expect(await body("gemini", "gemini-3-pro", "/v1", { effort: "low", temperature: 0 })).toMatchObject({
      generationConfig: { temperature: 0, thinkingConfig: { thinkingLevel: "low" } },
    });
    const routed = await body("openrouter", "anthropic/claude-opus-5", "/v1", { effort: "max", sessionId: "s" });
    expect(routed).toMatchObject({
      reasoning: { effort: "xhigh" },
      cache_control: { type: "ephemeral" },
      session_id: "s",
    });
    expect(await body("openrouter", "openai/gpt-5.5", "/v1")).not.toHaveProperty("cache_control");
  });

  it("which ids of calls fit", async () => {
    const calls = [
      {
        id: "2",
        role: "assistant",
        parts: [{ type: "tool-call", callId: "toolu_01ABCDEF", tool: "bash", input: {}, rawInput: "{}" }],
      },
      {
        id: "3",
        role: "tool",
        parts: [{ type: "tool-result", callId: "toolu_01ABCDEF", tool: "bash", text: "", isError: false, handle: "" }],
      },
    ] as unknown as ModelRequest["messages"];
    const messages = [{ id: "1", role: "user", parts: [] }, ...calls] as ModelRequest["messages"];
    const { conversation } = await send("mistral", "devstral-latest", "/v1", { messages });
    const id = conversation.find(({ role }) => role === "assistant")?.tool_calls?.[0]?.id;
    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(conversation.find(({ role }) => role === "tool")?.tool_call_id).toBe(id);
  });

  it("that a model which cannot see is told of an image in words", async () => {
    const image = { type: "image" as const, mediaType: "image/png", base64: "aGVsbG8=" };
    const messages = [{ id: "1", role: "user" as const, parts: [image] }];
    expect((await send("deepseek", "deepseek-chat", "/v1", { messages })).rawBody).toContain("cannot see");
    expect((await send("openai", "gpt-4o", "/v1", { messages })).rawBody).toContain("aGVsbG8=");
  });
});
