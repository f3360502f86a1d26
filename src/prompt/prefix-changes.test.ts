import { describe, expect, it } from "vitest";
import { prefixChanges } from "./prefix-changes.ts";
import { instructionsSection } from "./sections/instructions.ts";
import { systemPrompt } from "./system-prompt.ts";

const tool = (name: string, description = "does it") => ({ name, description });
const prefix = (text: string, tools = [tool("bash"), tool("grep")], intro = "You are an agent.") => {
  const instructions = text === "" ? "" : instructionsSection([{ path: "/w/AGENTS.md", text }]);
  return { system: `${intro}\n\n${instructions}`, tools, instructions };
};

const environment = { cwd: "/w", platform: "linux", date: "2026-03-04", isGitRepository: false };
const prompt = { environment, instructions: [] };

describe("what changed in a prefix", () => {
  it("is nothing when every byte is the same", () => {
    expect(prefixChanges(prefix("use tabs"), prefix("use tabs"))).toEqual([]);
  });

  it("is nothing when only the background is another, which a session keeps as it was", () => {
    const current = prefix("use tabs");
    const before = { ...current, system: systemPrompt({ ...prompt, background: ["one"] }) };
    for (const background of [[], ["one", "two"]])
      expect(prefixChanges(before, { ...current, system: systemPrompt({ ...prompt, background }) })).toEqual([]);
    const other = systemPrompt({ ...prompt, addition: "</background>", background: ["one"] });
    expect(prefixChanges(before, { ...current, system: other })).not.toEqual([]);
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
