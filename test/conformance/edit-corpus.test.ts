import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs, { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolOutput } from "../../src/contracts/tool.ts";
import type { Workspace } from "../../src/contracts/workspace.ts";
import { editFile } from "../../src/tools/edit-file.ts";
import { readFile } from "../../src/tools/read-file.ts";
import { sharedFolder } from "../support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../support/temp.ts";
import { runTool, workspaceAt } from "../support/tool-run.ts";

type Generated = { readonly repeat: string; readonly times: number; readonly append?: string };
type Edit = { readonly old_string: string; readonly new_string: string; readonly replace_all?: boolean };
type Expectation = {
  readonly ok: boolean;
  readonly error?: string;
  readonly hint?: string;
  readonly content?: string;
  readonly contentBase64?: string;
  readonly replacements?: number;
  readonly sha256Of?: Generated;
  readonly mode?: string | number;
  readonly maxMs?: number;
  readonly diffBytesMax?: number;
};
type Case = {
  readonly id: string;
  readonly about: string;
  readonly file: {
    readonly content?: string;
    readonly bytesBase64?: string;
    readonly gen?: Generated;
    readonly missing?: boolean;
    readonly directory?: boolean;
    readonly fifo?: boolean;
    readonly hardLink?: boolean;
    readonly read?: boolean;
    readonly changeAfterRead?: string;
    readonly fault?: string;
    readonly concurrent?: readonly Edit[];
  };
  readonly args: Edit;
  readonly expect: Expectation;
};

const corpus = join(sharedFolder, "corpora/edit-cases.json");
const cases: readonly Case[] = existsSync(corpus) ? JSON.parse(readFileSync(corpus, "utf8")).cases : [];

/** How the error of each kind can be told from its text. */
const errorWords: Readonly<Record<string, RegExp>> = {
  not_found: /not found/,
  not_unique: /not unique/,
  empty_old: /old_string is empty/,
  no_change: /no change/i,
  not_utf8: /not valid UTF-8/,
  binary: /binary/,
  bad_argument: /bad argument/i,
  no_such_file: /does not exist/,
  not_a_file: /not a regular file/,
  stale: /changed on disk/,
  not_read: /not read yet/,
  read_only: /read-only/,
  outside_workspace: /outside/,
  too_large: /too large/,
  io: /could not edit/i,
};

const hintWords: Readonly<Record<string, RegExp>> = {
  whitespace: /Reason: whitespace/,
  quotes: /Reason: quotes/,
  "unicode-normalization": /Reason: unicode-normalization/,
  punctuation: /Reason: punctuation/,
  "line-number-prefix": /Reason: line-number-prefix/,
  "escaped-newline": /Reason: escaped-newline/,
  "html-entities": /Reason: html-entities/,
  case: /Reason: case/,
};

const generate = ({ repeat, times, append = "" }: Generated) => repeat.repeat(times) + append;

let root: string;
let path: string;
let workspace: Workspace;

beforeEach(() => {
  root = makeTempFolder();
  path = join(root, "file.txt");
  workspace = workspaceAt(root);
});
afterEach(() => removeTempFolder(root));

function build(file: Case["file"]): void {
  if (file.missing) return;
  if (file.directory) mkdirSync(path);
  else if (file.fifo) execFileSync("mkfifo", [path]);
  else if (file.bytesBase64 !== undefined) writeFileSync(path, Buffer.from(file.bytesBase64, "base64"));
  else writeFileSync(path, file.gen ? generate(file.gen) : (file.content ?? ""));
  if (file.hardLink) linkSync(path, join(root, "other-name.txt"));
}

/** Every write(2) fails as on a full disk, while `work` runs. */
async function withFailingWrites<T>(code: string, work: () => Promise<T>): Promise<T> {
  const original = fs.writeSync;
  fs.writeSync = () => {
    throw Object.assign(new Error(`${code}: write`), { code, syscall: "write" });
  };
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs.writeSync = original;
    syncBuiltinESMExports();
  }
}

type Outcome = { readonly output: ToolOutput } | { readonly error: string };

async function edit(args: Edit): Promise<Outcome> {
  try {
    return { output: await runTool(editFile, { file_path: "file.txt", ...args }, workspace) };
  } catch (error) {
    expect((error as { kind?: unknown }).kind, String(error)).toBe("tool");
    return { error: (error as Error).message };
  }
}

async function play({ file, args }: Case): Promise<Outcome> {
  if (file.read !== false && !file.missing)
    await runTool(readFile, { file_path: "file.txt" }, workspace).catch(() => {});
  if (file.changeAfterRead !== undefined) writeFileSync(path, file.changeAfterRead);
  if (file.fault) return withFailingWrites(file.fault, () => edit(args));
  if (!file.concurrent) return edit(args);
  const outcomes = await Promise.all(file.concurrent.map(edit));
  return outcomes.find((outcome) => "error" in outcome) ?? (outcomes[0] as Outcome);
}

function expectSuccess(outcome: Outcome, one: Case): void {
  if ("error" in outcome) expect.fail(outcome.error);
  const { content, contentBase64, sha256Of, replacements, diffBytesMax } = one.expect;
  const bytes = readFileSync(path);
  if (content !== undefined) expect(bytes.toString("utf8")).toBe(content);
  if (contentBase64 !== undefined) expect(bytes.toString("base64")).toBe(contentBase64);
  if (sha256Of)
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(
      createHash("sha256").update(generate(sha256Of)).digest("hex"),
    );
  if (replacements !== undefined && !one.file.concurrent && !one.file.missing) {
    expect(outcome.output.text).toContain(replacements === 1 ? "1 replacement," : `${replacements} replacements,`);
  }
  if (diffBytesMax !== undefined) expect(Buffer.byteLength(outcome.output.text)).toBeLessThanOrEqual(diffBytesMax);
  if (one.file.hardLink) expect(readFileSync(join(root, "other-name.txt"))).toEqual(bytes);
}

describe.skipIf(cases.length === 0)("edit corpus (skipped when ../shared/corpora is absent)", () => {
  it.each(cases.map((one) => [one.id, one.about, one] as const))("%s: %s", async (_id, _about, one) => {
    build(one.file);
    const names = readdirSync(root);
    const before = existsSync(path) && lstatSync(path).isFile() ? readFileSync(path) : undefined;
    const startedAt = performance.now();
    const outcome = await play(one);
    const tookMs = performance.now() - startedAt;
    if (one.expect.maxMs !== undefined) expect(tookMs).toBeLessThan(one.expect.maxMs);
    if (one.expect.ok) return expectSuccess(outcome, one);
    const { error, hint } = one.expect;
    if ("output" in outcome) expect.fail(`should have failed, but: ${outcome.output.text}`);
    if (error !== undefined)
      expect(outcome.error).toMatch(errorWords[error] ?? expect.fail(`no words known for ${error}`));
    if (hint !== undefined) expect(outcome.error).toMatch(hintWords[hint] ?? expect.fail(`no words known for ${hint}`));
    const expected = one.file.changeAfterRead === undefined ? before : Buffer.from(one.file.changeAfterRead);
    if (expected) expect(readFileSync(path).equals(expected)).toBe(true);
    expect(readdirSync(root)).toEqual(names);
  });
});
