import { countTokens } from "gpt-tokenizer";
import { describe, expect } from "vitest";
import { assertPairing, call, calls, text } from "../../src/testing/index.ts";
import { it } from "../support/world.ts";

describe("the requests of one conversation", () => {
  it("extend each other byte for byte, so that the vendor's prompt cache holds", async ({ world }) => {
    world.write("a.txt", "alpha\n");
    const model = await world.model([
      calls([call("read_file", { file_path: "a.txt" }), call("bash", { command: "cd / && pwd" })], {
        text: "Look.",
        reasoning: "hm",
      }),
      call("edit_file", { file_path: "a.txt", old_string: "nothing", new_string: "x" }),
      call("nope", '{"broken'),
      call("todo_write", { todos: [{ content: "one", status: "pending" }] }),
      text("half", { finishReason: "length" }),
      text("done"),
    ]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    expect(model.requests).toHaveLength(6);
    assertPairing(model.requests);
    for (const [at, { body }] of model.requests.entries()) {
      const before = model.requests[at - 1]?.body;
      if (before === undefined) continue;
      expect(JSON.stringify(body.messages.slice(0, before.messages.length))).toBe(JSON.stringify(before.messages));
      expect(JSON.stringify(body.tools)).toBe(JSON.stringify(before.tools));
    }
  });

  it("begin with the same system prompt and tools in two sessions of one day", async ({ world }) => {
    const model = await world.model([text("ok"), text("ok")]);
    await world.run(["-p", "one"], { model });
    await world.run(["-p", "two"], { model });
    const [first, second] = model.requests.map(({ body }) => [body.messages[0], body.tools]);
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  });

  it("cost less than 2,500 tokens for system prompt and tools", async ({ world }) => {
    const model = await world.model([text("ok")]);
    await world.run(["-p", "hi"], { model });
    const { messages, tools } = model.requests[0]!.body;
    expect(countTokens(JSON.stringify([messages[0], tools]))).toBeLessThan(2500);
  });
});
