import { describe, expect, it } from "vitest";
import type { Tool, ToolContext } from "../contracts/tool.ts";
import { compact } from "./compact.ts";

const tool = compact as unknown as Tool<unknown>;

describe("compact", () => {
  it.each([
    [{ focus: "the port" }, "the port"],
    [{}, undefined],
  ])("with %j asks for a fold and goes on", async (input, focus) => {
    const wishes: (string | undefined)[] = [];
    const context = { requestCompaction: (wish?: string) => void wishes.push(wish) } as unknown as ToolContext;
    expect((await tool.run(input, context)).text).toMatch(/after this round/);
    expect(wishes).toEqual([focus]);
  });

  it("needs no permission", () => {
    expect(tool.effect).toBe("none");
  });
});
