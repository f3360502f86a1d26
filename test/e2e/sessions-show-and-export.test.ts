import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, calls, text } from "../../src/testing/index.ts";
import { finished, said, saveLog } from "../support/saved-logs.ts";
import { prompt } from "../support/session-entries.ts";
import { it, type World } from "../support/world.ts";

const secret = ["ghp", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA3"].join("_");

/** A session that reads, edits, fails and prints a secret; answers with its id. */
async function work(world: World): Promise<string> {
  world.write("a.txt", "one\ntwo\n");
  const model = await world.model([
    calls([call("read_file", { file_path: "a.txt" })], { text: "Let me **look**." }),
    call("edit_file", { file_path: "a.txt", old_string: "two", new_string: "three" }),
    call("bash", { command: `echo made > b.txt; echo ${secret}; printf '\\033[31m</script>\\n'; exit 3` }),
    text("All <b>done</b>."),
  ]);
  const { code } = await world.run(["-p", "Change the file.", "--dangerously-skip-permissions"], { model });
  expect(code).toBe(0);
  return JSON.parse((await world.run(["sessions", "list", "--json"])).stdout)[0].id;
}

describe("corecoder sessions show", () => {
  it("reads a session again, by its id, the beginning of it, or its name", async ({ world }) => {
    const id = await work(world);
    const { code, stdout, stderr } = await world.run(["sessions", "show", id.slice(0, -3)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Session ${id}\nin ${world.cwd}`);
    expect(stdout).toContain("> Change the file.\n\nLet me **look**.\n  → read a.txt\n  → edit a.txt\n    ± a.txt\n");
    expect(stdout).toMatch(/→ \$ echo made > b\.txt/);
    expect(stdout).toMatch(/✗ .*\[exit code 3\]/);
    expect(stdout).toMatch(/✓ done \(4 model calls/);
    expect(stdout).not.toContain("\u001b");
    saveLog(world.state, {
      id: "named",
      entries: [prompt("m1", "hi"), { type: "name", name: "my best work" }, finished()],
    });
    expect((await world.run(["sessions", "show", "my best work"])).stdout).toContain('Session named "my best work"');
  });

  it("unfolds everything with --verbose", async ({ world }) => {
    const id = await work(world);
    const { stdout } = await world.run(["sessions", "show", id, "--verbose"]);
    expect(stdout).toContain('┊ {"file_path":"a.txt"}');
    expect(stdout).toMatch(/│ -two\n.*│ \+three/);
    expect(stdout).toMatch(/│ \+made/);
  });

  it("gives machines the documented JSON", async ({ world }) => {
    const id = await work(world);
    const session = JSON.parse((await world.run(["sessions", "show", id, "--json"])).stdout);
    expect(session).toMatchObject({ format: "corecoder-session", version: 1, session: { id, filesChanged: 2 } });
    expect(session.items.map(({ type }: { type: string }) => type)).toEqual([
      "prompt",
      "answer",
      "call",
      "call",
      "call",
      "answer",
      "ending",
    ]);
    expect(session.items[4]).toMatchObject({
      tool: "bash",
      label: "$",
      result: { isError: true },
      changed: [{ path: "b.txt", use: "created" }],
    });
    expect(session.modelCalls).toHaveLength(4);
  });

  it("shows what there is of a damaged log", async ({ world }) => {
    const id = await work(world);
    const [{ path }] = JSON.parse((await world.run(["sessions", "list", "--json"])).stdout);
    const bytes = readFileSync(path);
    bytes.write("XXXX", bytes.indexOf("Let me"));
    writeFileSync(path, bytes);
    const { code, stdout } = await world.run(["sessions", "show", id]);
    expect(code).toBe(0);
    expect(stdout).toContain("cannot be read (checksum)");
    expect(stdout).toContain("> Change the file.");
    expect(stdout).toContain("All <b>done</b>.");
  });
});

describe("corecoder sessions export", () => {
  it("writes Markdown to standard output, or what the file's ending says, without the secrets", async ({ world }) => {
    const id = await work(world);
    const plain = await world.run(["sessions", "export", id]);
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    expect(plain.stdout).toMatch(/^# Change the file\.\n/);
    for (const [file, begins] of [
      ["s.md", "# Change"],
      ["s.json", "{"],
      ["s.html", "<!doctype html>"],
      ["s.HTM", "<!doctype html>"],
      ["s", "# Change"],
    ] as const) {
      const { code, stdout, stderr } = await world.run(["sessions", "export", id, "-o", file]);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: "",
        stderr: `The session is in ${join(world.cwd, file)}.\n`,
      });
      const written = world.read(file);
      expect(written.startsWith(begins)).toBe(true);
      expect(written).not.toContain(secret);
      expect(written).toContain("ghp_[masked]");
      expect(written).not.toContain("\u001b");
      expect(written).toContain("made");
    }
    expect((await world.run(["sessions", "export", id, "--format", "json", "-o", "-"])).stdout).toMatch(/^\{/);
  });

  it("makes one page that needs nothing else and cannot be broken out of", async ({ world }) => {
    const id = await work(world);
    await world.run(["sessions", "export", id, "--format=html", "-o", "page"]);
    const page = world.read("page");
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    expect(page).toContain("&lt;/script&gt;");
    expect(page).toContain('<span class="plus">+three</span>');
    expect(page).toContain('<span class="plus">+made</span>');
    expect(page).toContain("<strong>look</strong>");
    expect(page).toContain("All &lt;b&gt;done&lt;/b&gt;.");
    expect(page).toContain("default-src &#39;none&#39;".replaceAll("&#39;", "'"));
  });

  it("goes on when what was kept for undo, or a kept text, is gone", async ({ world }) => {
    const id = await work(world);
    rmSync(join(world.state, "undo"), { recursive: true, force: true });
    const [{ path }] = JSON.parse((await world.run(["sessions", "list", "--json"])).stdout);
    rmSync(path.replace(".jsonl", ""), { recursive: true, force: true });
    const { code, stdout } = await world.run(["sessions", "export", id]);
    expect(code).toBe(0);
    expect(stdout).toContain("+three");
    expect(existsSync(join(world.state, "undo"))).toBe(false);
  });

  it("refuses bad input with exit code 42 and says what is wrong", async ({ world }) => {
    saveLog(world.state, { id: "20260101-a", entries: [prompt("m1", "a")] });
    saveLog(world.state, { id: "20260101-b", entries: [said("m1", "b")], project: "other" });
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [["show"], /Usage: corecoder sessions/],
      [["show", "a", "b"], /Usage: corecoder sessions/],
      [["dance"], /Usage: corecoder sessions/],
      [["constructor"], /Usage: corecoder sessions/],
      [["list", "x"], /Usage: corecoder sessions/],
      [["show", "nothing"], /no session nothing/],
      [["show", "20260101"], /beginning of 2 sessions/],
      [["show", "../../etc/passwd"], /no session id/],
      [["export", "/etc/passwd"], /no session id/],
      [["export", "/etc/x.jsonl"], /not below/],
      [["doctor", "nothing"], /no session nothing/],
      [["export", "20260101-a", "--format", "pdf"], /--format must be one of md, json, html/],
      [["export", "20260101-a", "-o", "no/such/folder/x.md"], /x\.md cannot be written/],
      [["export", "20260101-a", "-o"], /-o needs a value/],
    ];
    for (const [args, problem] of refusals) {
      const { code, stdout, stderr } = await world.run(["sessions", ...args]);
      expect({ args, code, stdout }).toEqual({ args, code: 42, stdout: "" });
      expect(stderr).toMatch(problem);
      expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
    }
  });
});
