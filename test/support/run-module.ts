import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { repoRoot } from "./repo-root.ts";

export type ModuleRun = {
  readonly child: ChildProcess;
  /** Resolves when standard output holds the text. */
  waitFor(text: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
};

/**
 * Writes a program that uses our sources into a folder, bundled so that a plain `node` runs it, and answers with its path. The code is an
 * ES module; it imports our files by their path from the root, as `src/session/event-log.ts`.
 */
export function bundleProgram(folder: string, code: string): string {
  const path = join(folder, `program-${Math.random().toString(36).slice(2)}.mjs`);
  const built = buildSync({
    stdin: { contents: code.replaceAll(/from "src\//g, 'from "./src/'), resolveDir: repoRoot, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    write: false,
    logLevel: "error",
  });
  writeFileSync(path, built.outputFiles[0]?.contents ?? "");
  return path;
}

/** Runs a program in a process of its own. */
export function runProgram(
  program: string,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): ModuleRun {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let look = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended: ModuleRun["ended"] = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    child,
    ended,
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (stdout.includes(text)) resolve();
        };
        look();
        ended.then(() => reject(new Error(`ended without ${text}: ${stdout}${stderr}`)), reject);
      }),
  };
}
