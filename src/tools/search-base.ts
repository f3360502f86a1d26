import { dirname } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { lookAt, natureOf } from "../platform/open-file.ts";
import { displayPath, isInside, realOrSame, realTarget } from "../platform/paths.ts";
import { type SearchScope, searchScope } from "../platform/search-scope.ts";
import { showControl } from "../platform/terminal-text.ts";

export type SearchBase = {
  /** Real path of what is searched. */
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly root: string;
};

/** The real file or folder behind what the model wrote; throws unless it exists and lies inside the allowed roots. */
export function searchBase(given: string, workspace: Workspace): SearchBase;
export function searchBase(given: string, workspace: Workspace, absence: "may-be-missing"): SearchBase | undefined;
export function searchBase(given: string, workspace: Workspace, absence?: "may-be-missing"): SearchBase | undefined {
  const path = resolve(given, workspace);
  const roots = [realOrSame(workspace.root), ...workspace.writableRoots];
  const root = roots.find((folder) => isInside(path, folder));
  if (root === undefined && workspace.confined) {
    throw new ToolError(
      `${given} lies outside the allowed folders (${roots.join(", ")}). Search inside them, or ask the user to start again with --add-dir.`,
    );
  }
  const stat = lookAt(path);
  if (stat === undefined && absence) return undefined;
  if (stat === undefined) throw new ToolError(`${given} does not exist. The current folder is ${workspace.cwd}.`);
  const kind = natureOf(stat);
  if (kind !== "file" && kind !== "folder")
    throw new ToolError(`${given} is a ${kind}: only files and folders can be searched.`);
  return { path, kind, root: root ?? (kind === "file" ? dirname(path) : path) };
}

function resolve(given: string, workspace: Workspace): string {
  try {
    return realTarget(given, workspace.cwd);
  } catch (error) {
    throw new ToolError(`${given} cannot be reached: ${(error as Error).message}`, { cause: error });
  }
}

export function scopeOf({ path, kind, root }: SearchBase): Promise<SearchScope> {
  return searchScope(kind === "file" ? dirname(path) : path, root);
}

/** A found path as the model can use it again, on one line. */
export function shownPath(absolute: string, workspace: Workspace): string {
  return showControl(displayPath(absolute, realOrSame(workspace.cwd)));
}

/** One line about a search that did not see everything. */
export function stoppedNote(ending: "time-limit" | "interrupted", seconds: number): string {
  return ending === "interrupted"
    ? "[interrupted]"
    : `[stopped after ${seconds} s: not everything was searched; narrow the search with path]`;
}
