import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createWorkspace } from "../agent/workspace.ts";
import type { Tool, ToolContext, ToolOutput } from "../contracts/tool.ts";
import { createJobTable } from "../platform/jobs/job-table.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { createBash } from "./bash.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bash-test-")));
afterAll(() => {
  killAllGroups();
  rmSync(folder, { recursive: true, force: true });
});

const tool = createBash({
  parallelSafe: () => false,
  environment: () => ({ PATH: process.env.PATH ?? "", HOME: folder, LANG: "C.UTF-8" }),
  jobs: createJobTable(),
}) as unknown as Tool<{ command: string; timeout?: number }>;

function run(command: string): Promise<ToolOutput> {
  const context = {
    callId: "call",
    handle: "#7",
    workspace: createWorkspace(folder),
    signal: new AbortController().signal,
    progress: () => undefined,
    outputFolder: () => folder,
  } as unknown as ToolContext;
  return tool.run({ command, timeout: 60 }, context);
}

/** They take as long as a person would need to wonder, so they wait together. */
describe.concurrent("a command nobody can answer", () => {
  test.each([
    ["an editor", "vim", "VIM"],
    ["a reader of a terminal of its own", `sleep 61.2510 | script -qc 'printf "Name: "; read name' /dev/null`, "Name:"],
    ["a question with words that leave no doubt", "printf 'Overwrite a.txt? [y/N] '; sleep 61.2511", "Overwrite"],
  ])(
    "%s that waits for input is ended, with what it printed and the way out",
    async (_what, command, words) => {
      const started = performance.now();
      const result = await run(command);
      expect(performance.now() - started).toBeLessThan(15_000);
      expect(result.text).toContain(words);
      expect(result.text).toMatch(/\[ended: it waits for input.*--yes/);
      expect(result.isError).toBe(true);
      const mark = /61\.\d+/.exec(command)?.[0];
      if (mark) expect(spawnSync("pgrep", ["-f", mark], { encoding: "utf8" }).stdout.trim()).toBe("");
    },
    20_000,
  );

  test("that is merely silent, or printed half a line, is left alone", async () => {
    const { text } = await run("printf 'Building '; sleep 5; echo done");
    expect(text).toBe("Building done");
  }, 20_000);
});
