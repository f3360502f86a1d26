import type { Workspace } from "../contracts/workspace.ts";

export type WorkspaceOptions = {
  /** Further folders file tools may write in. Real paths, like the root. */
  readonly alsoWritable?: readonly string[];
  /** Left out: file tools stay inside. */
  readonly confined?: boolean;
};

/** Where a fresh agent starts: in its folder, having seen and changed nothing. */
export function createWorkspace(
  root: string,
  { alsoWritable = [], confined = true }: WorkspaceOptions = {},
): Workspace {
  return {
    root,
    writableRoots: [root, ...alsoWritable],
    confined,
    cwd: root,
    previousCwd: undefined,
    exported: new Map(),
    seen: new Map(),
    changed: new Set(),
    todos: [],
  };
}
