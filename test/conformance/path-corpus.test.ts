import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyTool } from "../../src/contracts/tool.ts";
import type { Workspace } from "../../src/contracts/workspace.ts";
import { editFile } from "../../src/tools/edit-file.ts";
import { readFile } from "../../src/tools/read-file.ts";
import { writeFile } from "../../src/tools/write-file.ts";
import { sharedFolder } from "../support/repo-root.ts";
import { makeTempFolder, removeTempFolder, walk } from "../support/temp.ts";
import { runTool, workspaceAt } from "../support/tool-run.ts";

type Fixture = { readonly path: string; readonly type: "dir" | "file" | "symlink" | "fifo"; readonly target?: string };
type Case = {
  readonly id: string;
  readonly technique: string;
  readonly input: string;
  readonly cwd: string;
  readonly platform: string;
  readonly accept: readonly ("allow" | "ask" | "deny")[];
  readonly resolvesTo?: string;
  readonly fsOptions?: unknown;
  readonly race?: {
    readonly afterCheck: readonly { readonly op: string; readonly path: string; readonly content?: string }[];
  };
};
type Corpus = { readonly fixture: readonly Fixture[]; readonly cases: readonly Case[] };

const corpusFile = join(sharedFolder, "corpora/path-escapes.json");
const corpus: Corpus = existsSync(corpusFile)
  ? JSON.parse(readFileSync(corpusFile, "utf8"))
  : { fixture: [], cases: [] };

/** Which folders a person must be asked about is decided by the permissions; a file tool alone knows inside and outside. */
const cases = corpus.cases.filter((one) => {
  const isHere = one.platform === "any" || one.platform.split("|").includes(process.platform);
  return isHere && one.fsOptions === undefined && (one.accept.includes("allow") || !one.accept.includes("ask"));
});

let folder: string;
let workspace: Workspace;
let home: string | undefined;

const place = (text: string) =>
  text
    .replaceAll("{WS}", join(folder, "root/srv/app"))
    .replaceAll("{HOME}", join(folder, "root/home/dev"))
    .replaceAll("{ROOT}", join(folder, "root"))
    .replaceAll("{OUTSIDE}", join(folder, "outside"));

beforeEach(() => {
  folder = makeTempFolder();
  for (const { path, type, target } of corpus.fixture) {
    mkdirSync(dirname(place(path)), { recursive: true });
    if (type === "dir") mkdirSync(place(path), { recursive: true });
    if (type === "file") writeFileSync(place(path), "old\n");
    if (type === "symlink") symlinkSync(place(target ?? ""), place(path));
    if (type === "fifo") execFileSync("mkfifo", [place(path)]);
  }
  home = process.env.HOME;
  process.env.HOME = place("{HOME}");
});

afterEach(() => {
  process.env.HOME = home;
  removeTempFolder(folder);
});

/** Everything below the temporary folder, by path: what it is and holds. */
function onDisk(): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of walk(folder)) {
    const stat = lstatSync(path);
    if (stat.isFile()) found.set(path, readFileSync(path, "utf8"));
    else
      found.set(
        path,
        stat.isSymbolicLink() ? `link to ${readlinkSync(path)}` : stat.isDirectory() ? "folder" : "special",
      );
  }
  return found;
}

async function failed(tool: AnyTool, input: Record<string, unknown>): Promise<boolean> {
  try {
    await runTool(tool, input, workspace);
    return false;
  } catch (error) {
    expect((error as { kind?: unknown }).kind, String(error)).toBe("tool");
    return true;
  }
}

/** As the agent would: read where there is something, write, then edit. */
async function play({
  input,
  race,
}: Case): Promise<{ readonly refusals: boolean[]; readonly before: Map<string, string> }> {
  const file_path = place(input);
  await failed(readFile, { file_path });
  for (const { op, path, content } of race?.afterCheck ?? []) {
    if (op !== "write") expect.fail(`unknown step ${op}`);
    writeFileSync(place(path), content ?? "");
  }
  const before = onDisk();
  const write = await failed(writeFile, { file_path, content: "first\nline\n" });
  const edit = await failed(editFile, { file_path, old_string: "first\n", new_string: "second\n" });
  return { refusals: [write, edit], before };
}

describe.skipIf(cases.length === 0)("path corpus (skipped when ../shared/corpora is absent)", () => {
  it.each(cases.map((one) => [one.id, one.technique, one] as const))("%s: %s", async (_id, _technique, one) => {
    workspace = workspaceAt(place("{WS}"), { cwd: place(one.cwd) });
    const { refusals, before } = await play(one);
    const after = onDisk();
    if (!one.accept.includes("allow") || (one.accept.includes("deny") && refusals[0])) {
      expect(refusals).toEqual([true, true]);
      expect(after).toEqual(before);
      return;
    }
    expect(refusals).toEqual([false, false]);
    const changed = [...after].filter(([path, content]) => before.get(path) !== content && content !== "folder");
    const target = one.resolvesTo === undefined ? join(place("{WS}"), one.input) : place(one.resolvesTo);
    expect(changed).toEqual([[target, "second\nline\n"]]);
  });

  it("leaves the outside alone also in the cases that permissions decide", async () => {
    for (const one of corpus.cases) {
      workspace = workspaceAt(place("{WS}"), { cwd: place(one.cwd) });
      const isOutside = ([path]: [string, string]) => !path.startsWith(`${place("{WS}")}/`) && path !== place("{WS}");
      const before = [...onDisk()].filter(isOutside);
      await failed(writeFile, { file_path: place(one.input), content: "x" });
      expect([...onDisk()].filter(isOutside), one.id).toEqual(before);
    }
  });
});
