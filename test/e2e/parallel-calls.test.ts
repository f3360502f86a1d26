import { describe, expect } from "vitest";
import { assertPairing, call, calls, rawStream, text } from "../../src/testing/index.ts";
import { toolTexts } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

describe("several calls in one answer", () => {
  it("that only read run at the same time, and their results keep the order of the calls", async ({ world }) => {
    const commands = ["sleep 0.9; echo A", "sleep 0.5; echo B", "sleep 0.7; echo C"];
    const model = await world.model([calls(commands.map((command) => call("bash", { command }))), text("ok")]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    expect(model.requests[1]!.receivedAt - model.requests[0]!.receivedAt).toBeLessThan(1700);
    expect(toolTexts(model.requests[1]).map((one) => one.trim().split("\n")[0])).toEqual(["A", "B", "C"]);
    assertPairing(model.requests);
  });

  it("that edit one file are applied one after the other", async ({ world }) => {
    world.write("list.txt", "one\ntwo\nthree\n");
    const edit = (old: string, fresh: string) =>
      call("edit_file", { file_path: "list.txt", old_string: old, new_string: fresh });
    const model = await world.model([
      call("read_file", { file_path: "list.txt" }),
      calls([edit("one", "1"), edit("two", "2"), edit("1\n2", "12")]),
      text("ok"),
    ]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    expect(world.read("list.txt")).toBe("12\nthree\n");
  });

  it("see what the calls before them did, when one of those writes", async ({ world }) => {
    const model = await world.model([
      calls([
        call("bash", { command: "cat note.txt" }),
        call("write_file", { file_path: "note.txt", content: "written\n" }),
        call("bash", { command: "cat note.txt" }),
      ]),
      text("ok"),
    ]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    const [before, , after] = toolTexts(model.requests[1]);
    expect(before).toMatch(/No such file/);
    expect(after).toContain("written");
  });

  it("that only read start while the model is still talking", async ({ world }) => {
    const payloads = [
      {
        tool_calls: [
          {
            index: 0,
            id: "a",
            type: "function",
            function: { name: "bash", arguments: '{"command":"sleep 0.8; echo A"}' },
          },
        ],
      },
      {
        tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "glob", arguments: '{"pattern":"*"}' } }],
      },
    ].map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
    const chunks = [...payloads, end].map((payload) => `data: ${JSON.stringify(payload)}\n\n`);
    const model = await world.model([
      rawStream({ chunks: [...chunks, "data: [DONE]\n\n"], gapMs: 400, end: "close" }),
      text("ok"),
    ]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    const elapsed = model.requests[1]!.receivedAt - model.requests[0]!.receivedAt;
    expect(elapsed).toBeLessThan(2200);
    expect(toolTexts(model.requests[1])[0]).toContain("A");
  });
});
