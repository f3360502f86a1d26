import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedFolder } from "../../test/support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import type { Verdict } from "../contracts/permission.ts";
import { createPolicy } from "./policy.ts";

type Fixture = { readonly path: string; readonly type: "dir" | "file" | "symlink" | "fifo"; readonly target?: string };
type Case = {
  readonly id: string;
  readonly technique: string;
  readonly input: string;
  readonly cwd: string;
  readonly accept: readonly Verdict[];
  readonly resolvesTo?: string;
  readonly race?: unknown;
};

const corpusFile = join(sharedFolder, "corpora/path-escapes.json");
const corpus: { readonly fixture: readonly Fixture[]; readonly cases: readonly Case[] } = existsSync(corpusFile)
  ? JSON.parse(readFileSync(corpusFile, "utf8"))
  : { fixture: [], cases: [] };

/** What the tool itself refuses: a folder instead of a file, a file that changed meanwhile. */
const isForTheTool = ({ race, resolvesTo }: Case) => race !== undefined || resolvesTo === "{WS}";
const cases = corpus.cases.filter((one) => !isForTheTool(one));

let folder: string;
const place = (text: string) =>
  text
    .replaceAll("{WS}", join(folder, "root/srv/app"))
    .replaceAll("{HOME}", join(folder, "root/home/dev"))
    .replaceAll("{ROOT}", join(folder, "root"))
    .replaceAll("{OUTSIDE}", join(folder, "outside"));

beforeAll(() => {
  folder = makeTempFolder();
  for (const { path, type, target } of corpus.fixture) {
    mkdirSync(dirname(place(path)), { recursive: true });
    if (type === "dir") mkdirSync(place(path), { recursive: true });
    if (type === "file") writeFileSync(place(path), "old\n");
    if (type === "symlink") symlinkSync(place(target ?? ""), place(path));
    if (type === "fifo") execFileSync("mkfifo", [place(path)]);
  }
});
afterAll(() => removeTempFolder(folder));

describe.skipIf(cases.length === 0)("decisions on the path corpus (skipped when ../shared/corpora is absent)", () => {
  it.each(cases.map((one) => [one.id, one.technique, one] as const))("%s: %s", async (_id, _technique, one) => {
    const root = place("{WS}");
    const policy = createPolicy({ mode: "acceptEdits", allow: [], ask: [], deny: [], home: place("{HOME}") });
    const view = { label: "write", title: one.input, writes: [place(one.input)] };
    const decided = await policy.decide({
      tool: "write_file",
      effect: "write",
      view,
      cwd: place(one.cwd),
      root,
      writableRoots: [root],
    });
    expect(one.accept).toContain(decided.verdict);
  });
});
