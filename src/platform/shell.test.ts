import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openOutputPipe, openSocketPipe } from "./output-pipe.ts";
import { killAllGroups } from "./process-group.ts";
import { findShell, nearestFolder, type Shell, startShell } from "./shell.ts";

const bash = findShell(undefined);
afterAll(killAllGroups);

async function run(
  command: string,
  { pipe = openOutputPipe(), shell = bash }: { pipe?: ReturnType<typeof openOutputPipe>; shell?: Shell } = {},
) {
  let text = "";
  const running = await startShell(
    {
      shell,
      command,
      cwd: realpathSync(tmpdir()),
      env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
      state: "read-back",
      onOutput: (bytes) => void (text += bytes),
    },
    pipe,
  );
  const { finished } = running;
  return { ...(await finished), text };
}

describe("a shell without real pipes", () => {
  const socket = (command: string) => run(command, { pipe: openSocketPipe() });

  test("still keeps the order of both streams", async () => {
    expect((await socket("for i in 1 2 3; do echo o$i; echo e$i >&2; done")).text).toBe("o1\ne1\no2\ne2\no3\ne3\n");
  });

  test("still shows a syntax error in the first line", async () => {
    expect((await socket("if then")).text).toContain("syntax error");
  });

  test("still reads the state back and returns before a background child", async () => {
    const result = await socket("cd /usr; sleep 5 & echo on");
    expect([result.text, result.state?.cwd, result.output, result.background.length]).toEqual([
      "on\n",
      "/usr",
      "held",
      1,
    ]);
  });
});

describe("a shell", () => {
  test("uses its pipes again and leaves no file open", async () => {
    const { readdirSync } = await import("node:fs");
    await run("true");
    const before = readdirSync("/proc/self/fd").length;
    for (let round = 0; round < 30; round++) await run("echo x; echo y >&2");
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });

  test("loses nothing when this process is busy while the command ends", async () => {
    const running = run("seq 5000; sleep 3 &");
    const until = performance.now() + 400;
    while (performance.now() < until);
    expect((await running).text).toMatch(/\n5000\n$/);
  });

  test("without bash the plain shell runs the command, and its state stays unknown", async () => {
    const result = await run("cd /usr; echo hi; echo $0 >&2", { shell: { path: "/bin/sh", kind: "sh" } });
    expect([result.text, result.code, result.state]).toEqual(["hi\n/bin/sh\n", 0, undefined]);
  });

  test("is looked for on the PATH, but not in relative entries", () => {
    const folder = mkdtempSync(join(tmpdir(), "path-"));
    symlinkSync(bash.path, join(folder, "bash"));
    expect(findShell(`.:${folder}:/bin`).path).toBe(join(folder, "bash"));
    expect(findShell("relative:/nowhere").path).toBe(bash.path);
    rmSync(folder, { recursive: true });
  });

  test("starts in the nearest folder that exists", () => {
    const folder = mkdtempSync(join(tmpdir(), "near-"));
    expect(nearestFolder(join(folder, "a/b/c"))).toBe(folder);
    rmSync(folder, { recursive: true });
    expect(nearestFolder(folder)).toBe(tmpdir());
  });
});
