import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { describeSettings } from "./describe-settings.ts";
import { loadSettings } from "./load.ts";
import { rememberTrust } from "./project-trust.ts";
import { readServers } from "./server-settings.ts";

describe("servers in settings", () => {
  it("are read in the format other agents have, keys nobody knows passed over", () => {
    const given = {
      files: { command: "npx", args: ["-y", "x"], env: { PORT: 3 }, disabled: false, timeout: 1000 },
      web: { url: "https://x.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
      old: { type: "sse", url: "http://x.example/sse", oauth: { clientId: "c", callbackPort: 8123 } },
    };
    expect(readServers(given, "f")).toEqual({
      value: [
        {
          name: "files",
          connection: { type: "stdio", command: "npx", args: ["-y", "x"], env: { PORT: "3" } },
          timeoutMs: 1000,
          file: "f",
          owner: "person",
        },
        {
          name: "web",
          connection: { type: "http", url: "https://x.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
          file: "f",
          owner: "person",
        },
        {
          name: "old",
          connection: { type: "sse", url: "http://x.example/sse", headers: {}, clientId: "c", callbackPort: 8123 },
          file: "f",
          owner: "person",
        },
      ],
    });
  });

  it.each([
    [[], "needs an object such as"],
    [{ a: 1 }, 'needs an object as "a"'],
    [{ a: {} }, 'needs a program as "a".command'],
    [{ a: { command: "x", args: "y" } }, 'needs a list of texts as "a".args'],
    [{ a: { command: "x", env: { A: {} } } }, 'needs a text as "a".env.A'],
    [{ a: { type: "http" } }, 'needs an http or https address as "a".url'],
    [{ a: { url: "file:///etc/passwd" } }, 'needs an http or https address as "a".url'],
    [{ a: { type: "ws", url: "ws://x" } }, 'knows "stdio", "http" and "sse"'],
    [{ "a\u001b": { command: "x" } }, "has the name"],
    [{ a: { command: "x", timeout: -1 } }, 'needs milliseconds as "a".timeout'],
  ])("that are wrong are named: %j", (given, problem) => {
    expect(readServers(given, "f")).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe("the servers of .mcp.json", () => {
  let folder = "";
  beforeEach(() => {
    folder = makeTempFolder();
    mkdirSync(join(folder, "state"));
    mkdirSync(join(folder, "project"));
  });
  afterEach(() => removeTempFolder(folder));
  const state = () => join(folder, "state");
  const cwd = () => join(folder, "project");
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  const load = () => loadSettings({ cwd: cwd(), environment: { CORECODER_HOME: state() }, options: new Map() });
  const trust = () => rememberTrust(state(), cwd(), load().trust.coverage());
  const names = () => load().settings.mcpServers?.map(({ name, owner }) => `${name} of the ${owner}`);
  const local = { mcpServers: { tool: { command: "node", args: ["server.js"], env: { KEY: "s3cr3t" } } } };

  it("count once the folder is trusted, for exactly this command and the scripts it names", () => {
    write("project/.mcp.json", local);
    write("project/server.js", "1");
    expect([names(), load().warnings]).toEqual([
      undefined,
      [expect.stringMatching(/Ignored mcpServers from .*\.mcp\.json: you have not trusted .*`corecoder trust`/)],
    ]);
    trust();
    expect([names(), load().warnings]).toEqual([["tool of the project"], []]);
    write("project/server.js", "2");
    expect([names(), load().trust.changed]).toEqual([undefined, ["server.js"]]);
    trust();
    write("project/.mcp.json", { mcpServers: { tool: { ...local.mcpServers.tool, args: ["server.js", "--more"] } } });
    expect([names(), load().trust.changed]).toEqual([undefined, [".mcp.json"]]);
  });

  it("stand behind those of the same name in nearer files, and before the person's own", () => {
    write("project/.mcp.json", { mcpServers: { a: { command: "shared" }, b: { command: "shared" } } });
    mkdirSync(join(cwd(), ".corecoder"));
    write("project/.corecoder/settings.local.json", { mcpServers: { a: { command: "local" } } });
    write("state/settings.json", { mcpServers: { b: { command: "own" }, c: { command: "own" } } });
    expect(names()).toEqual(["b of the person", "c of the person"]);
    trust();
    const commands = load().settings.mcpServers?.map(({ name, connection }) => [
      name,
      "command" in connection && connection.command,
    ]);
    expect(commands).toEqual([
      ["a", "local"],
      ["b", "shared"],
      ["c", "own"],
    ]);
  });

  it("cost nobody the session when the file is nonsense, and ask nothing when there are none", () => {
    write("project/.mcp.json", "{ nope");
    expect([names(), load().warnings]).toEqual([
      undefined,
      [expect.stringMatching(/^No servers from \.mcp\.json: .*not valid JSON/)],
    ]);
    write("project/.mcp.json", { mcpServers: { a: { command: 7 } } });
    expect(load().warnings).toEqual([expect.stringContaining('needs a program as "a".command')]);
    write("project/.mcp.json", { mcpServers: {} });
    expect([load().warnings, load().trust.state]).toEqual([[], "not-needed"]);
  });

  it("are shown without what may be secret", () => {
    write("state/settings.json", local);
    const given = { value: [JSON.stringify(local)], origin: { layer: "option", name: "--mcp-config" } } as const;
    const options = new Map([["mcpConfig", given]]);
    const loaded = loadSettings({ cwd: cwd(), environment: { CORECODER_HOME: state() }, options });
    const shown = JSON.stringify(describeSettings(loaded));
    expect(shown).toContain("tool: node server.js (env KEY)");
    expect(shown).not.toContain("s3cr3t");
    expect(readFileSync(join(state(), "settings.json"), "utf8")).toContain("s3cr3t");
  });
});
