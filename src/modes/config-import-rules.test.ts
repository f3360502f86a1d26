import { describe, expect, it } from "vitest";
import { translateRule } from "./config-import-rules.ts";

const project = { list: "deny", isOwn: false } as const;

describe("a rule of Claude Code", () => {
  it.each([
    ["Bash", ["bash"]],
    ["Bash(*)", ["bash"]],
    ["Bash(npm run test:*)", ["bash(npm run test *)"]],
    ["Bash(git log *)", ["bash(git log *)"]],
    ["Bash(npm test)", ["bash(npm test)"]],
    ["Edit", ["edit_file", "write_file"]],
    ["Write(src/**)", ["write_file(src/**)"]],
    ["Read(./.env)", ["read_file(.env)", "grep(.env)", "glob(.env)"]],
    ["Write(//etc/hosts)", ["write_file(/etc/hosts)"]],
    ["Write(/docs/**)", ["write_file(docs/**)"]],
    ["Write(~/.zshrc)", ["write_file(~/.zshrc)"]],
    ["Write(.env)", ["write_file(**/.env)", "write_file(**/.env/**)"]],
    ["Task", ["agent"]],
    ["mcp__files", ["mcp__files__*"]],
    ["mcp__files__read", ["mcp__files__read"]],
  ])("%s becomes %j", (text, rules) => {
    expect(translateRule(text, project)).toEqual({ rules });
  });

  it("that allows a bare name does not allow what lies below it", () => {
    expect(translateRule("Write(notes)", { ...project, list: "allow" })).toEqual({ rules: ["write_file(**/notes)"] });
  });

  it.each([
    ["Bash(git push*)", /\* inside a word/],
    ["Bash(git * main)", /\* only as its last word/],
    ["Bash(npm run test*:*)", /\* inside a word/],
    ["Bash(echo 'x)", /not closed/],
    ["WebFetch(domain:x.org)", /no tool like WebFetch/],
    ["Task(explore)", /no pattern/],
    ["no rule at all", /not a tool name/],
    ["constructor", /no tool like/],
  ])("%s cannot be taken over, and it is said why", (text, problem) => {
    expect(translateRule(text, project)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it("of the person's own settings with a path relative to them cannot either", () => {
    expect(translateRule("Read(/x)", { ...project, isOwn: true })).toHaveProperty("problem");
  });
});
