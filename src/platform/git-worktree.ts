import { existsSync, mkdirSync, realpathSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { createGit, type Git, withoutFilters } from "./git.ts";
import { namesIn } from "./list-folder.ts";
import { announcePresence, isAnybodyPresent } from "./presence.ts";
import { readIfThere, replacePrivateFile } from "./private-files.ts";
import { randomName } from "./random-name.ts";
import { removeAll } from "./remove-files.ts";

/** A working copy of its own of somebody's repository. */
export type Worktree = {
  /** The folder in it that stands for the one it was made from. */
  readonly folder: string;
  readonly path: string;
  readonly branch: string;
  /** Removes it with its branch, unless something in it was changed. */
  close(): Promise<{ readonly isKept: boolean; readonly changedFiles: number }>;
};

export type Worktrees = {
  /** Of the last commit. Throws ToolError where that is not possible. */
  make(cwd: string): Promise<Worktree>;
};

export type WorktreesOptions = {
  /** Where they are made; nobody else's. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
};

/** Checking out a large repository takes its time. */
const timeoutMs = 120_000;

/** One after the other: git takes locks of its own and does not wait for them. */
export function createWorktrees({ folder, environment }: WorktreesOptions): Worktrees {
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  };
  const gitIn = (cwd: string) => createGit(cwd, withoutGitVariables(environment), { timeoutMs });

  async function close(git: Git, path: string): ReturnType<Worktree["close"]> {
    const base = readIfThere(baseFile(path))?.trim() ?? "";
    const branch = branchOf(path);
    const changedFiles = existsSync(path) ? await changesIn(gitIn(path), base) : 0;
    const tip = await git(["rev-parse", "--verify", `refs/heads/${branch}`]);
    if (changedFiles !== 0 || (tip.ok && tip.text.trim() !== base)) return { isKept: true, changedFiles };
    const removed = await git(["worktree", "remove", "--force", path]);
    if (!removed.ok) removeAll(path);
    await git(["worktree", "prune"]);
    if (tip.ok) await git(["branch", "-D", branch]);
    removeAll(baseFile(path));
    removeAll(usersOf(path));
    try {
      rmdirSync(folder);
    } catch {
      // others are in it
    }
    return { isKept: false, changedFiles: 0 };
  }

  /** What a program that was killed left behind unchanged. */
  async function sweep(git: Git): Promise<void> {
    const names = namesIn(folder).flatMap((name) => (name.endsWith(".base") ? name.slice(0, -".base".length) : []));
    for (const path of names.map((name) => join(folder, name)))
      if (!isAnybodyPresent(usersOf(path))) await close(git, path);
  }

  async function make(cwd: string): Promise<Worktree> {
    const git = gitIn(cwd);
    const inside = await git(["rev-parse", "--is-inside-work-tree"]);
    if (!inside.ok || inside.text.trim() !== "true")
      throw new ToolError(`A worktree needs a git repository, and ${cwd} is in none. Go on without isolation.`);
    const head = await git(["rev-parse", "--verify", "HEAD^{commit}"]);
    if (!head.ok)
      throw new ToolError(
        "A worktree is made of the last commit, and this repository has none yet. Go on without isolation.",
      );
    const prefix = (await git(["rev-parse", "--show-prefix"])).text.trim();
    await sweep(git);
    const path = join(folder, `agent-${randomName(8)}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const leave = announcePresence(usersOf(path));
    replacePrivateFile(baseFile(path), head.text);
    const safe = [...(await withoutFilters(git)), "-c", "submodule.recurse=false"];
    const branch = branchOf(path);
    const made = await git([...safe, "worktree", "add", "--quiet", "-b", branch, path, head.text.trim()]);
    if (!made.ok) {
      leave();
      await close(git, path);
      throw new ToolError(`The worktree could not be made: ${made.text.trim().split("\n").at(-1)}`);
    }
    const real = realpathSync(path);
    return {
      path: real,
      branch,
      folder: existsSync(join(real, prefix)) ? join(real, prefix).replace(/\/+$/, "") : real,
      close: () =>
        inTurn(async () => {
          const closed = await close(git, path);
          leave();
          return closed;
        }),
    };
  }

  return { make: (cwd) => inTurn(() => make(cwd)) };
}

const branchOf = (path: string) => `corecoder/${path.replace(/^.*\//, "")}`;
const baseFile = (path: string) => `${path}.base`;
const usersOf = (path: string) => `${path}.users`;

/** How many files differ from the commit it was made of; -1 when that cannot be told. */
async function changesIn(git: Git, base: string): Promise<number> {
  const safe = await withoutFilters(git);
  const status = await git([
    ...safe,
    ...["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"],
  ]);
  const committed = await git([...safe, "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", base, "HEAD"]);
  if (!status.ok || !committed.ok) return -1;
  const names = [...status.text.split("\0").map((line) => line.slice(3)), ...committed.text.split("\0")];
  return new Set(names.filter((name) => name !== "")).size;
}

/** Variables of the person's shell that name another repository would lead there. */
function withoutGitVariables(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("GIT_")));
}
