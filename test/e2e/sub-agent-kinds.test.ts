import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { assertPairing, call, calls, type RecordedRequest, stall, text } from "../../src/testing/index.ts";
import { wires } from "../conformance/provider-wires.ts";
import { repoRoot } from "../support/repo-root.ts";
import { resultOf } from "../support/stream-events.ts";
import { contentText, lastToolText, toolNames, toolTexts } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

const isFirst = (request: RecordedRequest) => request.body.messages.length === 2;
const system = (request: RecordedRequest | undefined) => contentText(request?.body.messages[0]);
const task = (request: RecordedRequest | undefined) => contentText(request?.body.messages[1]);

function git(world: World, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: world.home, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"];
  return execFileSync("git", [...identity, ...args], { cwd: world.cwd, env, stdio: "pipe", encoding: "utf8" });
}

function makeRepository(world: World): void {
  git(world, "init", "--quiet", "-b", "main");
  world.write("a.txt", "one\n");
  git(world, "add", ".");
  git(world, "commit", "--quiet", "-m", "first");
}

describe("a kind of sub-agent", () => {
  it("explore only reads, with few tools, a short prompt and little thinking", async ({ world }) => {
    world.write("AGENTS.md", "Be formal.");
    const model = await world.model((request) => {
      if (toolNames(request).includes("agent"))
        return isFirst(request) ? call("agent", { task: "look", type: "explore" }) : text("done");
      return isFirst(request)
        ? calls([call("bash", { command: "touch made" }), call("bash", { command: "ls" })])
        : text("seen");
    });
    const result = await world.run(["-p", "go", "-m", "gpt-5.5", "--permission-mode", "bypassPermissions"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    const [parent, explorer, second] = model.requests;
    expect(toolNames(explorer).sort()).toEqual(["bash", "glob", "grep", "read_file", "recall"]);
    expect(explorer?.body.reasoning_effort).toBe("low");
    expect(parent?.body.reasoning_effort).toBeUndefined();
    expect(system(parent)).toContain("Be formal.");
    expect(system(explorer)).not.toContain("Be formal.");
    expect(system(explorer).length).toBeLessThan(800);
    expect(toolTexts(second)[0]).toMatch(/only reads/);
    expect(toolTexts(second)[1]).toContain("AGENTS.md");
    expect(existsSync(join(world.cwd, "made"))).toBe(false);
  });

  it("of a file has its prompt, tools and model, its cost is its model's, and a bad file is told once", async ({
    world,
  }) => {
    world.write(
      "../.claude/agents/reviewer.md",
      "---\ndescription: Reviews changes.\ntools: Read, Nonsense\nmodel: gpt-4o-mini\n---\nYou are a strict reviewer.\n",
    );
    world.write(".corecoder/agents/bad.md", "---\nname: bad\n---\nNo description.\n");
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const model = await world.model((request) => {
      if (toolNames(request).includes("agent"))
        return isFirst(request)
          ? calls([call("agent", { task: "review", type: "reviewer" })], { usage: { inputTokens: 0, outputTokens: 0 } })
          : text("done", { usage: { inputTokens: 0, outputTokens: 0 } });
      return text("looks fine", { usage });
    });
    const args = ["-p", "go", "-m", "gpt-4o", "--output-format", "stream-json"];
    const result = await world.run(args, { model });
    const [parent, reviewer] = model.requests;
    const described = JSON.stringify(parent?.body.tools);
    expect(described).toContain("- reviewer: Reviews changes.");
    expect(reviewer?.body.model).toBe("gpt-4o-mini");
    expect(system(reviewer)).toContain("You are a strict reviewer.");
    expect(toolNames(reviewer).sort()).toEqual(["read_file", "recall"]);
    expect(resultOf(result.events).total_cost_usd).toBeCloseTo(0.15, 6);
    expect(result.stderr.match(/bad\.md/g)).toHaveLength(1);
    expect(JSON.stringify(result.events)).toContain("tools that do not exist here: Nonsense");
  });

  it.for([...wires])(
    "fork goes on with the parent's own bytes, and starts no others: $name",
    async (wire, { world }) => {
      world.write("a.txt", "alpha\n");
      const isFork = (request: RecordedRequest) => request.rawBody.includes("You are a fork");
      const model = await world.model((request) => {
        if (isFork(request))
          return request.rawBody.includes("cannot start others") ? text("forked") : call("agent", { task: "more" });
        if (!request.rawBody.includes("alpha")) return call("read_file", { file_path: "a.txt" });
        if (request.rawBody.includes("forked")) return text("done");
        return calls([call("agent", { task: "left", type: "fork" }), call("agent", { task: "right", type: "fork" })]);
      });
      const options = ["--provider", wire.provider, "-m", wire.model];
      const env = { [wire.keyVariable]: world.key, CORECODER_BASE_URL: model.url };
      const result = await world.run(["-p", "go", ...options], { env });
      expect(result).toMatchObject({ code: 0, stdout: "done\n" });
      // marks of what is to be cached move on with every request
      const withoutMarks = ({ rawBody }: RecordedRequest) => rawBody.replaceAll(/,"cache_control":\{[^}]*\}/g, "");
      const last = withoutMarks(model.requests[1]!);
      const forks = model.requests.filter(isFork);
      expect(forks).toHaveLength(4);
      const shared = last.slice(0, last.lastIndexOf("alpha"));
      expect(shared.length).toBeGreaterThan(4_000);
      if (wire.name === "openai-chat") expect(forks[0]?.rawBody.startsWith(last.slice(0, -"]}".length))).toBe(true);
      for (const fork of forks) expect(withoutMarks(fork).startsWith(shared)).toBe(true);
      assertPairing(model.requests);
    },
  );
});

describe("the first example of docs/sub-agents.md", () => {
  it("works as it stands", async ({ world }) => {
    const page = readFileSync(join(repoRoot, "docs/sub-agents.md"), "utf8");
    const [, block = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? [];
    world.write("try.sh", `set -e\n${block.replace(/^corecoder .*$/gm, "")}`);
    execFileSync("bash", ["try.sh"], { cwd: world.cwd, env: { PATH: process.env.PATH, HOME: world.home } });
    const model = await world.model((request) => {
      if (!toolNames(request).includes("agent"))
        return isFirst(request) ? call("bash", { command: "rm try.sh" }) : text("no defects");
      return isFirst(request) ? call("agent", { task: "review it", type: "reviewer" }) : text("done");
    });
    const result = await world.run(["-p", "have it reviewed"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    expect(system(model.requests[1])).toMatch(/^You review changes\./);
    expect(lastToolText(model.requests[2])).toContain("only reads");
    expect(lastToolText(model.requests.at(-1))).toBe("no defects");
  });
});

describe("a sub-agent in the background", () => {
  it("answers at once, and is announced with the message after its end", async ({ world }) => {
    let round = 0;
    const notice = (request: RecordedRequest) =>
      request.body.messages.map(contentText).find((content) => content.includes("background job agent"));
    const model = await world.model((request) => {
      if (!toolNames(request).includes("agent")) return text("found\nnothing odd");
      if (isFirst(request)) return call("agent", { task: "watch", run_in_background: true });
      return notice(request) ? text("done") : call("bash", { command: `echo ${round++}` });
    });
    const result = await world.run(["-p", "go"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    expect(toolTexts(model.requests.at(-1))[0]).toMatch(/^agent\d+ works in the background/);
    expect(notice(model.requests.at(-1)!)).toMatch(
      /agent\d+ is done after .* \(watch\)\. New output:\n\| found\n\| nothing odd\n\]/,
    );
    assertPairing(model.requests);
  });

  it("ends with the session, and nothing of it stays", async ({ world }) => {
    makeRepository(world);
    const model = await world.model((request) => {
      if (!toolNames(request).includes("agent")) return stall();
      return isFirst(request)
        ? call("agent", { task: "never ends", run_in_background: true, isolation: "worktree" })
        : text("done");
    });
    const result = await world.run(["-p", "go"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    expect(git(world, "branch", "--format=%(refname:short)")).toBe("main\n");
    expect(
      existsSync(`${world.state}-worktrees/`) && readdirSync(`${world.state}-worktrees`, { recursive: true }).length,
    ).toBeFalsy();
  });
});

describe("a sub-agent in a worktree", () => {
  it("edits beside another at the same time; what changed is kept and named, what did not is gone", async ({
    world,
  }) => {
    makeRepository(world);
    const names = ["left", "right", "idle"];
    const model = await world.model((request) => {
      if (toolNames(request).includes("agent"))
        return isFirst(request)
          ? calls(names.map((name) => call("agent", { task: name, isolation: "worktree" })))
          : text("done");
      const name = names.find((each) => task(request).endsWith(each));
      const round = name === "idle" ? 9 : request.body.messages.length;
      if (round === 2) return call("read_file", { file_path: "a.txt" });
      if (round > 4) return text(`${name} done`);
      return call("edit_file", { file_path: "a.txt", old_string: "one", new_string: name });
    });
    const result = await world.run(["-p", "go"], { model });
    expect(result.code).toBe(0);
    const reports = toolTexts(model.requests.at(-1));
    for (const [at, name] of ["left", "right"].entries()) {
      const [, path = "", branch = ""] =
        /worktree (\S+) on the branch (\S+): 1 file changed/.exec(reports[at] ?? "") ?? [];
      expect(readFileSync(join(path, "a.txt"), "utf8")).toBe(`${name}\n`);
      expect(git(world, "branch", "--list", branch)).toContain(branch);
      expect(result.stderr).toContain(branch);
    }
    expect(reports[2]).toBe("idle done");
    // nothing for undo to take back
    const [log = ""] = readdirSync(world.state, { recursive: true, encoding: "utf8" }).filter((name) =>
      /^sessions\/[^/]+\/[^/]+\.jsonl$/.test(name),
    );
    expect(readFileSync(join(world.state, log), "utf8")).not.toContain('"type":"changes"');
    expect(world.read("a.txt")).toBe("one\n");
    expect(git(world, "worktree", "list").trim().split("\n")).toHaveLength(3);
  });
});

describe("an interrupted sub-agent", () => {
  it("leaves its work where it can be found, and its sibling that changed nothing leaves nothing", async ({
    world,
  }) => {
    makeRepository(world);
    const model = await world.model((request) => {
      if (toolNames(request).includes("agent"))
        return calls(["busy", "idle"].map((name) => call("agent", { task: name, isolation: "worktree" })));
      const isBusy = task(request).endsWith("busy");
      return isBusy && isFirst(request) ? call("write_file", { file_path: "new.txt", content: "x\n" }) : stall();
    });
    const cli = world.start(["-p", "go"], { model });
    await model.waitForRequest(4);
    cli.kill("SIGINT");
    const { code, stderr } = await cli.result;
    expect(code).toBe(130);
    const [, path = "", branch = ""] = /worktree (\S+) on the branch (\S+): 1 file changed/.exec(stderr) ?? [];
    expect(readFileSync(join(path, "new.txt"), "utf8")).toBe("x\n");
    expect(git(world, "branch", "--format=%(refname:short)").trim().split("\n")).toEqual([branch, "main"]);
  });
});

describe("a sub-agent's question", () => {
  it("reaches the person with the agent's name", async ({ world }) => {
    const model = await world.model((request) => {
      if (!toolNames(request).includes("agent"))
        return isFirst(request) ? call("bash", { command: "touch made" }) : text("made it");
      return isFirst(request) ? call("agent", { task: "make it" }) : text("finished");
    });
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("go");
    await terminal.waitFor(/general[:)]/);
    await terminal.waitForQuestion();
    terminal.press("y");
    await terminal.waitFor("finished");
    expect(existsSync(join(world.cwd, "made"))).toBe(true);
  });
});

describe("money shared by a parent and three sub-agents", () => {
  it("is overrun by one call at most", async ({ world }) => {
    // $0.01 a call
    const usage = { inputTokens: 4_000, outputTokens: 0 };
    let agent = 0;
    const model = await world.model((request) => {
      if (toolNames(request).includes("agent"))
        return calls(
          ["a", "b", "c"].map((name) => call("agent", { task: name })),
          { usage },
        );
      return calls([call("bash", { command: `echo ${agent++}` })], { usage, gapMs: 5 });
    });
    const args = ["-p", "go", "-m", "gpt-4o", "--max-budget-usd", "0.045", "--output-format", "json"];
    const result = await world.run(args, { model });
    expect(result.code).toBe(55);
    expect(model.requests).toHaveLength(5);
    expect(JSON.parse(result.stdout).total_cost_usd).toBeCloseTo(0.05, 6);
  });
});

describe("a sub-agent that finds no end", () => {
  const isSub = (request: RecordedRequest) => !toolNames(request).includes("agent");
  const looping = (command: (round: number) => string) => (request: RecordedRequest, index: number) => {
    if (isSub(request)) return call("bash", { command: command(index) });
    return isFirst(request) ? call("agent", { task: "loop" }) : text("done");
  };

  it("and repeats itself is stopped, and its parent is told", async ({ world }) => {
    const model = await world.model(looping(() => "echo same"));
    await world.run(["-p", "go"], { model });
    expect(lastToolText(model.requests.at(-1))).toContain("it called bash 11 times with the same result");
  });

  it("has no more rounds than its parent has left", async ({ world }) => {
    const model = await world.model(looping((round) => `echo ${round}`));
    const result = await world.run(["-p", "go", "--max-rounds", "5"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    expect(model.requests.filter(isSub)).toHaveLength(4);
    expect(lastToolText(model.requests.at(-1))).toContain("round limit of 4");
  });
});

describe("a sub-agent's session", () => {
  it("is not listed with the others, is found by its id and can be gone on with", async ({ world }) => {
    const model = await world.model((request) => {
      if (request.rawBody.includes("and now?")) return text("going on");
      if (!toolNames(request).includes("agent")) return text("the secret is 42");
      return isFirst(request) ? call("agent", { task: "find the secret" }) : text("done");
    });
    await world.run(["-p", "go"], { model });
    const listed = JSON.parse((await world.run(["sessions", "list", "--json"])).stdout) as { id: string }[];
    expect(listed).toHaveLength(1);
    const shown = (await world.run(["sessions", "show", listed[0]?.id ?? ""])).stdout;
    const id = /own session is (\S+):/.exec(shown)?.[1] ?? "";
    const result = await world.run(["-p", "and now?", "-r", id], { model });
    expect(result).toMatchObject({ code: 0, stdout: "going on\n" });
    const sent = model.requests.at(-1)!.body.messages.map(contentText);
    expect(sent.slice(1)).toEqual(["find the secret", "the secret is 42", "and now?"]);
    const last = await world.run(["-p", "and now? again", "-c"], { model });
    expect(last.code).toBe(0);
    expect(contentText(model.requests.at(-1)!.body.messages[1])).toBe("go");
  });
});
