import { describe, expect, it } from "vitest";
import type { Tool, ToolContext, ToolOutput } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { createJobOutput } from "../platform/jobs/job-output.ts";
import { createJobTable } from "../platform/jobs/job-table.ts";
import { createAgentTool } from "./agent.ts";
import { createJobTool } from "./job.ts";
import { jobNotices } from "./job-words.ts";
import { todoWrite } from "./todo-write.ts";

const todoTool = todoWrite as unknown as Tool<unknown>;

function contextWith(workspace: Partial<Workspace>): ToolContext {
  return { workspace: workspace as Workspace } as ToolContext;
}

describe("todo_write", () => {
  it("keeps the list in the workspace and shows it to the person", async () => {
    const workspace: Partial<Workspace> = { todos: [] };
    const todos = [
      { content: "read", status: "completed" },
      { content: "fix", status: "in_progress" },
    ];
    const output = await todoTool.run({ todos }, contextWith(workspace));
    expect(workspace.todos).toEqual(todos);
    expect(output).toEqual({ text: "List saved: 2 items, 1 open.", display: { type: "todos", todos } });
  });

  it.each([
    ["two items in progress", [1, 2].map((n) => ({ content: `t${n}`, status: "in_progress" })), /only one/],
    ["an empty item", [{ content: " ", status: "pending" }], /todos\[0\]\.content is empty/],
    [
      "more items than anybody reads",
      Array.from({ length: 51 }, (_, n) => ({ content: `t${n}`, status: "pending" })),
      /at most 50/,
    ],
  ])("refuses %s and keeps the old list", async (_name, todos, problem) => {
    const old = [{ content: "old", status: "pending" }] as const;
    const workspace: Partial<Workspace> = { todos: old };
    await expect(todoTool.run({ todos }, contextWith(workspace))).rejects.toThrow(problem);
    expect(workspace.todos).toBe(old);
  });

  it("names the allowed states when one is wrong", () => {
    expect(todoTool.input.problems({ todos: [{ content: "x", status: "done" }] })).toEqual([
      'todos[0].status must be one of pending, in_progress, completed, got "done"',
    ]);
  });
});

describe("agent", () => {
  it("passes the task on and answers with the report; several may run side by side", async () => {
    const seen: string[] = [];
    const tool = createAgentTool(async ({ task }): Promise<ToolOutput> => {
      seen.push(task);
      return { text: "report" };
    }) as unknown as Tool<unknown>;
    expect(await tool.run({ task: "look around" }, contextWith({}))).toEqual({ text: "report" });
    expect(seen).toEqual(["look around"]);
    expect(tool.concurrency?.({ task: "x" })).toBe("parallel");
  });

  it("names the person's own kinds, with descriptions as far as there is room", () => {
    const kinds = Array.from({ length: 40 }, (_, at) => ({
      name: `kind${at}`,
      description: "x".repeat(500),
      prompt: "p",
    }));
    const tool = createAgentTool(async () => ({ text: "" }), kinds) as unknown as Tool<unknown>;
    expect(tool.description).toContain(`\n- kind0: ${"x".repeat(239)}…`);
    expect(tool.description.length).toBeLessThan(4_300);
    expect(tool.input.problems({ task: "t", type: "kind39" })).toEqual([]);
    expect(tool.input.problems({ task: "t", type: "kind40" })).toHaveLength(1);
    expect(createAgentTool(async () => ({ text: "" })).description).not.toContain("\n");
  });

  it("in the background is a job that is ended, whatever the signal, and told of once", async () => {
    const jobs = createJobTable();
    const output = createJobOutput(() => undefined);
    let end = () => {};
    const finished = new Promise<{ code: number; signal: null; ending: "stopped" }>((resolve) => {
      end = () => resolve({ code: 1, signal: null, ending: "stopped" });
    });
    jobs.add({ id: "agent3", command: "watch", what: "agent" }, { finished, end: () => end() }, output);
    const job = createJobTool(jobs) as unknown as Tool<unknown>;
    const context = contextWith({});
    expect((await job.run({}, context)).text).toMatch(/^agent3 is running, .*: watch$/);
    const killed = await job.run({ id: "agent3", action: "kill", signal: "STOP" }, context);
    expect(killed.text).toMatch(/agent3 was ended on request/);
    expect(jobNotices(jobs)).toEqual([]);
  });
});
