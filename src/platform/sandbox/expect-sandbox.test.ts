import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { expectSandbox, rememberSandbox } from "./expect-sandbox.ts";
import { findSandbox } from "./sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "expect-sandbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("what is expected of a sandbox", () => {
  test("is what trying it shows", async () => {
    expect(await expectSandbox(folder)).toBe((await findSandbox()).works);
  });

  test.skipIf(process.platform !== "linux" || !statSync("/usr/bin/bwrap", { throwIfNoEntry: false }))(
    "is what trying it has shown before, as long as the machine is the same",
    async () => {
      rememberSandbox(folder, false);
      expect(await expectSandbox(folder)).toBe(false);
      const path = join(folder, "sandbox.json");
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(path, "utf8")).machine).toContain("bwrap");
    },
  );
});
