import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../contracts/event.ts";
import type { ToolDisplay } from "../contracts/tool-view.ts";
import type { Output } from "./output.ts";
import { textWidth } from "./text-width.ts";
import { finishedLine, startedLine } from "./tool-line.ts";

const output: Output = { out: () => {}, err: () => {}, color: false, oneScreen: false };
type Finished = Extract<AgentEvent, { type: "tool.finished" }>;

const start = (title: string, more: { parentCallId?: string } = {}) =>
  startedLine({ type: "tool.started", callId: "c", tool: "bash", view: { label: "$", title }, ...more }, output);
const finish = (more: Partial<Finished>) =>
  finishedLine(
    {
      type: "tool.finished",
      callId: "c",
      tool: "t",
      view: { label: "$", title: "x" },
      isError: false,
      text: "",
      durationMs: 1,
      ...more,
    },
    output,
  );
const diff = (text: string): ToolDisplay => ({ type: "diff", path: "a.txt", diff: text, added: 1, removed: 2 });

describe("the line of a call", () => {
  it("says what is done to what, indented inside a sub-agent", () => {
    expect(start("ls")).toBe("→ $ ls\n");
    expect(start("ls", { parentCallId: "p" })).toBe("  → $ ls\n");
  });

  it("is one line, with hidden characters written out", () => {
    expect(start("echo a\nrm -rf b\u001b[1A\r\u202E")).toBe("→ $ echo a ⏎ rm -rf b<U+001B>[1A<U+000D><U+202E>\n");
  });

  it("names files of the workspace from there, and is cut by the columns it takes", () => {
    const event = { type: "tool.started", callId: "c", tool: "read_file" } as const;
    const read = (path: string) =>
      startedLine({ ...event, view: { label: "read", title: path, reads: [path] } }, { ...output, root: "/work" });
    expect(read("/work/src/a.ts")).toBe("→ read src/a.ts\n");
    expect(read("/workshop/a.ts")).toBe("→ read /workshop/a.ts\n");
    expect(textWidth(start(`${"漢字".repeat(60)} end`))).toBeLessThanOrEqual(106);
  });

  it("shows both ends of a long command", () => {
    const line = start(`begin${" ".repeat(5_000)}rm -rf ~/end`);
    expect(line.length).toBeLessThan(110);
    expect(line).toMatch(/^→ \$ begin.*rm -rf ~\/end\n$/);
  });
});

describe("the line after a call", () => {
  it("is empty when there is nothing worth saying", () => {
    expect(finish({ text: "1\tcontent" })).toBe("");
  });

  it("says the first line of an error, on one line", () => {
    expect(finish({ isError: true, text: "a.txt does not exist.\nNear: b.txt" })).toBe("  ✗ a.txt does not exist.\n");
    expect(finish({ isError: true, text: "\u001b]0;x\u0007oops", parentCallId: "p" })).toBe(
      "    ✗ <U+001B>]0;x<U+0007>oops\n",
    );
  });

  it("adds the exit code, which a failed command has on its last line", () => {
    expect(finish({ isError: true, text: "FAIL one\nmore\n[exit code 1]" })).toBe("  ✗ FAIL one [exit code 1]\n");
    expect(finish({ isError: true, text: "[exit code 1]" })).toBe("  ✗ [exit code 1]\n");
  });

  it("shows the line that names the error rather than the first one", () => {
    const text = "file:///x.js:1\nimport x\nSyntaxError: no such export\n    at y\n[exit code 1]";
    expect(finish({ isError: true, text })).toBe("  ✗ SyntaxError: no such export [exit code 1]\n");
  });

  it("survives an error without a text", () => {
    expect(finish({ isError: true, text: "" })).toBe("  ✗ \n");
  });
});

describe("a change", () => {
  it("is shown as its file, its size and its lines, without the header", () => {
    const text = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n one\n-two\n-three\n+four\n";
    expect(finish({ display: diff(text) })).toBe(
      "  ± a.txt (+1 −2)\n  @@ -1,3 +1,2 @@\n   one\n  -two\n  -three\n  +four\n",
    );
  });

  it("shows also lines that look like a header once they are marked", () => {
    const text = "--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n--- an old comment\n+++i;\n";
    expect(finish({ display: diff(text) })).toBe(
      "  ± a.txt (+1 −2)\n  @@ -1,2 +1,2 @@\n  --- an old comment\n  +++i;\n",
    );
  });

  it("keeps the tabs of indented code and writes out what would be hidden", () => {
    const text = "@@ -1 +1 @@\n+\tif x {\u202E\u001b[2J\n";
    expect(finish({ display: diff(text) })).toContain("\n  +\tif x {<U+202E><U+001B>[2J\n");
  });

  it("is cut after 40 lines, and how many more there are is said", () => {
    const text = `@@ -1 +1,100 @@\n${"+x\n".repeat(100)}`;
    const lines = finish({ display: diff(text) })
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(42);
    expect(lines.at(-1)).toBe("  … 61 more lines");
  });

  it("has its lines coloured by what they are", () => {
    const event = {
      type: "tool.finished",
      callId: "c",
      tool: "t",
      view: { label: "", title: "" },
      isError: false,
      text: "",
      durationMs: 1,
      display: diff("@@ -1 +1 @@\n-a\n+b"),
    } as const;
    const line = finishedLine(event, { ...output, color: true });
    expect(line).toContain("\u001b[31m-a\u001b[0m");
    expect(line).toContain("\u001b[32m+b\u001b[0m");
  });
});

describe("a task list", () => {
  it("is shown an item a line, each state with its own mark", () => {
    const display: ToolDisplay = {
      type: "todos",
      todos: [
        { content: "read", status: "completed" },
        { content: "fix\n\u001b[2J", status: "in_progress" },
        { content: "test", status: "pending" },
      ],
    };
    expect(finish({ display })).toBe("  ● read\n  ◐ fix<U+000A><U+001B>[2J\n  ○ test\n");
  });
});
