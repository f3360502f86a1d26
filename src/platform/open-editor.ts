import { spawnSync } from "node:child_process";

/**
 * The person's editor on a file, until they leave it. False when none is set, or there is no terminal to show it. Everything else waits: the
 * keys are the editor's meanwhile.
 */
export function openEditor(path: string, environment: Readonly<Record<string, string>>): boolean {
  const editor = environment.VISUAL || environment.EDITOR;
  if (!editor || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const { status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], {
    stdio: "inherit",
    env: { ...environment },
  });
  return status === 0;
}
