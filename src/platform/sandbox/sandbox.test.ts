import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tryBubblewrap } from "./bubblewrap.ts";
import { fixedPlaces, hiddenPlaces, missingPlaces } from "./places.ts";
import { findSandbox } from "./sandbox.ts";
import { profileFor } from "./sandbox-exec.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-test-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("bubblewrap", () => {
  test("that is missing is told with the way to get it", async () => {
    const found = await tryBubblewrap(folder);
    expect(found).toEqual({ works: false, because: expect.stringMatching(/apt install bubblewrap/) });
  });

  test("that may not make namespaces is told with the way to allow them", async () => {
    const said = "bwrap: setting up uid map: Permission denied";
    writeFileSync(join(folder, "bwrap"), `#!/bin/sh\necho '${said}' >&2; exit 1\n`, { mode: 0o755 });
    const found = await tryBubblewrap(folder);
    expect(found).toEqual({ works: false, because: expect.stringMatching(/uid map: Permission denied.*sysctl/) });
  });

  test("that fails otherwise is quoted", async () => {
    writeFileSync(join(folder, "bwrap"), "#!/bin/sh\necho 'bwrap: odd trouble' >&2; exit 1\n", { mode: 0o755 });
    expect(await tryBubblewrap(folder)).toEqual({ works: false, because: expect.stringContaining("odd trouble") });
  });

  test("is tried once", async () => {
    expect(findSandbox()).toBe(findSandbox());
    await findSandbox();
  });
});

describe("sandbox-exec", () => {
  test("is given a profile in which the more precise rule comes later, with quoted paths", () => {
    const profile = profileFor({
      cwd: "/w",
      writable: ['/w "x"'],
      fixed: ["/w/.git/hooks"],
      hidden: ["/h/.ssh"],
      shown: [],
      network: "off",
      tmp: "/t",
    });
    expect(profile.split("\n")).toEqual([
      "(version 1)",
      "(allow default)",
      "(deny file-write*)",
      '(allow file-write* (subpath "/w \\"x\\"") (subpath "/t") (subpath "/dev"))',
      '(deny file-write* (subpath "/w/.git/hooks"))',
      '(deny file-read* file-write* (subpath "/h/.ssh"))',
      "(deny network*)",
    ]);
  });
});

describe("places", () => {
  test("hidden ones are those that exist, by their real paths", () => {
    const real = join(folder, "keys");
    mkdirSync(real);
    mkdirSync(join(folder, "home/.aws"), { recursive: true });
    symlinkSync(real, join(folder, "home/.ssh"));
    const hidden = hiddenPlaces(join(folder, "home"), join(folder, "no-state"));
    expect(hidden.filter((path) => path.startsWith(folder))).toEqual([real, join(folder, "home/.aws")]);
  });

  test("fixed ones are those inside the folder, missing ones the rest", () => {
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    symlinkSync("/etc", join(folder, ".vscode"));
    expect(fixedPlaces(folder)).toEqual([join(folder, ".git/hooks")]);
    expect(missingPlaces(folder)).toContain(join(folder, ".mcp.json"));
    expect(missingPlaces(folder)).not.toContain(join(folder, ".git/hooks"));
  });
});
