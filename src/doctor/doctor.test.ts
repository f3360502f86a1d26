import { describe, expect, it } from "vitest";
import { type Check, type CheckResult, checkLine, runChecks } from "./doctor.ts";

async function run(checks: readonly Check[]) {
  const results: CheckResult[] = [];
  return { isHealthy: await runChecks(checks, (result) => void results.push(result)), results };
}

describe("running checks", () => {
  it("goes on after one that throws and takes it for a problem", async () => {
    const { isHealthy, results } = await run([
      {
        name: "a",
        run() {
          throw new Error("at once");
        },
      },
      { name: "b", run: () => Promise.reject(new Error("later")) },
      { name: "c", run: () => ({ state: "ok", text: "fine" }) },
    ]);
    expect(results).toEqual([
      { name: "a", state: "problem", text: "at once" },
      { name: "b", state: "problem", text: "later" },
      { name: "c", state: "ok", text: "fine" },
    ]);
    expect(isHealthy).toBe(false);
  });

  it("is content with warnings", async () => {
    expect((await run([{ name: "a", run: () => ({ state: "warning", text: "hm" }) }])).isHealthy).toBe(true);
  });

  it("reports each result before the next check starts", async () => {
    const order: string[] = [];
    const check = (name: string): Check => ({
      name,
      run() {
        order.push(`run ${name}`);
        return { state: "ok", text: "" };
      },
    });
    await runChecks([check("a"), check("b")], ({ name }) => void order.push(`told ${name}`));
    expect(order).toEqual(["run a", "told a", "run b", "told b"]);
  });
});

describe("the line of a check", () => {
  it("shows its state by a mark that needs no colour", () => {
    const lines = (["ok", "warning", "problem"] as const).map((state) =>
      checkLine({ name: "key", state, text: "text" }),
    );
    expect(new Set(lines.map((line) => line[0])).size).toBe(3);
    for (const line of lines) expect(line).toMatch(/^. key +text$/);
  });

  it("stays one line without terminal commands, whatever a server said", () => {
    const line = checkLine({ name: "endpoint", state: "problem", text: "bad\u001b[2J\nkey" });
    expect(line).not.toMatch(/[\u0000-\u001f]/);
  });
});
