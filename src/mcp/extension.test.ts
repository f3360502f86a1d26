import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { repoRoot } from "../../test/support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { errorOf, runTool, workspaceAt } from "../../test/support/tool-run.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Extension } from "../contracts/extension.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import type { AnyTool } from "../contracts/tool.ts";
import { createMcpExtension, type McpOptions } from "./extension.ts";

const folder = makeTempFolder();
afterAll(() => removeTempFolder(folder));
const opened: Extension[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((extension) => extension.close?.()));
});

/** A server in a few lines: `tools`, `on` a call, and anything else it wants to do wrong. */
const skeleton = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const fs = require("node:fs");
const { env } = process;
let tools = JSON.parse(env.TOOLS ?? "[]");
let onCall = (id, name, args) => send({ id, result: { content: [{ type: "text", text: name + " " + JSON.stringify(args) }] } });
let onStart = () => {};
let answersHello = true;
let declared = { tools: { listChanged: true } };
BODY
let rest = "";
process.stdin.on("data", (bytes) => {
  rest += bytes;
  const lines = rest.split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize" && answersHello)
      send({ id, result: { protocolVersion: params.protocolVersion, capabilities: declared, serverInfo: { name: "t", version: "1" } } });
    if (method === "notifications/initialized") onStart();
    if (method === "notifications/cancelled") fs.appendFileSync("cancelled", "x");
    if (method === "tools/list") send({ id, result: { tools } });
    if (method === "tools/call") onCall(id, params.name, params.arguments, params);
  }
});
process.stdin.on("end", () => process.exit());
`;

const aTool = (name: string, more: object = {}) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  ...more,
});

function server(name: string, body: string, tools: readonly unknown[] = [aTool("echo")]): McpServer {
  const file = join(folder, `${name}.cjs`);
  writeFileSync(
    file,
    skeleton.replace("BODY", () => body),
  );
  const env = { TOOLS: JSON.stringify(tools) };
  return { name, file, owner: "person", connection: { type: "stdio", command: process.execPath, args: [file], env } };
}

async function open(servers: readonly McpServer[], more: Partial<McpOptions> = {}) {
  const said: string[] = [];
  const extension = await createMcpExtension({
    servers,
    cwd: folder,
    stateFolder: join(folder, "state"),
    environment: {},
    ownEnvironment: {},
    version: "0",
    startTimeoutMs: 5_000,
    callTimeoutMs: 5_000,
    waitMs: 5_000,
    directTools: 8,
    estimateTokens,
    onNotice: (text) => said.push(text),
    ...more,
  });
  opened.push(extension);
  const call = async (name: string, input: Record<string, unknown> = {}, signal?: AbortSignal) => {
    const tool = extension.tools?.find((each) => each.name === name) ?? (await extension.findTool?.(name));
    if (tool === undefined) throw new Error(`There is no tool ${name}`);
    return runTool(tool, input, workspaceAt(folder), signal);
  };
  return { extension, said, call };
}

const namesOf = (tools: readonly AnyTool[] = []) => tools.map(({ name }) => name);
const starts = () => {
  try {
    return readFileSync(join(folder, "starts"), "utf8").length;
  } catch {
    return 0;
  }
};
const countStart = `fs.appendFileSync("starts", "x");`;

describe("the tools of a server", () => {
  it("are remembered, so that the next session knows them and starts the server only when one is called", async () => {
    const lazy = server("lazy", countStart);
    const first = await open([lazy]);
    expect([namesOf(first.extension.tools), first.extension.section, starts()]).toEqual([
      ["mcp__lazy__echo"],
      undefined,
      1,
    ]);
    await first.extension.close?.();
    const second = await open([lazy]);
    expect([namesOf(second.extension.tools), starts()]).toEqual([["mcp__lazy__echo"], 1]);
    expect((await second.call("mcp__lazy__echo", { text: "hi" })).text).toBe('echo {"text":"hi"}');
    expect(starts()).toBe(2);
    const [file = ""] = readdirSync(join(folder, "state/mcp"));
    expect(statSync(join(folder, "state/mcp", file)).mode & 0o777).toBe(0o600);
  });

  it("that changed since are told of, the lost ones answer what became of them, and the list is kept for next time", async () => {
    writeFileSync(join(folder, "offer"), JSON.stringify([aTool("old"), aTool("stays")]));
    const moody = server("moody", `tools = JSON.parse(fs.readFileSync("offer", "utf8"));`);
    await (await open([moody])).extension.close?.();
    writeFileSync(join(folder, "offer"), JSON.stringify([aTool("stays"), aTool("new")]));
    const { extension, call, said } = await open([moody]);
    expect(namesOf(extension.tools)).toEqual(["mcp__moody__old", "mcp__moody__stays"]);
    await call("mcp__moody__stays");
    expect(await errorOf(call("mcp__moody__old"))).toBe("The MCP server moody does not offer old any more.");
    expect((await call("mcp__moody__new")).text).toBe("new {}");
    const change = "The MCP server moody offers also mcp__moody__new, offers no more old.";
    expect([said, extension.pendingNotices?.()[0]?.split("\n")[0]]).toEqual([[change], change]);
    expect(extension.pendingNotices?.()).toEqual([]);
    expect(namesOf((await open([moody])).extension.tools)).toEqual(["mcp__moody__new", "mcp__moody__stays"]);
  });

  it("in odd shapes are cleaned, and those without a usable name are left out", async () => {
    const odd = server("odd", "declared = {};", [
      { name: "a.b/c", description: "red \u001b[31m\u{E0041}text", inputSchema: null },
      { name: "with\u0007bell" },
      { name: "x".repeat(80) },
      7,
      { name: "" },
    ]);
    const { extension } = await open([odd]);
    expect(extension.tools?.map(({ name, description }) => [name, description])).toEqual([
      ["mcp__odd__a_b_c", "red text"],
      [expect.stringMatching(/^mcp__odd__x{46}_\w{7}$/), `${"x".repeat(80)}, a tool of the server odd`],
    ]);
  });

  it("more than a handful are named, found by what they do, and called without their schemas ever in the prefix", async () => {
    const many = Array.from({ length: 200 }, (_, at) =>
      aTool(
        `${["create", "list", "delete", "update"][at % 4]}_${["issue", "branch", "invoice", "user", "label"][at % 5]}_${at}`,
        {
          description: `This tool ${at} does something with a rather long explanation of what it is good for and when to use it.`,
        },
      ),
    );
    many.push(aTool("send_parcel", { description: "Ships a box to a customer" }));
    const { extension, call } = await open([
      server("shop", "", many.slice(0, 120)),
      server("forge", "", many.slice(120)),
    ]);
    expect(namesOf(extension.tools)).toEqual(["find_tools", "call_tool"]);
    const sent = `${extension.section}${JSON.stringify(extension.tools?.map(({ name, description, input }) => [name, description, input.json]))}`;
    expect(encode(sent).length).toBeLessThan(1_500);
    expect(estimateTokens(sent)).toBeLessThan(1_500);
    const found = (await call("find_tools", { query: "ship a box" })).text;
    expect(found).toMatch(/^mcp__forge__send_parcel\nShips a box to a customer\ninput: \{"type":"object"/);
    expect((await call("find_tools", { query: "zzz" })).text).toContain("201 tools of shop, forge");
    const callTool = extension.tools?.[1] as unknown as { standsFor(input: object): unknown };
    expect(callTool.standsFor({ name: "forge__send_parcel", input: { text: "x" } })).toEqual({
      tool: "mcp__forge__send_parcel",
      input: { text: "x" },
    });
    expect((await call("mcp__forge__send_parcel", { text: "x" })).text).toBe('send_parcel {"text":"x"}');
  });
});

describe("a bad server costs only its own tools:", () => {
  const good = () => server("good", "");

  it("one that cannot be started, one that ends at once, one that never says hello", async () => {
    const missing: McpServer = {
      ...good(),
      name: "missing",
      connection: { type: "stdio", command: "no-such-program-here", args: [], env: {} },
    };
    const unset: McpServer = {
      ...good(),
      name: "unset",
      connection: { type: "stdio", command: "x", args: ["${NO_SUCH_VARIABLE}"], env: {} },
    };
    const servers = [
      good(),
      missing,
      unset,
      server("dead", `console.error("no \\u001b[31mlicence"); process.exit(3);`),
    ];
    const { extension, said, call } = await open(servers);
    expect(namesOf(extension.tools)).toEqual(["mcp__good__echo"]);
    expect(said.sort()).toEqual([
      "The MCP server dead cannot be used: it ended with exit code 3: no licence.",
      "The MCP server missing cannot be used: there is no program no-such-program-here; install it, or give its full path.",
      "The MCP server unset cannot be used: it needs the variable NO_SUCH_VARIABLE, which is not set; set it, or write ${NO_SUCH_VARIABLE:-default}.",
    ]);
    expect((await call("mcp__good__echo")).text).toBe("echo {}");
    expect(extension.reports?.mcp?.()).toMatch(/^good {2}stdio {2}ready {2}1 tools .*\n.*missing {2}stdio {2}failed/);
    const mute = await open([server("mute", "answersHello = false;")], { startTimeoutMs: 200 });
    expect(mute.said).toEqual(["The MCP server mute cannot be used: it did not answer within 0.2 s."]);
  });

  it("one that is late announces its tools when it is there", async () => {
    const held = `answersHello = false;
      let held = "";
      process.stdin.on("data", (bytes) => { if (!answersHello) held += bytes; });
      const wait = setInterval(() => {
        if (!fs.existsSync("go")) return;
        clearInterval(wait);
        answersHello = true;
        process.stdin.emit("data", held);
      }, 5);`;
    const late = server("late", held);
    await (await open([good()])).extension.close?.();
    const { extension, call } = await open([good(), late], { waitMs: 20 });
    expect(namesOf(extension.tools)).toEqual(["find_tools", "call_tool"]);
    expect(extension.section).toContain("Still starting: late.");
    expect((await call("mcp__good__echo")).text).toBe("echo {}");
    const calledEarly = call("mcp__late__echo");
    writeFileSync(join(folder, "go"), "");
    expect((await calledEarly).text).toBe("echo {}");
    expect(extension.pendingNotices?.()).toEqual([
      expect.stringContaining("The MCP server late is ready and offers mcp__late__echo."),
    ]);
  });

  it("one that dies, hangs, floods or talks nonsense in a call, and it is started again, but not for ever", async () => {
    const bad = server(
      "bad",
      `onCall = (id, name, args, params) => {
        if (name === "die") process.exit(9);
        if (name === "flood") { const line = Buffer.alloc(1 << 20, "x"); for (let at = 0; at < 20; at++) process.stdout.write(line); return; }
        if (name === "nonsense") { process.stdout.write("not json\\n{}\\n[1]\\n\\u0007\\n"); send({ id: 999, result: {} }); send({ id, result: { content: 7 } }); return; }
        if (name === "progress") { send({ method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress: 1, total: 2, message: "half\\u001b[2J" } }); }
        send({ id, result: { isError: name === "wrong", content: [{ type: "text", text: "red \\u001b[31m" + name + "\\u202e" }, { type: "image", mimeType: "image/svg+xml", data: "x" }] } });
      };`,
      ["die", "flood", "nonsense", "progress", "wrong"].map((name) => aTool(name)),
    );
    const { extension, call } = await open([good(), bad, { ...server("hang", "onCall = () => {};"), timeoutMs: 200 }]);
    expect(await call("mcp__bad__wrong")).toEqual({
      text: "red wrong\n[an image that cannot be shown: image/svg+xml]",
      isError: true,
    });
    expect((await call("mcp__bad__nonsense")).text).toBe("(the tool answered with nothing)");
    expect((await call("mcp__bad__progress")).text).toContain("red progress");
    expect(await errorOf(call("mcp__hang__echo"))).toBe(
      "The MCP server hang failed at this call: it did not answer within 0.2 s; the call was cancelled.",
    );
    await expect
      .poll(() => statSync(join(folder, "cancelled"), { throwIfNoEntry: false })?.size, { interval: 10 })
      .toBe(1);
    expect(await errorOf(call("mcp__bad__flood"))).toMatch(
      /sent a message of more than 16 MB, so it was ended\. Whether the call/,
    );
    for (const _time of [2, 3])
      expect(await errorOf(call("mcp__bad__die"))).toMatch(
        /it ended with exit code 9\. Whether the call took effect is not known/,
      );
    expect(await errorOf(call("mcp__bad__wrong"))).toMatch(/it failed 3 times in a row and rests for a minute/);
    expect((await call("mcp__good__echo")).text).toBe("echo {}");
    expect(extension.reports?.mcp?.()).toMatch(/bad {2}stdio {2}ended|bad {2}stdio {2}failed/);
  });

  it("an interrupted call ends at once and the server is told", async () => {
    const slow = server("slow", "onCall = () => {};");
    const { call } = await open([slow]);
    const stop = new AbortController();
    const waiting = call("mcp__slow__echo", {}, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });
});

describe("real servers", () => {
  const real = (name: string, path: string, ...args: string[]): McpServer => ({
    name,
    file: "",
    owner: "person",
    connection: {
      type: "stdio",
      command: process.execPath,
      args: [join(repoRoot, "node_modules/@modelcontextprotocol", path), ...args],
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    },
  });

  it("filesystem, memory and everything answer: files, a graph, images, links, structure, progress, resources, prompts", async () => {
    mkdirSync(join(folder, "files"));
    writeFileSync(join(folder, "files/a.txt"), "hello\n");
    const { extension, call } = await open([
      real("files", "server-filesystem/dist/index.js", join(folder, "files")),
      real("memory", "server-memory/dist/index.js"),
      real("all", "server-everything/dist/index.js"),
    ]);
    expect((await call("mcp__files__read_text_file", { path: join(folder, "files/a.txt") })).text).toBe("hello\n");
    expect((await call("mcp__files__read_text_file", { path: "/etc/passwd" })).isError).toBe(true);
    await call("mcp__memory__create_entities", {
      entities: [{ name: "Bern", entityType: "town", observations: ["on the Aare"] }],
    });
    expect((await call("mcp__memory__search_nodes", { query: "Aare" })).text).toContain("Bern");
    expect((await call("mcp__all__get-tiny-image")).images).toEqual([
      expect.objectContaining({ mediaType: "image/png" }),
    ]);
    expect((await call("mcp__all__get-structured-content", { location: "Chicago" })).text).toContain("temperature");
    expect((await call("mcp__all__get-resource-links", { count: 1 })).text).toContain("[resource demo://");
    expect((await call("mcp_resource", { server: "all" })).text).toContain(
      "demo://resource/static/document/features.md",
    );
    const uri = "demo://resource/static/document/features.md";
    expect((await call("mcp_resource", { server: "all", uri })).text).toContain("# Everything Server");
    const prompt = extension.commands?.find(({ name }) => name === "mcp:all:args-prompt");
    expect(await prompt?.run("Bern", {} as never)).toEqual({ prompt: "What's weather in Bern?" });
    const readOnly = (await extension.findTool?.("mcp__files__read_text_file")) as unknown as {
      describe(input: object): object;
    };
    expect(readOnly.describe({ path: "a" })).toEqual({
      label: "mcp",
      title: "files read_text_file path=a",
      readOnlyClaim: "person",
    });
  });
});

describe("a list that is a week old", () => {
  it("is fetched again in the background", async () => {
    const aged = server("aged", `fs.appendFileSync("aged", "x");`);
    await (await open([aged])).extension.close?.();
    const state = join(folder, "state/mcp");
    for (const name of readdirSync(state)) {
      const kept = JSON.parse(readFileSync(join(state, name), "utf8"));
      writeFileSync(join(state, name), JSON.stringify({ ...kept, at: Date.now() - 8 * 24 * 3600 * 1000 }));
      utimesSync(join(state, name), 0, 0);
    }
    await open([aged]);
    await expect.poll(() => readFileSync(join(folder, "aged"), "utf8"), { interval: 10 }).toBe("xx");
  });
});
