import { describe, expect, it } from "vitest";
import type { RecallAnswer, RecallRequest } from "../contracts/context.ts";
import { ToolError } from "../contracts/errors.ts";
import type { Tool, ToolContext } from "../contracts/tool.ts";
import { recall } from "./recall.ts";

const tool = recall as unknown as Tool<unknown>;

function contextAnswering(answer: RecallAnswer) {
  const requests: RecallRequest[] = [];
  const recallIt = (request: RecallRequest) => {
    requests.push(request);
    return answer;
  };
  const context = { recall: recallIt } as unknown as ToolContext;
  return { context, requests };
}

describe("recall", () => {
  it("passes the whole request on and answers with what was found", async () => {
    const { context, requests } = contextAnswering({ isFound: true, text: "[#12 bash]\nfound" });
    const request = { id: "#12", offset: 3, limit: 5, pattern: "x" };
    expect(await tool.run(request, context)).toEqual({ text: "[#12 bash]\nfound" });
    expect(requests).toEqual([request]);
  });

  it("fails with the advice of the engine when nothing was found", async () => {
    const { context } = contextAnswering({ isFound: false, text: "There is no result #99. Use query." });
    const failure = tool.run({ id: "#99" }, context);
    await expect(failure).rejects.toThrow("There is no result #99. Use query.");
    await expect(failure).rejects.toBeInstanceOf(ToolError);
  });

  it("only reads", () => {
    expect(tool.effect).toBe("read");
  });

  it.each([
    [{ id: 12 }, /id/],
    [{ id: "#1", offset: 0 }, /offset/],
    [{ id: "#1", limit: -1 }, /limit/],
    [{ query: ["a"] }, /query/],
  ])("refuses %j before it runs", (input, problem) => {
    expect(tool.input.problems(input).join("\n")).toMatch(problem);
  });
});
