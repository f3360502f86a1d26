import { dirname } from "node:path";
import type { FileChange, FileState } from "../contracts/file-change.ts";
import { errnoOf, FileFault } from "../platform/file-fault.ts";
import { rowAt } from "../platform/file-row.ts";
import type { ObjectStore } from "../platform/object-store.ts";
import { isInside } from "../platform/paths.ts";
import { makeFolder, placeFile, placeLink, removeFile, removeFolder, setPermissions } from "../platform/place-entry.ts";
import { type Current, currentAt } from "./current-state.ts";
import { isSameState } from "./file-states.ts";
import { versionControl } from "./limits.ts";
import { type NetChange, netChanges } from "./net-changes.ts";
import { createPace } from "./pace.ts";
import type { Direction, PlanTools } from "./plan.ts";

export type RestoreTools = PlanTools & {
  /** Where anything may be restored. */
  readonly roots: readonly string[];
  /** Why a path was left as it is, in words. */
  readonly onProblem: (path: string, problem: string) => void;
};

type Step = {
  readonly path: string;
  readonly current: FileState | undefined;
  readonly stat: Current["stat"];
  readonly wanted: FileState | undefined;
};

const ownerMayAll = 0o700;
const holdsOthers = "it holds other files";

/**
 * A path is restored only if it is as `changes` say. What is there is kept first, so that this can be taken back as well. Order matters:
 * what must go, deepest first; then folders, outermost first; then files and links; the modes of folders last, as they may lock us out.
 */
export async function restoreChanges(
  changes: readonly FileChange[],
  direction: Direction,
  tools: RestoreTools,
): Promise<FileChange[]> {
  const pace = createPace({});
  const failed = new Set<string>();
  const steps = await prepare(changes, direction, tools);
  const attempt = async (chosen: readonly Step[], act: (step: Step) => void) => {
    for (const step of chosen) {
      if (failed.has(step.path)) continue;
      try {
        act(step);
      } catch (error) {
        if (isDone(step, tools)) continue;
        failed.add(step.path);
        tools.onProblem(step.path, describeFailure(error));
      }
      if (pace.isDue()) await pace.pause(() => "");
    }
  };
  const deepestFirst = steps.toReversed();
  await attempt(steps.filter(isLocked), ({ path, current }) => setPermissions(path, openMode(current)));
  await attempt(deepestFirst.filter(mustGoFirst), remove);
  await attempt(steps.filter(isFolderWanted), openFolder);
  await attempt(steps.filter(isFileOrLinkWanted), (step) => placeWanted(step, tools.store));
  await attempt(deepestFirst.filter(isFolderWanted), closeFolder);
  return steps
    .filter(({ path }) => !failed.has(path))
    .map(({ path, current, wanted }) => ({
      path,
      ...(current ? { before: current } : {}),
      ...(wanted ? { after: wanted } : {}),
    }));
}

/** Another name of the same file was restored before, and this one with it. */
function isDone({ path, wanted }: Step, { limitBytes, store }: RestoreTools): boolean {
  if (wanted?.type !== "file") return false;
  try {
    const { state } = currentAt(path, limitBytes, store.put);
    return state !== "foreign" && isSameState(state, wanted);
  } catch {
    return false;
  }
}

async function prepare(changes: readonly FileChange[], direction: Direction, tools: RestoreTools): Promise<Step[]> {
  const { store, limitBytes, roots, onProblem } = tools;
  const pace = createPace({});
  const steps: Step[] = [];
  const net = netChanges(changes);
  for (const { path, before, after, isBroken } of net) {
    if (pace.isDue()) await pace.pause(() => "");
    const [wanted, expected] = direction === "undo" ? [before, after] : [after, before];
    const problem = placeProblem(path, roots);
    if (problem) {
      onProblem(path, problem);
      continue;
    }
    try {
      const { state, stat } = currentAt(path, limitBytes, store.put);
      if (state !== "foreign" && isSameState(state, wanted)) continue;
      if (isBroken || state === "foreign" || !isSameState(state, expected)) throw new FileFault("changed", path);
      steps.push({ path, current: state, stat, wanted });
    } catch (error) {
      onProblem(path, describeFailure(error));
    }
  }
  return keptSteps(withNeededFolders(withoutNeeded(steps, onProblem), net, direction), tools);
}

/** A folder of ours in which somebody else's file is brought back has to stay. */
function withoutNeeded(steps: readonly Step[], onProblem: RestoreTools["onProblem"]): Step[] {
  const needed = new Set<string>();
  for (const { path, wanted } of steps)
    if (wanted) for (let folder = dirname(path); !needed.has(folder); folder = dirname(folder)) needed.add(folder);
  return steps.filter(({ path, wanted }) => {
    const mayGo = wanted !== undefined || !needed.has(path);
    if (!mayGo) onProblem(path, holdsOthers);
    return mayGo;
  });
}

/** Folders that somebody else removed come back with what was in them. */
function withNeededFolders(steps: readonly Step[], net: readonly NetChange[], direction: Direction): Step[] {
  const known = new Map(net.map(({ path, before, after }) => [path, direction === "undo" ? before : after]));
  const planned = new Set(steps.map(({ path }) => path));
  const added: Step[] = [];
  for (const { path, wanted } of steps) {
    if (wanted === undefined) continue;
    for (let folder = dirname(path); !planned.has(folder) && rowAt(folder) === "gone"; folder = dirname(folder)) {
      planned.add(folder);
      const state = known.get(folder);
      const mode = state?.type === "folder" ? state.mode : 0o755;
      added.push({ path: folder, current: undefined, stat: undefined, wanted: { type: "folder", mode } });
    }
  }
  return [...steps, ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Nothing is overwritten that was not kept before. */
async function keptSteps(steps: readonly Step[], { store, onProblem }: RestoreTools): Promise<Step[]> {
  let problem = "what is there now could not be kept";
  try {
    await store.flush();
  } catch (error) {
    problem += `: ${describeFailure(error)}`;
  }
  return steps.filter(({ path, current }) => {
    const isKept = current?.type !== "file" || store.has(current.hash);
    if (!isKept) onProblem(path, problem);
    return isKept;
  });
}

function placeProblem(path: string, roots: readonly string[]): string | undefined {
  if (!roots.some((root) => isInside(path, root))) return "it lies outside the workspace";
  const guarded = path.split("/").find((name) => versionControl.includes(name));
  return guarded && `what is in ${guarded} is never restored`;
}

function isLocked({ current }: Step): boolean {
  return current?.type === "folder" && (current.mode & ownerMayAll) !== ownerMayAll;
}

function openMode(state: FileState | undefined): number {
  return (state?.type === "folder" ? state.mode : 0) | ownerMayAll;
}

/** A file or link gives way to another in one step; everything else has to be gone first. */
function mustGoFirst({ current, wanted }: Step): boolean {
  if (current === undefined) return false;
  return wanted === undefined || (current.type === "folder") !== (wanted.type === "folder");
}

function isFolderWanted({ wanted }: Step): boolean {
  return wanted?.type === "folder";
}

function isFileOrLinkWanted({ wanted }: Step): boolean {
  return wanted !== undefined && wanted.type !== "folder";
}

function remove({ path, current, stat }: Step): void {
  if (current?.type !== "folder") {
    if (stat) removeFile(path, stat);
  } else if (removeFolder(path) === "kept") {
    setPermissions(path, current.mode);
    throw new Error(holdsOthers);
  }
}

function openFolder({ path, current, wanted }: Step): void {
  if (current?.type === "folder") setPermissions(path, openMode(wanted));
  else makeFolder(path, openMode(wanted));
}

function closeFolder({ path, wanted }: Step): void {
  if (wanted?.type === "folder" && wanted.mode !== openMode(wanted)) setPermissions(path, wanted.mode);
}

function placeWanted({ path, current, stat, wanted }: Step, store: ObjectStore): void {
  const standing = current?.type === "folder" ? undefined : stat;
  if (wanted?.type === "link") {
    placeLink(path, wanted.target, standing);
  } else if (wanted?.type === "file") {
    if (current?.type === "file" && current.hash === wanted.hash) {
      setPermissions(path, wanted.mode);
      return;
    }
    const bytes = store.read(wanted.hash);
    if (bytes === undefined) throw new Error("its earlier content is not kept");
    placeFile(path, { bytes, permissions: wanted.mode, current: standing });
  }
}

const reasons: Readonly<Record<string, string>> = {
  changed: "somebody changed it meanwhile",
  moved: "a link stands in its way",
  ELOOP: "a link stands in its way",
  ENOENT: "its folder is gone",
  ENOTDIR: "a file or a link stands where its folder was",
  ENOTEMPTY: holdsOthers,
  EACCES: "no permission to write there",
  EPERM: "no permission to write there",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
};

function describeFailure(error: unknown): string {
  const code = error instanceof FileFault ? error.code : errnoOf(error);
  return (code && reasons[code]) ?? (error instanceof Error ? error.message : String(error));
}
