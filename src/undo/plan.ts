import type { FileChange, FileState, RestorePlan } from "../contracts/file-change.ts";
import { contentHasher } from "../platform/content-hash.ts";
import type { ObjectStore } from "../platform/object-store.ts";
import { type Current, currentAt } from "./current-state.ts";
import { isSameState } from "./file-states.ts";
import { netChanges } from "./net-changes.ts";
import { createPace } from "./pace.ts";

export type Direction = "undo" | "redo";

export type PlanTools = { readonly store: ObjectStore; readonly limitBytes: number };

/**
 * Looks what taking changes back would mean now; nothing is changed. A conflict is told as what restoring would do: from what is there
 * now, so that somebody who agrees to it agrees to this and not to what may stand there later.
 */
export async function planRestore(
  changes: readonly FileChange[],
  direction: Direction,
  { store, limitBytes }: PlanTools,
): Promise<RestorePlan> {
  const hasher = await contentHasher();
  const pace = createPace({});
  const ready: FileChange[] = [];
  const conflicts: FileChange[] = [];
  const missing: FileChange[] = [];
  for (const { path, before, after, isBroken } of netChanges(changes)) {
    const [wanted, expected] = direction === "undo" ? [before, after] : [after, before];
    const { state: current } = currentOrForeign(path, limitBytes, hasher.of);
    if (pace.isDue()) await pace.pause(() => "");
    if (current !== "foreign" && isSameState(current, wanted)) continue;
    if (wanted?.type === "file" && store.read(wanted.hash) === undefined)
      missing.push(changeOf(path, direction, { wanted, expected }));
    else if (current === "foreign") conflicts.push(changeOf(path, direction, { wanted, expected }));
    else if (isSameState(current, expected) && !isBroken) ready.push(changeOf(path, direction, { wanted, expected }));
    else conflicts.push(changeOf(path, direction, { wanted, expected: current }));
  }
  return { ready, conflicts, missing };
}

/** What cannot be looked at cannot be restored either, but that is for the restoring to say. */
function currentOrForeign(path: string, limitBytes: number, hashOf: (bytes: Buffer) => string): Current {
  try {
    return currentAt(path, limitBytes, hashOf);
  } catch {
    return { state: "foreign", stat: undefined };
  }
}

type Move = { readonly wanted: FileState | undefined; readonly expected: FileState | undefined };

function changeOf(path: string, direction: Direction, { wanted, expected }: Move): FileChange {
  const [before, after] = direction === "undo" ? [wanted, expected] : [expected, wanted];
  return { path, ...(before ? { before } : {}), ...(after ? { after } : {}) };
}
