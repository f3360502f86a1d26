import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repoRoot } from "../../test/support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { parseArguments } from "../config/arguments.ts";
import { runMcp } from "./mcp-command.ts";

let folder = "";
beforeAll(() => {
  folder = makeTempFolder();
});
afterAll(() => removeTempFolder(folder));

async function mcp(...words: string[]): Promise<{ code: number; out: string }> {
  let out = "";
  const parsed = parseArguments(["mcp", ...words]);
  const write = (text: string) => {
    out += text;
  };
  const code = await runMcp({
    name: "mcp",
    words: parsed.words.slice(1),
    parsed,
    cwd: folder,
    environment: { CORECODER_HOME: join(folder, "state") },
    output: { out: write, err: write, color: false } as never,
    exit: () => {
      throw new Error("exit");
    },
  });
  return { code, out };
}

const settings = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));

describe("corecoder mcp", () => {
  const memory = join(repoRoot, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");

  it("adds servers to the person's settings or the project's file, lists, tests and removes them", async () => {
    expect((await mcp("list")).out).toMatch(/^No MCP servers\. Add one/);
    writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ other: 1 }));
    const file = `MEMORY_FILE_PATH=${join(folder, "m.jsonl")}`;
    expect((await mcp("add", "memory", "--", file, process.execPath, memory)).out).toMatch(
      /^Added memory in .*settings\.json/,
    );
    expect((await mcp("add", "far", "https://x.example/mcp", "--scope", "project")).out).toMatch(
      /once the folder is trusted/,
    );
    expect((await mcp("add", "old", '{"type": "sse", "url": "https://x.example/sse"}')).code).toBe(0);
    expect(settings("state/settings.json").mcpServers.memory.env).toEqual({
      MEMORY_FILE_PATH: join(folder, "m.jsonl"),
    });
    expect(statSync(join(folder, "state/settings.json")).mode & 0o777).toBe(0o600);
    expect(settings(".mcp.json")).toEqual({
      other: 1,
      mcpServers: { far: { type: "http", url: "https://x.example/mcp" } },
    });
    const { out: listed } = await mcp("list");
    expect(listed).toMatch(/memory {2}.*index\.js \(env MEMORY_FILE_PATH\) {2}tools unknown/);
    expect(listed).toMatch(/far {2}http https:\/\/x\.example\/mcp {2}not trusted: corecoder trust/);
    const tested = await mcp("test", "memory", "--json");
    expect(JSON.parse(tested.out)).toEqual([
      expect.objectContaining({ name: "memory", ok: true, tools: expect.arrayContaining(["read_graph"]) }),
    ]);
    expect(JSON.parse((await mcp("list", "--json")).out)).toContainEqual(
      expect.objectContaining({ name: "memory", tools: 9 }),
    );
    expect((await mcp("remove", "old")).out).toMatch(/^Removed old from/);
    expect((await mcp("logout", "memory")).out).toBe("There was no login for memory.\n");
    await mcp("add", "gone", "--", "no-such-program-here");
    expect(await mcp("test", "gone")).toEqual({
      code: 1,
      out: expect.stringMatching(/^gone {2}failed: there is no program/),
    });
  });

  it.each([
    [["nope"], "Usage: corecoder mcp list"],
    [["add", "x"], "Usage: corecoder mcp add NAME"],
    [["add", "x", "{"], "The server is not valid JSON"],
    [["add", "x", "--", "A=b"], 'needs a program as "x".command'],
    [["remove", "unknown"], 'There is no server "unknown" in'],
    [["test", "unknown"], 'There is no MCP server "unknown". There are:'],
    [["test", "far"], "which you have not trusted as it is now. See what it wants with: corecoder trust"],
    [["login", "memory"], "there is nothing to log in to"],
  ])("%j is refused with the way out", async (words, problem) => {
    await expect(mcp(...words)).rejects.toThrow(problem);
  });
});
