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

export default defineConfig({
  test: {
    ...shared,
    projects: [
      { test: { ...shared, name: "unit", include: ["src/**/*.test.ts"] } },
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
