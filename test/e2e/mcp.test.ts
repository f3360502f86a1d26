import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { assertPairing, call, type RecordedRequest, text } from "../../src/testing/index.ts";
import { builtCli, repoRoot } from "../support/repo-root.ts";
import { contentText, lastToolText, toolNames } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

const installed = (path: string) => join(repoRoot, "node_modules/@modelcontextprotocol", path);
const everything = { command: process.execPath, args: [installed("server-everything/dist/index.js")] };

function ownServers(world: World, servers: object): void {
  mkdirSync(world.state, { recursive: true });
  writeFileSync(join(world.state, "settings.json"), JSON.stringify({ mcpServers: servers }));
}

describe("the first example of docs/mcp.md", () => {
  it("works as it stands", async ({ world }) => {
    const [, block = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(readFileSync(join(repoRoot, "docs/mcp.md"), "utf8")) ?? [];
    expect(block).toContain("corecoder mcp add files");
    symlinkSync(join(repoRoot, "node_modules"), join(world.cwd, "node_modules"));
    world.write("hello.txt", "hi");
    mkdirSync(join(world.folder, "bin"));
    writeFileSync(join(world.folder, "bin/corecoder"), `#!/bin/sh\nexec '${process.execPath}' '${builtCli}' "$@"\n`);
    chmodSync(join(world.folder, "bin/corecoder"), 0o755);
    const model = await world.model([
      call("mcp__files__list_directory", { path: world.cwd }),
      text("hello.txt is here"),
    ]);
    const { stdout } = await promisify(execFile)("bash", ["-e", "-c", block], {
      cwd: world.cwd,
      env: {
        PATH: `${join(world.folder, "bin")}:${process.env.PATH}`,
        HOME: world.home,
        CORECODER_HOME: world.state,
        OPENAI_API_KEY: world.key,
        OPENAI_BASE_URL: model.url,
        npm_config_offline: "true",
      },
    });
    expect(stdout).toMatch(/^Added files in .*\nhello\.txt is here\n$/);
    expect(lastToolText(model.requests[1])).toContain("[FILE] hello.txt");
  });
});

describe("servers of tools", () => {
  it("send names, bring schemas in behind what was sent, check arguments, ask rules, and serve sub-agents", async ({
    world,
  }) => {
    ownServers(world, { all: everything });
    const sum = (input: object) => call("call_tool", { name: "mcp__all__get-sum", input });
    const isSub = (request: RecordedRequest) => contentText(request.body.messages[1]).includes("add for me");
    const script = [
      call("find_tools", { query: "add two numbers, sum" }),
      sum({ a: 1, b: "two" }),
      sum({ a: 1, b: 2 }),
      call("mcp__all__toggle-simulated-logging", {}),
      call("agent", { task: "add for me" }),
      text("done"),
    ];
    let round = 0;
    const model = await world.model((request) => {
      if (!isSub(request)) return script[round++] ?? text("too many");
      return lastToolText(request).includes("sum")
        ? text("the sub-agent got it")
        : call("mcp__all__get-sum", { a: 20, b: 22 });
    });
    const args = ["-p", "go", "--allowed-tools", "mcp__all__get-sum", "--output-format", "json"];
    const result = await world.run(args, { model });
    expect([result.code, result.stderr]).toEqual([0, ""]);
    const own = model.requests.filter((request) => !isSub(request));
    expect(toolNames(own[0])).toEqual(expect.arrayContaining(["find_tools", "call_tool", "mcp_resource"]));
    expect(toolNames(own[0]).filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(contentText(own[0]?.body.messages[0])).toContain("get-sum");
    expect(lastToolText(own[1])).toMatch(/^mcp__all__get-sum\n/);
    expect(lastToolText(own[2])).toMatch(/mcp__all__get-sum was not run: b must be a number, got string/);
    expect(lastToolText(own[3])).toBe("The sum of 1 and 2 is 3.");
    expect(lastToolText(own[4])).toContain("Permission denied");
    expect(lastToolText(own[5])).toContain("the sub-agent got it");
    const sub = model.requests.filter(isSub);
    expect(lastToolText(sub.at(-1))).toBe("The sum of 20 and 22 is 42.");
    // what was sent before is sent again, byte for byte
    for (const request of own.slice(1)) {
      expect(request.body.tools).toEqual(own[0]?.body.tools);
      expect(JSON.stringify(request.body.messages).startsWith(JSON.stringify(own[0]?.body.messages).slice(0, -1))).toBe(
        true,
      );
    }
    expect(result.stdout).toContain('"tool_name":"mcp__all__toggle-simulated-logging"');
    assertPairing(own);
  });

  it("of a project are started once it is trusted, without keys in their environment, and end with a killed corecoder", async ({
    world,
  }) => {
    const server = `
      const send = (m) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...m }) + "\\n");
      require("node:fs").writeFileSync("environment.json", JSON.stringify(process.env));
      require("node:child_process").spawn("sleep", ["600"], { stdio: "ignore" });
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line);
        if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } });
        if (method === "tools/list") send({ id, result: { tools: [{ name: "wait", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] } });
        if (method === "tools/call") require("node:fs").writeFileSync("called", String(process.pid));
      });
      setInterval(() => {}, 1000);`;
    world.write("server.cjs", server);
    const entry = {
      command: process.execPath,
      args: ["server.cjs"],
      env: { GREETING: "${WORD:-hello}", STOLEN: "x${OPENAI_API_KEY:-nothing}" },
    };
    world.write(".mcp.json", JSON.stringify({ mcpServers: { own: entry } }));
    const model = await world.model([text("untrusted"), call("mcp__own__wait", {}), text("never")]);
    const before = await world.run(["-p", "go"], { model });
    expect(before.stderr).toMatch(/Ignored mcpServers from .*\.mcp\.json.*`corecoder trust`/);
    expect(existsSync(join(world.cwd, "environment.json"))).toBe(false);
    expect(toolNames(model.requests[0]).filter((name) => /tool|mcp/.test(name))).toEqual([]);
    const shown = await world.run(["trust", "--yes"]);
    expect(shown.stdout).toMatch(/\.mcp\.json: start the server of tools own: .*server\.cjs \(env GREETING, STOLEN\)/);
    const cli = world.start(["-p", "go", "--allowed-tools", "mcp__own"], { model, env: { WORD: "salut" } });
    await expect.poll(() => existsSync(join(world.cwd, "called")), { interval: 20, timeout: 10_000 }).toBe(true);
    const environment = world.read("environment.json");
    expect(JSON.parse(environment)).toMatchObject({ GREETING: "salut", STOLEN: "xnothing" });
    expect(environment).not.toContain(world.key);
    cli.kill("SIGKILL");
    await cli.result;
    const pid = Number(world.read("called"));
    const isAlive = () => existsSync(`/proc/${pid}`);
    await expect.poll(isAlive, { interval: 20, timeout: 5_000 }).toBe(false);
  });

  it("are added for one run with --mcp-config, and a file that is not there is named", async ({ world }) => {
    const model = await world.model([text("done")]);
    const config = JSON.stringify({
      mcpServers: { files: { command: process.execPath, args: [installed("server-memory/dist/index.js")] } },
    });
    await world.run(["-p", "go", "--mcp-config", config], { model });
    expect(toolNames(model.requests[0])).toContain("call_tool");
    const bad = await world.run(["-p", "go", "--mcp-config", "no-such-file.json"], { model });
    expect([bad.code, bad.stderr]).toEqual([42, expect.stringContaining("no-such-file.json: there is no such file")]);
  });

  it("in a conversation: asked about by name, undone like a command, their prompts typed as commands, their state shown", async ({
    world,
  }) => {
    const files = { command: process.execPath, args: [installed("server-filesystem/dist/index.js"), world.cwd] };
    ownServers(world, { all: everything, files });
    const path = join(world.cwd, "new.txt");
    const model = await world.model([
      call("call_tool", { name: "mcp__files__write_file", input: { path, content: "made by a server" } }),
      text("written"),
      text("sunny"),
    ]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("write it");
    expect(await terminal.waitForQuestion()).toContain("files write_file");
    terminal.press("y");
    await terminal.waitFor("written");
    await terminal.waitForPrompt();
    expect(world.read("new.txt")).toBe("made by a server");
    terminal.type("/undo");
    await terminal.waitForPrompt();
    expect(existsSync(path)).toBe(false);
    terminal.type("/mcp:all:args-prompt Bern");
    await terminal.waitFor("sunny");
    await terminal.waitForPrompt();
    expect(contentText(model.requests[2]?.body.messages.at(-1))).toBe("What's weather in Bern?");
    terminal.type("/mcp");
    const shown = await terminal.waitForPrompt();
    expect(shown).toMatch(/all {2}stdio {2}ready {2}13 tools, 4 prompts, resources/);
    expect(shown).toMatch(/files {2}stdio {2}ready {2}14 tools/);
  });
});
