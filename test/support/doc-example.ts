import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedModel } from "../../src/testing/index.ts";
import { builtCli, repoRoot } from "./repo-root.ts";
import type { World } from "./world.ts";

/** The code blocks of a page in one language, in their order. */
export function examplesOf(page: string, language = "sh"): string[] {
  const text = readFileSync(join(repoRoot, page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, body]) => body ?? "");
}

export type ExampleResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs lines of a page as a person would paste them into a shell, with `corecoder` on the path. */
export function runExample(world: World, script: string, model?: ScriptedModel): Promise<ExampleResult> {
  const bin = join(world.folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "corecoder"), `#!/bin/sh\nexec "${process.execPath}" "${builtCli}" "$@"\n`);
  chmodSync(join(bin, "corecoder"), 0o755);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: world.home,
    CORECODER_HOME: world.state,
    ...(model ? { OPENAI_API_KEY: world.key, OPENAI_BASE_URL: model.url } : {}),
  };
  return new Promise((resolve) => {
    execFile("bash", ["-euc", script], { cwd: world.cwd, env, timeout: 15_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    ).stdin?.end();
  });
}
