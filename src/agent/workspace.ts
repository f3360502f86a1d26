import type { Workspace } from "../contracts/workspace.ts";

export type WorkspaceOptions = {
  /** Further folders file tools may write in. Real paths, like the root. */
  readonly alsoWritable?: readonly string[];
  /** Left out: file tools stay inside. */
  readonly confined?: boolean;
  /** As a saved session left it. */
  readonly saved?: SavedWorkspace;
};

export type SavedWorkspace = Pick<Workspace, "previousCwd" | "todos"> & {
  readonly cwd: string | undefined;
  readonly exported: ReadonlyMap<string, string | undefined>;
  readonly seen: ReadonlyMap<string, string>;
  readonly changed: ReadonlySet<string>;
};

/** Where an agent starts: in its folder, having seen and changed nothing, or where a saved session left off. */
export function createWorkspace(
  root: string,
  { alsoWritable = [], confined = true, saved }: WorkspaceOptions = {},
): Workspace {
  return {
    root,
    writableRoots: [root, ...alsoWritable],
    confined,
    cwd: saved?.cwd ?? root,
    previousCwd: saved?.previousCwd,
    exported: new Map(saved?.exported),
    seen: new Map(saved?.seen),
    seenTexts: new Map(),
    changed: new Set(saved?.changed),
    todos: saved?.todos ?? [],
  };
}
