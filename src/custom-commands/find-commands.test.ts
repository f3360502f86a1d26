import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandHost } from "../contracts/command.ts";
import { fillIn } from "./fill-in.ts";
import { findCustomCommands } from "./find-commands.ts";

let base: string;
let notices: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "commands-"));
  notices = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

async function found() {
  mkdirSync(join(base, "project/.git"), { recursive: true });
  const extension = await findCustomCommands(
    {
      cwd: join(base, "project"),
      home: join(base, "home"),
      stateFolder: join(base, "home/.corecoder"),
      isTrusted: false,
      isInteractive: true,
      environment: {},
      windowTokens: 100_000,
      onNotice: (text) => void notices.push(text),
    } as Parameters<typeof findCustomCommands>[0],
    async () => new Set(["help"]),
  );
  return extension?.commands ?? [];
}

const promptOf = async (name: string, argument: string) =>
  (await found()).find((command) => command.name === name)?.run(argument, {} as CommandHost);

describe("commands of one's own", () => {
  it("are nothing where nobody wrote any", async () => {
    expect(await found()).toEqual([]);
  });

  it("are found in the project and at home, ours before others', with what help shows", async () => {
    write(
      "project/.corecoder/commands/fix.md",
      "---\ndescription: fixes an issue\nargument-hint: '[number]'\n---\nFix issue $1.",
    );
    write("project/.claude/commands/fix.md", "Another one.");
    write("project/.claude/commands/git/commit.md", "# Commit what is staged\nMore.");
    write("home/.corecoder/commands/Notes.md", "Write notes.");
    const commands = await found();
    expect(commands.map(({ name, usage, summary }) => [name, usage, summary])).toEqual([
      ["fix", "[number]", "fixes an issue"],
      ["git:commit", undefined, "Commit what is staged"],
      ["notes", undefined, "Write notes."],
    ]);
    expect(await promptOf("fix", "12 now")).toEqual({ prompt: "Fix issue 12." });
    expect(notices).toEqual([]);
  });

  it("say what they say now, not what they said at the start", async () => {
    write("project/.claude/commands/a.md", "old");
    const [command] = await found();
    write("project/.claude/commands/a.md", "new: $ARGUMENTS");
    expect(await command?.run("x y", {} as CommandHost)).toEqual({ prompt: "new: x y" });
  });

  it("are reported once each when they cannot be used, and the others work", async () => {
    write("project/.claude/commands/broken.md", "---\ndescription: [unclosed\n---\nText");
    write("project/.claude/commands/empty.md", "---\ndescription: x\n---\n");
    write("project/.claude/commands/two words.md", "Text");
    write("project/.claude/commands/help.md", "Text");
    write("project/.claude/commands/typed.md", "---\ndescription: [a, b]\n---\nText");
    write("project/.claude/commands/good.md", "Text");
    expect((await found()).map(({ name }) => name)).toEqual(["good"]);
    expect(notices.map((text) => /(\w[\w ]*)\.md/.exec(text)?.[1])).toEqual(
      ["broken", "empty", "help", "two words", "typed"].sort(),
    );
    expect(notices.join("\n")).toMatch(/front matter.*says nothing|says nothing/s);
  });
});

describe("the arguments", () => {
  it.each([
    ["Fix $ARGUMENTS now", "a b", "Fix a b now"],
    ["$2 before $1", `one "two words"`, "two words before one"],
    ["$1 and $3", "x", "x and "],
    ["No place", "for it", "No place\n\nfor it"],
    ["No place", "", "No place"],
    ["costs \\$1 and $100", "a", "costs $1 and $100\n\na"],
    ["$ARGUMENTSX $1", "$& $1", "$ARGUMENTSX $&"],
  ])("%j with %j is %j", (text, argument, filled) => {
    expect(fillIn(text, argument)).toBe(filled);
  });
});
