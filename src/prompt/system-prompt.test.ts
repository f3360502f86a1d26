import { encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { createTools } from "../tools/index.ts";
import { type SystemPromptOptions, systemPrompt } from "./system-prompt.ts";

const options: SystemPromptOptions = {
  environment: { cwd: "/home/me/project", platform: "linux x64", date: "2026-03-04", isGitRepository: true },
  instructions: [],
};

describe("the system prompt", () => {
  it("is the same, byte for byte, for the same inputs", () => {
    expect(systemPrompt({ ...options })).toBe(systemPrompt(structuredClone(options)));
  });

  it("says where, on what and on which day, and has no time of day", () => {
    const prompt = systemPrompt(options);
    expect(prompt).toContain("/home/me/project (a git repository)");
    expect(prompt).toContain("linux x64");
    expect(prompt).toContain("2026-03-04");
    expect(prompt).not.toMatch(/\d{1,2}:\d{2}/);
  });

  it("does not call a plain folder a repository", () => {
    const environment = { ...options.environment, isGitRepository: false };
    expect(systemPrompt({ ...options, environment })).not.toContain("git repository");
  });

  it("ends with the instructions of the project, then the addition", () => {
    const prompt = systemPrompt({
      ...options,
      instructions: [{ path: "/r/AGENTS.md", text: "be brief" }],
      addition: "Answer in French.",
    });
    expect(prompt.indexOf("be brief")).toBeGreaterThan(prompt.indexOf("2026-03-04"));
    expect(prompt).toMatch(/<\/instructions>\n\nAnswer in French\.$/);
  });

  it("is replaced but for environment and instructions", () => {
    const prompt = systemPrompt({
      ...options,
      replacement: "You are a parrot.",
      instructions: [{ path: "/r/AGENTS.md", text: "be brief" }],
    });
    expect(prompt).toMatch(/^You are a parrot\.\n\n/);
    expect(prompt).not.toContain("corecoder");
    expect(prompt).toContain("/home/me/project");
    expect(prompt).toContain("be brief");
  });

  it("has no empty sections", () => {
    for (const prompt of [systemPrompt(options), systemPrompt({ ...options, replacement: "", addition: "" })]) {
      expect(prompt).toBe(prompt.trim());
      expect(prompt).not.toContain("\n\n\n");
    }
  });

  it("with all tools stays under 2,500 tokens", () => {
    const tools = createTools({
      parallelSafe: () => false,
      environment: () => ({}),
      runSubagent: async () => ({ text: "" }),
    });
    const wire = tools.map(({ name, description, input }) => ({
      type: "function",
      function: { name, description, parameters: input.json },
    }));
    const tokens = encode(systemPrompt(options)).length + encode(JSON.stringify(wire)).length;
    expect(tokens).toBeGreaterThan(500);
    expect(tokens).toBeLessThan(2_500);
  });
});
