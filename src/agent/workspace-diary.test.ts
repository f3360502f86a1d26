import { describe, expect, it } from "vitest";
import { createWorkspace } from "./workspace.ts";
import { createWorkspaceDiary } from "./workspace-diary.ts";

describe("the diary of a workspace", () => {
  it("has nothing to tell when nothing moved", () => {
    expect(createWorkspaceDiary(createWorkspace("/w")).changes()).toBeUndefined();
  });

  it("tells what is different since the last time, once", () => {
    const workspace = createWorkspace("/w");
    const diary = createWorkspaceDiary(workspace);
    workspace.previousCwd = workspace.cwd;
    workspace.cwd = "/w/sub";
    workspace.exported.set("A", "1").set("GONE", undefined);
    workspace.seen.set("/w/a", "h1").set("/w/b", "h2");
    workspace.changed.add("/w/a");
    workspace.todos = [{ content: "t", status: "pending" }];
    expect(diary.changes()).toEqual({
      type: "workspace",
      cwd: "/w/sub",
      previousCwd: "/w",
      exported: [
        ["A", "1"],
        ["GONE", null],
      ],
      seen: [
        ["/w/a", "h1"],
        ["/w/b", "h2"],
      ],
      changed: ["/w/a"],
      todos: [{ content: "t", status: "pending" }],
    });
    expect(diary.changes()).toBeUndefined();
    workspace.seen.set("/w/a", "h3");
    workspace.seen.delete("/w/b");
    expect(diary.changes()).toEqual({
      type: "workspace",
      seen: [
        ["/w/a", "h3"],
        ["/w/b", null],
      ],
    });
    expect(diary.changes()).toBeUndefined();
  });

  it("starts from what a saved session knew", () => {
    const saved = {
      ...{ cwd: "/w/sub", previousCwd: "/w", todos: [] },
      ...{ exported: new Map([["A", "1"]]), seen: new Map([["/w/a", "h1"]]), changed: new Set(["/w/a"]) },
    };
    const workspace = createWorkspace("/w", { saved });
    expect([workspace.cwd, workspace.seen.get("/w/a")]).toEqual(["/w/sub", "h1"]);
    expect(createWorkspaceDiary(workspace).changes()).toBeUndefined();
  });
});
