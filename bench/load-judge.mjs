// The judge of commands is no part of the library's surface: bundled in memory, then loaded.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** `judge(command)` resolves to what the policy of the default mode decides, in a workspace of its own. */
export async function loadJudge() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export { createCommandJudge } from "./src/permissions/command-judge.ts";`,
      resolveDir: root,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  const { createCommandJudge } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`
  );
  const folder = mkdtempSync(join(tmpdir(), "corecoder-judge-"));
  const [workspace, home] = [join(folder, "srv/app"), join(folder, "home/dev")];
  for (const name of [
    join(workspace, "src"),
    join(workspace, "dist"),
    join(workspace, ".git/hooks"),
    join(home, ".ssh"),
  ])
    mkdirSync(name, { recursive: true });
  const scope = { cwd: workspace, root: workspace, writableRoots: [workspace], home };
  const judges = createCommandJudge();
  return {
    judge: (command) => judges.judge(command, scope),
    place: (command) => command.replaceAll("/srv/app", workspace).replaceAll("/home/dev", home),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
