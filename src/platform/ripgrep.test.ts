import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { findRipgrep, runRipgrep } from "./ripgrep.ts";

const run = (program: string, args: string[], more: Partial<Parameters<typeof runRipgrep>[0]> = {}) =>
  runRipgrep({
    program,
    args,
    cwd: "/",
    signal: new AbortController().signal,
    timeLimitMs: 5_000,
    separator: "\n",
    onRecord: () => "more",
    ...more,
  });

describe("ripgrep", () => {
  test("is found in the package", () => {
    const program = findRipgrep();
    expect(execFileSync(program ?? "", ["--version"], { encoding: "utf8" })).toMatch(/^ripgrep \d/);
  });

  test("is ended by the time limit", async () => {
    const started = performance.now();
    expect((await run("/bin/sleep", ["60"], { timeLimitMs: 100 })).ending).toBe("time-limit");
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("is ended by an interruption", async () => {
    const stop = new AbortController();
    const running = run("/bin/sleep", ["60"], { signal: stop.signal });
    stop.abort();
    expect((await running).ending).toBe("interrupted");
  });

  test("is ended when enough was found, and says no more", async () => {
    const records: string[] = [];
    const onRecord = (record: string) => (records.push(record) < 3 ? ("more" as const) : ("enough" as const));
    expect((await run("/usr/bin/yes", ["日本"], { onRecord })).ending).toBe("enough");
    expect(records).toEqual(["日本", "日本", "日本"]);
  });

  test("what the reader throws comes out", async () => {
    const onRecord = () => {
      throw new Error("mine");
    };
    await expect(run("/usr/bin/yes", [], { onRecord })).rejects.toThrow("mine");
  });

  test("a last record without its separator counts", async () => {
    const records: string[] = [];
    await run("/usr/bin/printf", ["a\\0b"], {
      separator: "\0",
      onRecord: (record) => (records.push(record) > 0 ? "more" : "enough"),
    });
    expect(records).toEqual(["a", "b"]);
  });
});
