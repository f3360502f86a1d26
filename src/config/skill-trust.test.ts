import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { asksForTrust, judgeTrust, rememberTrust } from "./project-trust.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeTempFolder(folder));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const judge = () => judgeTrust({ folder, stateFolder: join(folder, "state"), listed: [], layers: [], ignored: [] });

it("a project whose skills are only text needs no trust", () => {
  write(".claude/skills/plain/SKILL.md", "---\nname: plain\n---\nallowed-tools are not for me\n");
  expect(judge().state).toBe("not-needed");
});

it("scripts and allowed tools of a project's skills count once trusted, until one of them changes; nothing is asked at the start", () => {
  write(".claude/skills/ship/SKILL.md", "---\nname: ship\nallowed-tools: Bash(make)\n---\nShip it.\n");
  write(".agents/skills/test/SKILL.md", "Run it.\n");
  write(".agents/skills/test/scripts/run", "echo 1\n");
  const before = judge();
  expect([before.state, asksForTrust(before)]).toEqual(["untrusted", false]);
  expect(before.skills.map(({ place, wish }) => `${place}: ${wish}`)).toEqual([
    ".claude/skills/ship: allow tools without a question while it is used: Bash(make)",
    ".agents/skills/test: offer the model its scripts scripts/run",
  ]);
  rememberTrust(join(folder, "state"), folder, before.coverage());
  expect(judge().state).toBe("trusted");
  write(".agents/skills/test/scripts/run", "echo 2\n");
  expect(judge()).toMatchObject({ state: "changed", changed: [".agents/skills/test/scripts/run"] });
});
