import { describe, expect, it } from "vitest";
import { instructionsSection } from "./instructions.ts";

describe("the section of project instructions", () => {
  it("is empty without any", () => {
    expect(instructionsSection([])).toBe("");
  });

  it("names each file and keeps their order", () => {
    const section = instructionsSection([
      { path: "/r/AGENTS.md", text: "\nfar\n" },
      { path: "/r/a/AGENTS.md", text: "near" },
    ]);
    expect(section).toContain(
      '<instructions file="/r/AGENTS.md">\nfar\n</instructions>\n<instructions file="/r/a/AGENTS.md">\nnear\n</instructions>',
    );
  });

  it("cuts what is too long and names the file to read for the rest", () => {
    const section = instructionsSection([{ path: "/r/AGENTS.md", text: "x".repeat(100_000) }]);
    expect(section.length).toBeLessThan(25_000);
    expect(section).toMatch(/\[cut: 24000 of 100000 characters shown; read_file \/r\/AGENTS\.md for the rest\]/);
  });

  it("cuts the farthest file first", () => {
    const section = instructionsSection([
      { path: "/r/AGENTS.md", text: "f".repeat(20_000) },
      { path: "/r/a/AGENTS.md", text: "n".repeat(20_000) },
    ]);
    expect(section.match(/n{3,}/)?.[0]).toHaveLength(20_000);
    expect(section.match(/f{3,}/)?.[0]).toHaveLength(4_000);
    expect(section.match(/\[cut: [^\]]*\]/g)).toEqual([
      "[cut: 4000 of 20000 characters shown; read_file /r/AGENTS.md for the rest]",
    ]);
  });

  it("still names a file of which nothing fits", () => {
    const section = instructionsSection([
      { path: "/r/AGENTS.md", text: "far" },
      { path: "/r/a/AGENTS.md", text: "n".repeat(24_000) },
    ]);
    expect(section).toContain("[cut: 0 of 3 characters shown; read_file /r/AGENTS.md for the rest]");
  });

  it("never cuts a character in two", () => {
    const section = instructionsSection([{ path: "/r/AGENTS.md", text: `x${"😀".repeat(20_000)}` }]);
    expect(section.isWellFormed()).toBe(true);
  });
});
