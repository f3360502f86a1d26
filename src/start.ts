import { homedir } from "node:os";
import { loadWithCodeCache } from "./platform/code-cache.ts";

declare const __BUILD__: string;

/** Loads the program proper and runs it; what `main` answers is the exit code. */
export async function start(argv: readonly string[], require: (id: string) => unknown): Promise<void> {
  const build = `core-${__BUILD__}-${process.version}-${process.arch}.cache`;
  const state = process.env.CORECODER_HOME || `${homedir()}/.corecoder`;
  const core = loadWithCodeCache<typeof import("./main.ts")>({
    file: `${__dirname}/core.cjs`,
    require,
    caches: [`${__dirname}/${build}`, `${state}/cache/${build}`],
  });
  // a promise that nobody settles would end the program as if all were well
  process.once("beforeExit", () => {
    process.stderr.write("Internal error: the work stopped half-way. Run it again, or go on with corecoder -c.\n");
    process.exit(1);
  });
  const code = await core.exports.main(argv, { environment: process.env, exit: process.exit });
  core.saveCache();
  process.exit(code);
}
