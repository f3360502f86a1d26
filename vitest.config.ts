import { defineConfig } from "vitest/config";

const shared = {
  environment: "node",
  pool: "forks",
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
          name: "product",
          include: ["test/**/*.test.ts"],
          globalSetup: ["test/support/build-once.ts"],
        },
      },
    ],
  },
});
