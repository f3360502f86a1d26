// `npm start`, `npm test`, `npm run check` and `npm run bench` on any clone: installs and builds what is missing, and only then.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [task, ...args] = process.argv.slice(2);

function run(command, commandArgs, options = {}) {
  const { status, signal, error } = spawnSync(command, commandArgs, { cwd: root, stdio: "inherit", ...options });
  if (error) {
    console.error(`${command} cannot be started: ${error.message}`);
    process.exit(1);
  }
  return signal ? 1 : (status ?? 1);
}

function orExit(code) {
  if (code !== 0) process.exit(code);
}

function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function installIfMissing() {
  const installed = newest(join(root, "node_modules/.package-lock.json"));
  if (installed >= newest(join(root, "package-lock.json"))) return;
  console.error("Installing dependencies…");
  // Not `npm ci`: it insists on entries for every platform's binaries, which not every registry carries. The lock file pins the rest.
  orExit(
    run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], { stdio: ["ignore", 2, 2] }),
  );
}

function buildIfStale() {
  const built = existsSync(join(root, "dist/cli.js")) ? newest(join(root, "dist/LICENSES.txt")) : 0;
  const sources = ["src", "scripts/build.mjs", "package.json"].map((path) => newest(join(root, path)));
  if (built >= Math.max(...sources)) return;
  console.error("Building…");
  orExit(run(process.execPath, ["scripts/build.mjs"], { stdio: ["ignore", 2, 2] }));
}

const tool = (name) => join(root, "node_modules/.bin", name);

const tasks = {
  start() {
    installIfMissing();
    buildIfStale();
    // The program works in the folder npm was called from, not in ours.
    return run(process.execPath, [join(root, "dist/cli.js"), "--or-demo", ...args], {
      cwd: process.env.INIT_CWD ?? process.cwd(),
    });
  },
  test() {
    installIfMissing();
    buildIfStale();
    return run(tool("vitest"), ["run", ...args]);
  },
  /** Every write of a run fails in every way; takes minutes. */
  "test:faults"() {
    installIfMissing();
    buildIfStale();
    const env = { ...process.env, CORECODER_FAULTS: "full" };
    return run(
      tool("vitest"),
      ["run", "test/e2e/fault-sweep.test.ts", "src/session/log/event-log-faults.test.ts", ...args],
      { env },
    );
  },
  check() {
    installIfMissing();
    buildIfStale();
    const steps = [
      ["format and lint", tool("biome"), ["check", "--error-on-warnings", "."]],
      ["types", tool("tsc"), ["-p", "."]],
      ["the star", process.execPath, ["scripts/check-star.mjs"]],
      ["unused code", tool("knip"), []],
      ["package", tool("publint"), ["--strict"]],
      ["types of the package", process.execPath, ["scripts/check-types.mjs"]],
    ];
    for (const [name, command, commandArgs] of steps) {
      const startedAt = performance.now();
      orExit(run(command, commandArgs));
      console.log(`✓ ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    }
    return 0;
  },
  bench() {
    installIfMissing();
    buildIfStale();
    return run(process.execPath, ["bench/run.mjs", ...args]);
  },
  /** Generated commands against the parser and the judge: `npm run fuzz -- --minutes 10`. */
  fuzz() {
    installIfMissing();
    return run(process.execPath, ["bench/fuzz-commands.mjs", ...args]);
  },
  "bench:context"() {
    installIfMissing();
    buildIfStale();
    return run(process.execPath, ["bench/context.mjs", ...args]);
  },
};

process.exit(tasks[task]());
