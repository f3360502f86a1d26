import type { WorkspaceEntry } from "../contracts/session.ts";
import type { Workspace } from "../contracts/workspace.ts";

/** What changed in a workspace since it was last asked; a resumed session is given the same picture. */
export type WorkspaceDiary = { changes(): WorkspaceEntry | undefined };

export function createWorkspaceDiary(workspace: Workspace): WorkspaceDiary {
  let { cwd, previousCwd, todos } = workspace;
  const exported = new Map(workspace.exported);
  const seen = new Map(workspace.seen);
  const changed = new Set(workspace.changed);
  return {
    changes() {
      const entry: { -readonly [Key in keyof WorkspaceEntry]: WorkspaceEntry[Key] } = { type: "workspace" };
      if (workspace.cwd !== cwd) entry.cwd = cwd = workspace.cwd;
      if (workspace.previousCwd !== undefined && workspace.previousCwd !== previousCwd)
        entry.previousCwd = previousCwd = workspace.previousCwd;
      if (workspace.todos !== todos) entry.todos = todos = workspace.todos;
      const newlyExported = differences(exported, workspace.exported);
      if (newlyExported.length > 0) entry.exported = newlyExported;
      const newlySeen = differences(seen, workspace.seen);
      if (newlySeen.length > 0) entry.seen = newlySeen;
      const newlyChanged = [...workspace.changed].filter((path) => !changed.has(path));
      for (const path of newlyChanged) changed.add(path);
      if (newlyChanged.length > 0) entry.changed = newlyChanged;
      return Object.keys(entry).length > 1 ? entry : undefined;
    },
  };
}

/** Brings `known` up to `current` and answers with what was different; null for what is gone. */
function differences(
  known: Map<string, string | undefined>,
  current: ReadonlyMap<string, string | undefined>,
): [string, string | null][] {
  const found: [string, string | null][] = [];
  for (const [name, value] of current)
    if (!known.has(name) || known.get(name) !== value) found.push([name, value ?? null]);
  for (const name of known.keys()) if (!current.has(name)) found.push([name, null]);
  for (const [name, value] of found) {
    if (current.has(name)) known.set(name, value ?? undefined);
    else known.delete(name);
  }
  return found;
}
