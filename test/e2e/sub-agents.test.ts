import { describe, expect } from "vitest";
import { assertPairing, call, calls, fault, type RecordedRequest, text } from "../../src/testing/index.ts";
import { messagesOf, resultOf } from "../support/stream-events.ts";
import { contentText, lastToolText, toolNames, toolTexts } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

const isSub = (request: RecordedRequest) => !toolNames(request).includes("agent");
const usage = { inputTokens: 100, outputTokens: 10 };

describe("a sub-agent", () => {
  it("starts with nothing but its task, has no agent tool, and reports back", async ({ world }) => {
    const model = await world.model((request) => {
      if (isSub(request))
        return request.body.messages.length === 2 ? call("bash", { command: "cd / && pwd" }) : text("report: all fine");
      return request.body.messages.length === 2
        ? call("agent", { task: "look around" }, { id: "delegate" })
        : text("done");
    });
    const result = await world.run(["-p", "please delegate"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    const [first, sub, , after] = model.requests;
    expect(toolNames(first)).toContain("agent");
    expect(sub!.body.messages.map((message) => message.role)).toEqual(["system", "user"]);
    expect(contentText(sub!.body.messages[1])).toContain("look around");
    expect(sub!.rawBody).not.toContain("please delegate");
    expect(lastToolText(after)).toContain("report: all fine");
    assertPairing(model.requests);
  });

  it("has a current folder of its own", async ({ world }) => {
    const model = await world.model((request) => {
      const round = request.body.messages.length;
      if (isSub(request)) return round === 2 ? call("bash", { command: "cd /" }) : text("moved");
      if (round === 2) return call("agent", { task: "move" });
      return round === 4 ? call("bash", { command: "pwd" }) : text("done");
    });
    await world.run(["-p", "go"], { model });
    expect(lastToolText(model.requests.at(-1))).toContain(world.cwd);
  });

  it("has its report capped, with the whole of it kept where it can be read", async ({ world }) => {
    const report = `START ${"long report ".repeat(1700)} END`;
    const model = await world.model((request) => {
      if (isSub(request)) return text(report);
      return request.body.messages.length === 2 ? call("agent", { task: "write a lot" }) : text("done");
    });
    await world.run(["-p", "go"], { model });
    const told = lastToolText(model.requests.at(-1));
    expect(told.length).toBeLessThan(6000);
    expect(told).toContain("START");
    expect(told).toMatch(/#\d+|\//);
  });

  it("counts its tokens in the result, and its events name the call it belongs to", async ({ world }) => {
    const model = await world.model((request) => {
      const round = request.body.messages.length;
      if (isSub(request))
        return round === 2 ? calls([call("bash", { command: "echo sub" })], { usage }) : text("report", { usage });
      return round === 2
        ? calls([call("agent", { task: "work" }, { id: "delegate" })], { usage })
        : text("done", { usage });
    });
    const result = await world.run(["-p", "go", "--output-format", "stream-json", "-m", "gpt-4o"], { model });
    const end = resultOf(result.events);
    expect(end.usage).toMatchObject({ input_tokens: 400, output_tokens: 40 });
    expect(end.total_cost_usd).toBeCloseTo((400 * 2.5 + 40 * 10) / 1e6, 8);
    expect(end.result).toBe("done");
    const parents = messagesOf(result.events, "assistant").map((event) => event.parent_tool_use_id);
    expect(parents).toEqual([null, "delegate", "delegate", null]);
  });

  it("that fails gives its parent an error text, and the parent goes on", async ({ world }) => {
    const model = await world.model((request) => {
      if (isSub(request)) return fault(400, { error: { message: "the sub-agent's model is unwell" } });
      return request.body.messages.length === 2 ? call("agent", { task: "work" }) : text("done");
    });
    const result = await world.run(["-p", "go"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    expect(lastToolText(model.requests.at(-1))).toContain("the sub-agent's model is unwell");
  });

  it("is stopped after 20 rounds and says so", async ({ world }) => {
    const model = await world.model((request, index) => {
      if (isSub(request)) return call("bash", { command: `echo ${index}` });
      return request.body.messages.length === 2 ? call("agent", { task: "loop" }) : text("done");
    });
    const result = await world.run(["-p", "go"], { model });
    expect(result.code).toBe(0);
    expect(model.requests.filter(isSub)).toHaveLength(20);
    expect(lastToolText(model.requests.at(-1))).toMatch(/20|round/);
  });

  it("works beside others at the same time, and the reports keep the order of the calls", async ({ world }) => {
    const model = await world.model(async (request) => {
      if (!isSub(request)) {
        const tasks = ["first", "second", "third"].map((task) => call("agent", { task }));
        return request.body.messages.length === 2 ? calls(tasks) : text("done");
      }
      const task = contentText(request.body.messages[1]);
      return text(`report on ${task.trim()}`, { gapMs: task.includes("first") ? 150 : 100 });
    });
    await world.run(["-p", "go"], { model });
    const subs = model.requests.filter(isSub).map((request) => request.receivedAt);
    expect(Math.max(...subs) - Math.min(...subs)).toBeLessThan(400);
    const reports = toolTexts(model.requests.at(-1));
    expect(reports.map((report) => /report on \w+/.exec(report)?.[0])).toEqual([
      "report on first",
      "report on second",
      "report on third",
    ]);
  });

  it("spends its parent's money, and stops when it is gone", async ({ world }) => {
    const dear = { inputTokens: 1_000_000, outputTokens: 0 };
    const model = await world.model([
      call("agent", { task: "look around" }),
      calls([call("glob", { pattern: "*" })], { usage: dear }),
      text("never asked for"),
    ]);
    const result = await world.run(["-p", "go", "-m", "gpt-5.5", "--max-budget-usd", "0.01"], { model });
    expect(result.code).toBe(55);
    expect(model.requests).toHaveLength(2);
  });
});
