import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { toolTexts } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

const todo = (...statuses: readonly string[]) =>
  call("todo_write", { todos: statuses.map((status, i) => ({ content: `step ${i + 1}`, status })) });

describe("the task list", () => {
  it("is shown to the person", async ({ world }) => {
    const model = await world.model([todo("completed", "in_progress", "pending"), text("ok")]);
    const result = await world.run(["-p", "go"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
    for (const step of ["step 1", "step 2", "step 3"]) expect(result.stderr).toContain(step);
  });

  it("is checked: unknown status, two in progress, missing content", async ({ world }) => {
    const model = await world.model([
      todo("done"),
      todo("in_progress", "in_progress"),
      call("todo_write", { todos: [{ status: "pending" }] }),
      text("ok"),
    ]);
    await world.run(["-p", "go"], { model });
    const [unknown, two, missing] = toolTexts(model.requests[3]);
    expect(unknown).toMatch(/status.*(pending|in_progress|completed)/s);
    expect(two).toMatch(/in_progress/);
    expect(two).toMatch(/one/i);
    expect(missing).toMatch(/content/);
  });
});
