import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const shared = {
  environment: "node",
  pool: "forks",
  // more than the cores: many tests wait for processes
  maxWorkers: 3,
  testTimeout: 20_000,
  hookTimeout: 20_000,
  maxConcurrency: 8,
  setupFiles: ["test/support/property-seed.ts"],
} as const;

/** Tests that change the folder or the variables of their process need one of their own; the others share. */
const changesProcess = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `src/${name}`)
  .filter((path) =>
    /process\.chdir|process\.env(\.\w+|\[[^\]]+\]) ??=[^=]|delete process\.env|stubEnv/.test(
      readFileSync(path, "utf8"),
    ),
  );

export default defineConfig({
  test: {
    ...shared,
    projects: [
      {
        test: { ...shared, isolate: false, name: "unit", include: ["src/**/*.test.ts"], exclude: changesProcess },
      },
      { test: { ...shared, name: "unit-apart", include: changesProcess } },
      // Only these need a built program: a unit test run builds nothing.
      {
        test: {
          ...shared,
          // what they look at runs in processes of its own anyway
          isolate: false,
          name: "product",
          include: ["test/**/*.test.ts"],
          globalSetup: ["test/support/build-once.ts"],
        },
      },
    ],
  },
});
