import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "./repo-root.ts";

function newestMtime(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return path.endsWith(".test.ts") ? 0 : stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMtime(join(path, name))));
}

/** Builds dist/ once before the tests that run the program, and only when it is missing or older than its sources. */
export function setup(): void {
  const script = join(repoRoot, "scripts/build.mjs");
  if (process.env.CORECODER_TEST_CLI || !existsSync(script)) return;
  const sources = ["src", "package.json", "scripts/build.mjs", "tsconfig.types.json"].map((path) =>
    newestMtime(join(repoRoot, path)),
  );
  // The build writes the licences last: without them it did not come to its end.
  if (newestMtime(join(repoRoot, "dist/LICENSES.txt")) > Math.max(...sources)) return;
  execFileSync(process.execPath, [script], { cwd: repoRoot, stdio: ["ignore", "inherit", "inherit"] });
}
