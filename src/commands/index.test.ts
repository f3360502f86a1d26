import { describe, expect, it } from "vitest";
import type { CommandHost, CommandOutcome } from "../contracts/command.ts";
import { commands, readCommandLine } from "./index.ts";

/** Records what commands do to it. */
function recordingHost() {
  let model = "m1";
  const done: string[] = [];
  const printed: string[] = [];
  const report = (name: string) => async () => `${name} report\n`;
  const host: CommandHost = {
    print: (text) => void printed.push(text),
    printDiff: (text) => void printed.push(text),
    keys: [{ keys: "Ctrl+O", does: "shows the last output" }],
    columns: 60,
    commands,
    model: () => model,
    setModel(name) {
      done.push(`model ${name}`);
      model = name;
    },
    reset: () => void done.push("reset"),
    async compact(focus) {
      done.push(`compact ${focus ?? "everything"}`);
      return "folded\n";
    },
    contextReport: report("context"),
    usageReport: report("usage"),
    costReport: report("cost"),
    sessionReport: report("session"),
    permissionReport: report("permission"),
    report: (name) => `${name} report\n`,
    diff: async (wanted) => `diff of ${JSON.stringify(wanted)}\n`,
    async undo({ turns, what }) {
      done.push(`undo ${turns} ${what}`);
      return "undone\n";
    },
    async redo() {
      done.push("redo");
      return "redone\n";
    },
    async rewind(turns) {
      done.push(`rewind ${turns ?? "to a chosen prompt"}`);
      return "rewound\n";
    },
    save(name) {
      done.push(`save ${JSON.stringify(name)}`);
      return "saved\n";
    },
    async resume(id) {
      done.push(`resume ${id ?? "a chosen session"}`);
      return "resumed\n";
    },
  };
  return { host, done, printed };
}

async function run(line: string): Promise<{ outcome: CommandOutcome; done: string[]; printed: string }> {
  const read = readCommandLine(line);
  if (read === undefined || "problem" in read) throw new Error(`${line} is no command`);
  const { host, done, printed } = recordingHost();
  return { outcome: await read.command.run(read.argument, host), done, printed: printed.join("") };
}

const nameOf = (line: string) => {
  const read = readCommandLine(line);
  return read && "command" in read ? read.command.name : undefined;
};

describe("a line", () => {
  it.each([
    ["/help", "help"],
    ["  /help  ", "help"],
    ["/HELP", "help"],
    ["/clear", "reset"],
    ["/exit", "quit"],
    ["quit", "quit"],
    ["exit", "quit"],
    [" Exit ", "quit"],
  ])("%j is the command %s", (line, name) => {
    expect(nameOf(line)).toBe(name);
  });

  it.each([
    ["/model gpt-x", "gpt-x"],
    ["/model   gpt-x  ", "gpt-x"],
    ["/model", ""],
    ["/model two words", "two words"],
    ["/model a\nb", "a\nb"],
  ])("%j carries its argument", (line, argument) => {
    expect(readCommandLine(line)).toMatchObject({ command: { name: "model" }, argument });
  });

  it.each(["/frobnicate", "/hel", "/helpme", "/model-x", "/unknown with words"])(
    "%j is reported, never sent to the model",
    (line) => {
      const word = line.split(" ")[0];
      expect(readCommandLine(line)).toEqual({ problem: `Unknown command ${word}. /help lists the commands.` });
    },
  );

  it.each([
    "/usr/bin/x is broken",
    "/etc/hosts",
    "/tmp/a.txt",
    "//comment",
    "/ what",
    "hello",
    "quit it",
    "please exit",
    "look at /help",
    "~/x",
    "/.env is wrong",
  ])("%j is a prompt", (line) => {
    expect(readCommandLine(line)).toBeUndefined();
  });

  it("means each command by each of its names, and no name twice", () => {
    const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
    for (const { name, aliases = [] } of commands)
      for (const word of [name, ...aliases]) expect(nameOf(`/${word}`)).toBe(name);
  });
});

describe("the commands", () => {
  it.each([
    ["/tokens", "usage report\n"],
    ["/cost", "cost report\n"],
    ["/sessions", "session report\n"],
    ["/permissions", "permission report\n"],
    ["/context", "context report\n"],
  ])("%s prints its report and changes nothing", async (line, printed) => {
    expect(await run(line)).toEqual({ outcome: "continue", done: [], printed });
  });

  it.each([
    ["/diff", "{}"],
    ["/diff 2", '{"turns":2}'],
    ["/diff src/a.ts", '{"path":"src/a.ts"}'],
    ["/diff 0", '{"path":"0"}'],
  ])("%s shows what changed", async (line, wanted) => {
    expect(await run(line)).toEqual({ outcome: "continue", done: [], printed: `diff of ${wanted}\n` });
  });

  it.each([
    ["/undo", "undo 1 both"],
    ["/undo 3", "undo 3 both"],
    ["/undo files", "undo 1 files"],
    ["/undo 2 conversation", "undo 2 conversation"],
    ["/redo", "redo"],
    ["/rewind", "rewind to a chosen prompt"],
    ["/rewind 4", "rewind 4"],
    ["/save", 'save ""'],
    ["/save the login bug", 'save "the login bug"'],
    ["/resume", "resume a chosen session"],
    ["/resume 2026", "resume 2026"],
  ])("%s does %s", async (line, done) => {
    expect(await run(line)).toMatchObject({ outcome: "continue", done: [done] });
  });

  it.each(["/undo everything", "/undo -1", "/undo 1 2x", "/rewind back"])(
    "%s is not understood, says so and does nothing",
    async (line) => {
      const { done, printed, outcome } = await run(line);
      expect([done, outcome]).toEqual([[], "continue"]);
      expect(printed).toMatch(/^\/(undo does not know|rewind takes)/);
    },
  );

  it("/compact folds the conversation, with or without a focus", async () => {
    expect(await run("/compact")).toEqual({ outcome: "continue", done: ["compact everything"], printed: "folded\n" });
    expect(await run("/compact the login bug")).toMatchObject({ done: ["compact the login bug"] });
  });

  it("/help lists every command with its aliases, its usage and what it does", async () => {
    const { printed, outcome } = await run("/help");
    const told = printed.replace(/\s+/g, " ");
    for (const { name, aliases = [], usage, summary } of commands) {
      const names = [name, ...aliases].map((word) => `/${word}`).join(", ");
      expect(told).toContain(` ${names}${usage ? ` ${usage}` : ""} ${summary}`);
    }
    expect(told).toContain("Ctrl+O shows the last output");
    for (const line of printed.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
    expect(outcome).toBe("continue");
  });

  it("/model shows the model", async () => {
    expect(await run("/model")).toEqual({ outcome: "continue", done: [], printed: "Model: m1\n" });
  });

  it("/model NAME switches it and shows the new one", async () => {
    expect(await run("/model m2")).toEqual({ outcome: "continue", done: ["model m2"], printed: "Model: m2\n" });
  });

  it("/model shows nothing when the host refuses the name", async () => {
    const { host, printed } = recordingHost();
    const refusing: CommandHost = {
      ...host,
      setModel() {
        throw new Error("no such model");
      },
    };
    const read = readCommandLine("/model nobody");
    expect(() => read && "command" in read && read.command.run(read.argument, refusing)).toThrow("no such model");
    expect(printed).toEqual([]);
  });

  it.each(["/reset", "/clear"])("%s starts a new conversation and says so", async (line) => {
    const { done, outcome, printed } = await run(line);
    expect([done, outcome]).toEqual([["reset"], "continue"]);
    expect(printed).toContain("New conversation");
  });

  it.each(["/quit", "/exit", "quit", "exit"])("%s leaves without a word", async (line) => {
    expect(await run(line)).toEqual({ outcome: "quit", done: [], printed: "" });
  });
});
