import { afterEach, describe, expect, it } from "vitest";
import {
  assertPairing,
  call,
  calls,
  errorEvent,
  eventsOf,
  fault,
  forever,
  type RequestBody,
  rawStream,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  stall,
  startScriptedModel,
  text,
} from "./index.ts";

let model: ScriptedModel;

async function start(script: Script, options?: ScriptedModelOptions): Promise<void> {
  model = await startScriptedModel(script, options);
}

function ask(extra: Partial<RequestBody> = {}, path = "/chat/completions", init: RequestInit = {}): Promise<Response> {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...extra });
  return fetch(`${model.url}${path}`, { method: "POST", body, ...init });
}

function dataOf(sse: string): unknown[] {
  return sse
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));
}

afterEach(() => model.close());

describe("a scripted model", () => {
  it("streams text as Chat Completions chunks that end with the finish reason and [DONE]", async () => {
    await start([text("hello there", { deltas: 3, finishReason: "length" })]);
    const sse = await (await ask({ stream: true })).text();
    const chunks = dataOf(sse) as { choices: { delta: { content?: string }; finish_reason: string | null }[] }[];
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("hello there");
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("length");
    expect(sse.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(sse).not.toContain("usage");
  });

  it("sends a usage chunk only when it is asked for", async () => {
    await start([text("x", { usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 4 } })]);
    const chunks = dataOf(await (await ask({ stream: true, stream_options: { include_usage: true } })).text());
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4 } },
    });
  });

  it("answers with one JSON body when the client does not stream", async () => {
    await start([calls([call("bash", { command: "ls" }, { id: "c1" })], { text: "look" })]);
    expect(await (await ask()).json()).toMatchObject({
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            content: "look",
            tool_calls: [{ id: "c1", function: { name: "bash", arguments: '{"command":"ls"}' } }],
          },
        },
      ],
    });
  });

  it("lets the fragments of interleaved calls take turns", async () => {
    const list = [call("a", "12", { fragments: 2 }), call("b", "34", { fragments: 2 })];
    await start([calls(list, { order: "interleaved" })]);
    const chunks = dataOf(await (await ask({ stream: true })).text()) as {
      choices: { delta: { tool_calls?: { index: number; function: { arguments: string } }[] } }[];
    }[];
    const seen = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(seen.map((piece) => `${piece.index}${piece.function.arguments}`)).toEqual([
      "0",
      "1",
      "01",
      "13",
      "02",
      "14",
    ]);
  });

  it("keeps the bytes when it cuts them anywhere", async () => {
    await start([text("für 日本 🦊")], { cutBytes: 1 });
    const chunks = dataOf(await (await ask({ stream: true })).text()) as {
      choices: { delta: { content?: string } }[];
    }[];
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("für 日本 🦊");
  });

  it("speaks Anthropic Messages on …/messages", async () => {
    await start([calls([call("bash", { command: "ls" })], { text: "look", reasoning: "hmm" })]);
    const events = dataOf(await (await ask({ stream: true }, "/messages")).text()) as { type: string }[];
    expect(events.filter(({ type }) => type === "content_block_start")).toMatchObject([
      { content_block: { type: "thinking" } },
      { content_block: { type: "text" } },
      { content_block: { type: "tool_use", name: "bash" } },
    ]);
    expect(events.at(-1)).toEqual({ type: "message_stop" });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
  });

  it("speaks OpenAI Responses on …/responses", async () => {
    await start([calls([call("bash", { command: "ls" })], { text: "look", reasoning: "hmm" })]);
    const body = { model: "m", input: "hi", stream: true, include: ["reasoning.encrypted_content"] };
    const sse = await (await fetch(`${model.url}/responses`, { method: "POST", body: JSON.stringify(body) })).text();
    const events = dataOf(sse) as { type: string; item?: { type: string } }[];
    expect(events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item)).toMatchObject([
      { type: "reasoning", encrypted_content: "c2NyaXB0ZWQ=" },
      { type: "message", content: [{ type: "output_text", text: "look" }] },
      { type: "function_call", name: "bash", arguments: '{"command":"ls"}' },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } });
  });

  it("speaks Gemini on …/models/NAME:streamGenerateContent, and whole on :generateContent", async () => {
    await start([calls([call("bash", { command: "ls" })], { text: "look", reasoning: "hmm" }), text("ok")]);
    const body = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] });
    const path = `${model.url}/models/m1:streamGenerateContent?alt=sse`;
    const pieces = dataOf((await (await fetch(path, { method: "POST", body })).text()).replaceAll("\r", "")) as {
      candidates: { content: { parts: object[] }; finishReason?: string }[];
    }[];
    expect(pieces.flatMap(({ candidates }) => candidates[0]!.content.parts)).toContainEqual({
      functionCall: { name: "bash", args: { command: "ls" } },
      thoughtSignature: "c2NyaXB0ZWQ=",
    });
    expect(pieces.at(-1)?.candidates[0]?.finishReason).toBe("STOP");
    const whole = await fetch(`${model.url}/models/m1:generateContent`, { method: "POST", body });
    expect(await whole.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "ok" }] } }] });
    expect(model.requests.map(({ body: sent }) => sent.model)).toEqual(["m1", "m1"]);
  });

  it("tells a conversation in one way, whatever the wire", async () => {
    await start(() => text("ok"));
    const made = { name: "bash", arguments: '{"a":1}' };
    const post = (path: string, body: object) =>
      fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify({ model: "m", ...body }) });
    await post("/chat/completions", {
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: [{ type: "text", text: "u" }] },
        { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: made }] },
        { role: "tool", tool_call_id: "c", content: "r" },
      ],
    });
    await post("/responses", {
      instructions: "s",
      input: [
        { role: "user", content: "u" },
        { type: "function_call", call_id: "c", ...made },
        { type: "function_call_output", call_id: "c", output: "r" },
      ],
    });
    await post("/messages", {
      system: "s",
      messages: [
        { role: "user", content: "u" },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "bash", input: { a: 1 } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "r" }] },
      ],
    });
    await post("/models/m:generateContent", {
      systemInstruction: { parts: [{ text: "s" }] },
      contents: [
        { role: "user", parts: [{ text: "u" }] },
        { role: "model", parts: [{ functionCall: { id: "c", name: "bash", args: { a: 1 } } }] },
        { role: "user", parts: [{ functionResponse: { id: "c", name: "bash", response: { output: "r" } } }] },
      ],
    });
    expect(model.requests).toHaveLength(4);
    for (const { conversation } of model.requests)
      expect(conversation).toMatchObject([
        { role: "system", content: "s" },
        { role: "user", content: "u" },
        { role: "assistant", content: "", tool_calls: [{ id: "c", function: made }] },
        { role: "tool", tool_call_id: "c", content: "r" },
      ]);
    assertPairing(model.requests.map(({ conversation }) => ({ body: { messages: conversation } })));
  });

  it("gives away the events of an answer, to be broken on purpose", () => {
    for (const wire of ["openai-chat", "openai-responses", "anthropic-messages", "gemini-generate-content"] as const) {
      const events = eventsOf(wire, text("hello"));
      expect(events.join("")).toContain("hello");
      for (const event of events) expect(event).toMatch(/^(?:event: .*\n)?data: .*\r?\n\r?\n$/);
      expect(errorEvent(wire, { status: 500, type: "server_error", message: "boom" })).toContain("boom");
    }
  });

  it("records what was asked, byte for byte, and tells who waits for it", async () => {
    await start([text("a")]);
    const waiting = model.waitForRequest(1);
    await ask({ note: "ü" }, "/chat/completions", { headers: { authorization: "Bearer k" } });
    const request = await waiting;
    expect(request).toBe(model.requests[0]);
    expect(request).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer k" },
    });
    expect(JSON.parse(request.rawBody)).toEqual(request.body);
    expect(request.body.note).toBe("ü");
  });

  it("says that the script is over instead of repeating the last reply", async () => {
    await start([text("a")]);
    await ask();
    const late = await ask();
    expect(late.status).toBe(500);
    expect(await late.text()).toContain("The script is over: request 2 came, but the script has only 1 replies");
    expect(model.overruns).toBe(1);
  });

  it("repeats a reply that is meant forever", async () => {
    await start([text("a"), forever(text("b"))]);
    const answers = [];
    for (let i = 0; i < 4; i++)
      answers.push(
        ((await (await ask()).json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content,
      );
    expect(answers).toEqual(["a", "b", "b", "b"]);
  });

  it("asks a script function for each reply, and reports what it throws", async () => {
    await start((request, index) => {
      if (index === 1) throw new Error("no idea");
      return text(`${index}:${request.body.model}`);
    });
    expect(await (await ask()).text()).toContain("0:m");
    expect(await (await ask()).text()).toContain("The script threw at request 2: Error: no idea");
  });

  it("fails with the status, body and headers it is told to", async () => {
    await start([fault(429, undefined, { "retry-after": "2" }), fault(503, "<html>busy</html>")]);
    const first = await ask();
    expect([first.status, first.headers.get("retry-after")]).toEqual([429, "2"]);
    const second = await ask();
    expect([second.headers.get("content-type"), await second.text()]).toEqual(["text/html", "<html>busy</html>"]);
  });

  it.each(["hangup", "reset"] as const)("breaks the connection after the bytes on %s", async (end) => {
    await start([rawStream({ chunks: ["data: 1\n\n"], end })]);
    const reader = (await ask({ stream: true })).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: 1\n\n");
    await expect(reader?.read()).rejects.toThrow();
  });

  it("stays silent when it stalls, until the client or the server leaves", async () => {
    await start([stall(), rawStream({ chunks: [], end: "keepalive-stall", keepaliveMs: 5 })]);
    const abort = new AbortController();
    const silent = ask({}, "/chat/completions", { signal: abort.signal });
    await model.waitForRequest(1);
    abort.abort();
    await expect(silent).rejects.toThrow();
    const reader = (await ask()).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(": keep-alive\n\n");
    const never = model.waitForRequest(3);
    await model.close();
    await expect(never).rejects.toThrow("closed after 2 requests");
  });

  it("refuses what is no request to a model, without using up the script", async () => {
    await start([text("a")], { models: ["tiny"] });
    expect((await fetch(`${model.url}/nothing`)).status).toBe(404);
    expect((await fetch(`${model.url}/chat/completions`, { method: "POST", body: "[" })).status).toBe(400);
    expect(await (await fetch(`${model.url}/models`)).json()).toMatchObject({ data: [{ id: "tiny" }] });
    expect(model.requests).toHaveLength(0);
    expect((await ask()).status).toBe(200);
  });
});

describe("assertPairing", () => {
  const asks = (...ids: string[]) => ({
    role: "assistant",
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "bash", arguments: "{}" } })),
  });
  const answers = (id: string) => ({ role: "tool", tool_call_id: id, content: "" });
  const user = { role: "user", content: "x" };
  const check =
    (...messages: Parameters<typeof assertPairing>[0][number]["body"]["messages"][number][]) =>
    () =>
      assertPairing([{ body: { messages } }]);

  it("accepts calls that are all answered, in any order", async () => {
    await start([]);
    expect(check(user, asks("a", "b"), answers("b"), answers("a"), user, asks("a"), answers("a"))).not.toThrow();
  });

  it("names the call that nobody answered", () => {
    expect(check(user, asks("a", "b"), answers("a"), user)).toThrow(
      /Request 1: messages\[3\] \(user\) comes before the answer to b/,
    );
    expect(check(user, asks("a"))).toThrow("the request ends before the answer to a");
  });

  it("names the answer that nobody asked for", () => {
    expect(check(user, answers("z"))).toThrow("messages[1] (tool) answers z, which is no open call");
    expect(check(asks("a"), answers("a"), answers("a"))).toThrow("answers a, which is no open call");
  });

  it("refuses two calls with one id", () => {
    expect(check(asks("a", "a"), answers("a"))).toThrow("has two calls with the id a");
  });

  it("reads Anthropic blocks as well", () => {
    const use = { role: "assistant", content: [{ type: "tool_use", id: "t" }] };
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] };
    expect(check(user, use, result)).not.toThrow();
    expect(check(user, use, user)).toThrow("comes before the answer to t");
  });
});
