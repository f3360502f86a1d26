import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { workspaceAt } from "../../test/support/tool-run.ts";
import { ToolError } from "../contracts/errors.ts";
import type { Tool, ToolContext, ToolOutput } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { createJobTable } from "../platform/jobs/job-table.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { createBash } from "./bash.ts";

type BashInput = { command: string; timeout?: number };
const environment = () => ({ PATH: process.env.PATH ?? "", HOME: tmpdir(), LANG: "C.UTF-8", BASE: "base" });
const create = (options: Partial<Parameters<typeof createBash>[0]> = {}) =>
  createBash({
    parallelSafe: () => false,
    environment,
    jobs: createJobTable(),
    ...options,
  }) as unknown as Tool<BashInput>;

let folder: string;
let workspace: Workspace;
let stop: AbortController;
let live: string[];
const tool = create();

function context(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    callId: "call",
    handle: "#7",
    workspace,
    signal: stop.signal,
    progress: (text) => void live.push(text),
    emit: () => undefined,
    keepFile: (path) => path,
    keep: () => undefined,
    recall: () => ({ text: "", isFound: false }),
    requestCompaction: () => undefined,
    outputFolder: () => folder,
    ...overrides,
  };
}

const run = (
  command: string,
  more: Omit<BashInput, "command"> = {},
  overrides: Partial<ToolContext> = {},
): Promise<ToolOutput> => tool.run({ command, ...more }, context(overrides));
const textOf = async (command: string) => (await run(command)).text;

/** Processes whose command line holds the mark, so that tests on one machine do not see each other's. */
function survivors(mark: string): string {
  return spawnSync("pgrep", ["-f", mark], { encoding: "utf8" }).stdout.trim();
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bash-test-")));
  stop = new AbortController();
  live = [];
  workspace = workspaceAt(folder);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(killAllGroups);

describe("what comes back", () => {
  test("stdout and stderr in the order they were written, then the exit code", async () => {
    const result = await run("echo out; echo err >&2; echo more; exit 42");
    expect(result).toEqual({
      text: "out\nerr\nmore\n[exit code 42]",
      isError: true,
      display: { type: "exit", code: 42 },
    });
  });

  test("a quiet success says so", async () => {
    expect(await run("true")).toMatchObject({ text: "(no output)", isError: false });
  });

  test("a quiet failure names its code", async () => {
    expect(await run("false")).toMatchObject({ text: "[exit code 1]", isError: true });
  });

  test("a shell that is killed names the signal", async () => {
    expect((await run("echo a; kill -SEGV $$")).text).toBe("a\n[killed by signal SIGSEGV]");
  });

  test("a program that dies of a signal inside the command is named too", async () => {
    expect((await run("bash -c 'kill -KILL $$'; exit $?")).text).toContain("[exit code 137 (SIGKILL)]");
  });

  test("/dev/stdout and /dev/stderr can be opened", async () => {
    expect(await textOf("echo a > /dev/stderr; echo b | tee /dev/stderr >/dev/null; echo c > /dev/stdout")).toBe(
      "a\nb\nc",
    );
  });

  test("terminal commands, progress bars and overstrikes do not come through", async () => {
    expect(await textOf(String.raw`printf '\e[31mred\e[0m\e]0;title\a 10%%\r 90%%\n\x9b1mB\bB\n'`)).not.toMatch(
      /\x1b|\x9b|10%|title/,
    );
    expect(await textOf(String.raw`printf '10%%\r100%%\nA\bA\n'`)).toBe("100%\nA");
  });

  test("a character cut by a buffer's end arrives whole, and bytes that are no text are replaced", async () => {
    expect(await textOf(String.raw`printf '\xe6\x97'; sleep 0.05; printf '\xa5\n\xff.'`)).toBe("日\n\ufffd.");
  });

  test("binary output is summed up", async () => {
    expect(await textOf("head -c 5000 /dev/urandom")).toBe(
      "[binary output, 5,000 bytes, not shown; send it to a file with > to keep it]",
    );
  });

  test("live output is shown while the command runs", async () => {
    const gate = join(folder, "gate");
    const running = run(`echo early; while [ ! -e ${gate} ]; do sleep 0.02; done`);
    await vi.waitFor(() => expect(live).not.toEqual([]));
    writeFileSync(gate, "");
    await running;
    expect(live.join("")).toBe("early\n");
  });
});

describe("how the command is run", () => {
  test("stdin is empty: a program that reads it ends at once", async () => {
    expect((await run("cat; read -r line; echo done", { timeout: 5 })).text).toBe("done");
  });

  test("the text reaches bash byte for byte", async () => {
    const text = await textOf(
      "cat <<'END'\n$HOME `x` \"q\" 'p' \\n * ~ é\nEND\necho \"$BASH_VERSION\" | grep -c '\\.'",
    );
    expect(text).toBe("$HOME `x` \"q\" 'p' \\n * ~ é\n1");
  });

  test("line numbers in messages are those of the command", async () => {
    expect(await textOf("echo a\nnosuchprogram")).toMatch(
      /line 2: nosuchprogram: command not found\n\[exit code 127\]$/,
    );
  });

  test("a syntax error quotes the command alone", async () => {
    const text = await textOf("if then");
    expect(text).toContain("syntax error near unexpected token `then'");
    expect(text).toContain("`if then'");
    expect(text).toMatch(/\[exit code 2\]$/);
  });

  test("tracing shows the command alone", async () => {
    expect(await textOf("set -x; echo a")).toBe("+ echo a\na");
    expect(await textOf("set -v\necho a")).toBe("echo a\na");
  });

  test("what follows exec is what ends the command", async () => {
    expect(await textOf("exec echo replaced")).toBe("replaced");
  });

  test("nothing of ours leaks into it: keys, pagers, editors, prompts", async () => {
    const text = await textOf("env");
    expect(text).toContain("BASE=base");
    expect(text).toMatch(/^TERM=dumb$/m);
    expect(text).toMatch(/^PAGER=cat$/m);
    expect(text).toMatch(/^GIT_TERMINAL_PROMPT=0$/m);
    expect(text).toMatch(/^GIT_EDITOR=true$/m);
    expect(text).not.toContain("VITEST");
  });

  test("an editor the user chose is kept", async () => {
    const own = create({ environment: () => ({ ...environment(), EDITOR: "ed" }) });
    expect((await own.run({ command: "echo $EDITOR" }, context())).text).toBe("ed");
  });

  test("a NUL in the command is refused with the way out", async () => {
    await expect(run("echo a\0b")).rejects.toThrow(/NUL character.*printf/);
  });

  test("a command longer than the system takes is refused with the way out", async () => {
    await expect(run(`: ${"x".repeat(200_000)}`)).rejects.toThrow(/too long.*write_file/);
  });

  test("a folder that may not be entered, or a missing shell, is told as a ToolError", async () => {
    writeFileSync(join(folder, "bash"), "#!/nonexistent/interpreter\n", { mode: 0o755 });
    const broken = create({ environment: () => ({ ...environment(), PATH: folder }) });
    await expect(broken.run({ command: "true" }, context())).rejects.toThrow(ToolError);
    await expect(broken.run({ command: "true" }, context())).rejects.toThrow(/cannot be started/);
  });

  test("a bash that a project puts on the PATH is not run", async () => {
    writeFileSync(join(folder, "bash"), "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
    writeFileSync(join(folder, "node_modules/.bin/bash"), "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
    const PATH = `.:${folder}/node_modules/.bin:${process.env.PATH}`;
    const careful = create({ environment: () => ({ ...environment(), PATH }) });
    expect((await careful.run({ command: "echo fine" }, context())).text).toBe("fine");
  });

  test("a call that only reads may run beside others, any other stands alone", async () => {
    const mixed = create({ parallelSafe: async (command) => command === "ls" });
    expect(await mixed.concurrency?.({ command: "ls" })).toBe("parallel-read");
    expect(await mixed.concurrency?.({ command: "rm x" })).toBe("alone");
  });

  test("eight reading calls run at the same time, each with its own output", async () => {
    const reading = create({ parallelSafe: () => true });
    const started = performance.now();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => reading.run({ command: `sleep 0.5; echo ${index}` }, context())),
    );
    expect(all.map((result) => result.text)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  test.each([0, -1, 601, "10"])("timeout %j is refused by the schema", (timeout) => {
    expect(tool.input.problems({ command: "true", timeout })).toHaveLength(1);
  });
});

describe("what carries over to the next command", () => {
  beforeEach(() => {
    mkdirSync(join(folder, "sub", "inner"), { recursive: true });
    mkdirSync(join(folder, "other"));
  });

  test.each([
    ["cd sub", "sub"],
    ["cd sub; cd inner", "sub/inner"],
    ["cd sub && false", "sub"],
    ["cd sub; exit 3", "sub"],
    ["cd sub; nosuchprogram", "sub"],
    ["pushd sub >/dev/null", "sub"],
    ["(cd sub)", ""],
    ["cd nowhere || cd other", "other"],
    ["d=sub; cd $d", "sub"],
    ["cd sub | cat", ""],
    ["cd sub; kill -TERM $$", "sub"],
    ["set -eu; cd sub; false", "sub"],
    ["f() { cd sub; }; f", "sub"],
    ["cd sub\nif then", "sub"],
  ])("the folder after %j", async (command, expected) => {
    await run(command);
    expect(workspace.cwd).toBe(join(folder, expected));
    expect(await textOf("pwd")).toBe(join(folder, expected));
  });

  test("cd - goes back, across calls", async () => {
    await run("cd sub");
    await run("cd ../other");
    expect(await textOf("cd -")).toBe(join(folder, "sub"));
    expect(workspace.previousCwd).toBe(join(folder, "other"));
    expect(await textOf("cd - >/dev/null; pwd")).toBe(join(folder, "other"));
  });

  test("a folder with a newline and quotes in its name", async () => {
    await run("mkdir $'a\\n\"b'; cd $'a\\n\"b'");
    expect(workspace.cwd).toBe(join(folder, 'a\n"b'));
    expect((await run("pwd")).isError).toBe(false);
  });

  test("a linked folder keeps the name it was entered by", async () => {
    await run("ln -s sub link; cd link");
    expect(workspace.cwd).toBe(join(folder, "link"));
    expect(await textOf("cd ..; pwd")).toBe(folder);
  });

  test("exported variables, changed and unset ones too; others do not", async () => {
    await run("export A=$'1\\n\"2\"' B=b; plain=x; export BASE=new; unset HOME");
    expect(await textOf('echo "$A|$B|$plain|$BASE|${HOME-gone}"')).toBe('1\n"2"|b||new|gone');
    await run("unset B; export A=2");
    expect(await textOf('echo "$A|${B-gone}"')).toBe("2|gone");
  });

  test("a PATH without bash does not lose the shell", async () => {
    await run("export PATH=/nowhere");
    expect(await textOf("echo still here")).toBe("still here");
  });

  test("what would run code in every later shell is not kept", async () => {
    await run("export BASH_ENV=/tmp/evil SHELLOPTS; set -e");
    expect(await textOf("echo ${BASH_ENV-none}; false; echo on")).toBe("none\non");
  });

  test("a command that closes every file still ends as it would", async () => {
    expect(await run("cd sub; exec 197>&-; exit 4")).toMatchObject({ text: "[exit code 4]", isError: true });
  });

  test("a command that sets its own trap, or is replaced, leaves the state as it was", async () => {
    await run("cd sub; trap 'echo bye' EXIT");
    await run("cd other; exec true");
    expect(workspace.cwd).toBe(folder);
  });

  test("a timeout leaves the state as it was", async () => {
    await run("cd sub; sleep 30", { timeout: 1 });
    expect(workspace.cwd).toBe(folder);
  });

  test("a reading command changes nothing, even beside others", async () => {
    const reading = create({ parallelSafe: () => true });
    await Promise.all([
      reading.run({ command: "cd sub; ls" }, context()),
      reading.run({ command: "cd other" }, context()),
    ]);
    expect(workspace.cwd).toBe(folder);
  });

  test("two agents at once keep their own folders", async () => {
    const other: Workspace = { ...workspace, exported: new Map() };
    await Promise.all([
      run("sleep 0.1; cd sub; export WHO=a"),
      run("sleep 0.1; cd other; export WHO=b", {}, { workspace: other }),
    ]);
    expect([workspace.cwd, other.cwd]).toEqual([join(folder, "sub"), join(folder, "other")]);
    expect([workspace.exported.get("WHO"), other.exported.get("WHO")]).toEqual(["a", "b"]);
  });

  test("a folder that was deleted is left for the nearest one above, and that is said", async () => {
    await run("cd sub/inner; rm -r ../../sub");
    const result = await run("pwd");
    expect(result.text).toBe(`[the folder ${join(folder, "sub/inner")} no longer exists; now in ${folder}]\n${folder}`);
    expect(workspace.cwd).toBe(folder);
    expect(await textOf("pwd")).toBe(folder);
  });
});

describe("the end of a command", () => {
  test("a timeout returns what was printed and ends everything that was started", async () => {
    const mark = "61.2501";
    const started = performance.now();
    const result = await run(`echo P; sleep ${mark} & (sleep ${mark}; true) & sleep ${mark}`, { timeout: 2 });
    expect(result.text).toMatch(/^P\n\[timed out after 2 s/);
    expect(result.isError).toBe(true);
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(survivors(mark)).toBe("");
  });

  test("a child that ignores TERM is killed", async () => {
    const mark = "61.2502";
    const result = await run(`trap '' TERM; echo P; bash -c "trap '' TERM; sleep ${mark}; true"; sleep ${mark}`, {
      timeout: 1,
    });
    expect(result.text).toMatch(/^P\n.*timed out after 1 s/s);
    expect(survivors(mark)).toBe("");
  });

  test("children with sessions and groups of their own are ended as well", async () => {
    const mark = "61.2503";
    await run(`setsid sleep ${mark} & set -m; sleep ${mark} & sleep ${mark}`, { timeout: 1 });
    expect(survivors(mark)).toBe("");
  });

  test("an interruption ends everything within a second", async () => {
    const mark = "61.2504";
    const gate = join(folder, "started");
    const running = run(`trap '' TERM; echo partial; sleep ${mark} & touch ${gate}; sleep ${mark}`);
    await vi.waitFor(() => expect(existsSync(gate)).toBe(true));
    const started = performance.now();
    stop.abort();
    const result = await running;
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(result).toMatchObject({ text: "partial\n[interrupted]", isError: true });
    expect(survivors(mark)).toBe("");
  });

  test("a call that comes after the interruption does not start", async () => {
    stop.abort();
    expect(await run(`touch ${join(folder, "ran")}`)).toEqual({ text: "[interrupted]", isError: true });
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test("a background child that holds the output does not hold the call, is named, and goes with the agent", async () => {
    const mark = "61.2505";
    const started = performance.now();
    const result = await run(`echo started; sleep ${mark} &`, { timeout: 10 });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(result.text).toMatch(/^started\n\(1 background process still running: \d+\)$/);
    expect(result.isError).toBe(false);
    expect(survivors(mark)).toBe(/running: (\d+)/.exec(result.text)?.[1]);
    killAllGroups();
    expect(survivors(mark)).toBe("");
  });

  test("a background child that goes on printing does not stall", async () => {
    const flag = join(folder, "printed");
    await run(`(for i in $(seq 20000); do echo a line that fills the pipe; done; touch ${flag}) &`);
    await vi.waitFor(() => expect(existsSync(flag)).toBe(true), { timeout: 10_000 });
  });

  test("children that left the group and the session are named, and go with the agent", async () => {
    const mark = "61.2506";
    const { text } = await run(`setsid sleep ${mark} & (setsid -f sleep ${mark} >/dev/null 2>&1); sleep 0.1`);
    expect(text).toMatch(/2 background processes still running: \d+, \d+/);
    killAllGroups();
    expect(survivors(mark)).toBe("");
  });

  test("a daemon that cleared its environment and holds the output is mentioned", async () => {
    expect((await run("env -i setsid -f sleep 1.2507; sleep 0.1")).text).toMatch(/left the command's group/);
  });

  test("a daemon is ended together with a command that runs too long", async () => {
    const mark = "61.2508";
    await run(`setsid -f sleep ${mark} >/dev/null 2>&1; sleep ${mark}`, { timeout: 1 });
    expect(survivors(mark)).toBe("");
  });

  test("a program that asked and gave up on an empty stdin is explained", async () => {
    const { text } = await run("read -r -p 'Project name: ' name < /dev/null; printf 'Project name: '; exit 1");
    expect(text).toMatch(/^Project name: \n\[it asked for input, and stdin is empty/);
  });

  test("a process that ends together with the command is not taken for a background process", async () => {
    for (let round = 0; round < 20; round++) expect(await textOf("echo a > >(cat)")).toBe("a");
  });
});

describe("long output", () => {
  test("keeps the beginning and the end, says how much there was, and saves the whole", async () => {
    const { text } = await run("echo HEAD; for i in {1..2000}; do printf 'line %090d\\n' $i; done; echo TAIL");
    expect(text.length).toBeLessThan(14_500);
    expect(text).toMatch(/^HEAD\n/);
    expect(text).toMatch(/\nTAIL$/);
    const [, left, total, lines, path = ""] =
      /\n\[… ([\d,]+) of ([\d,]+) characters \(([\d,]+) lines\) left out; the whole output is in (.+) …\]\n/.exec(
        text,
      ) ?? [];
    expect([left, total]).toEqual(["178,010", "192,010"]);
    expect(Number(lines?.replace(",", ""))).toBeGreaterThan(1_800);
    const saved = readFileSync(path, "utf8");
    expect(saved).toHaveLength(192_010);
    expect(saved.startsWith("HEAD\n") && saved.endsWith("TAIL\n")).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(path).toBe(join(folder, "7-output.txt"));
  });

  test("without a state folder it says that nothing was saved", async () => {
    const { text } = await run("seq 100000", {}, { outputFolder: () => undefined });
    expect(text).toMatch(/left out; it could not be saved: there is no state folder …\]/);
  });

  test("a folder that cannot be written to is no reason to fail", async () => {
    const { text, isError } = await run("seq 100000", {}, { outputFolder: () => "/proc/nowhere" });
    expect(text).toMatch(/saving it failed: ENOENT/);
    expect(isError).toBe(false);
  });

  test("500 MB leave memory as it was, and 32 MB of them are saved", async () => {
    await run("seq 1000000");
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
    const { text } = await run("echo HEAD; yes | head -c 500M; echo TAIL", { timeout: 60 });
    clearInterval(watch);
    expect(peak - before).toBeLessThan(50 * 1024 * 1024);
    const path = /the first 32 MB are in (.+) …\]/.exec(text)?.[1] ?? "";
    expect(statSync(path).size).toBe(32 * 1024 * 1024);
    expect(text).toContain("524,288,010 bytes");
    expect(text).toMatch(/^HEAD\n/);
    expect(text).toMatch(/\nTAIL$/);
  }, 60_000);
});
