import { describe, expect, it } from "vitest";
import { prefixChanges } from "./prefix-changes.ts";
import { instructionsSection } from "./sections/instructions.ts";

const tool = (name: string, description = "does it") => ({ name, description });
const prefix = (text: string, tools = [tool("bash"), tool("grep")], intro = "You are an agent.") => {
  const instructions = text === "" ? "" : instructionsSection([{ path: "/w/AGENTS.md", text }]);
  return { system: `${intro}\n\n${instructions}`, tools, instructions };
};

describe("what changed in a prefix", () => {
  it("is nothing when every byte is the same", () => {
    expect(prefixChanges(prefix("use tabs"), prefix("use tabs"))).toEqual([]);
  });

  it("is named: the instructions, the prompt itself, tools, or their order", () => {
    expect(prefixChanges(prefix("use tabs"), prefix("use blanks"))).toEqual(["the project instructions"]);
    expect(prefixChanges(prefix("use tabs"), prefix(""))).toEqual(["the project instructions"]);
    expect(prefixChanges(prefix(""), prefix("use tabs"))).toEqual(["the project instructions"]);
    expect(prefixChanges(prefix("use tabs"), prefix("use tabs", undefined, "You are."))).toEqual(["the system prompt"]);
    expect(prefixChanges(prefix(""), prefix("", [tool("bash", "other"), tool("glob")]))).toEqual([
      "the tools bash, grep, glob",
    ]);
    expect(prefixChanges(prefix(""), prefix("", [tool("bash")]))).toEqual(["the tool grep"]);
    expect(prefixChanges(prefix(""), prefix("", [tool("grep"), tool("bash")]))).toEqual(["the order of the tools"]);
  });
});
