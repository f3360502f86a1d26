import type { FileChange } from "../contracts/file-change.ts";
import type { SessionEntry } from "../contracts/session.ts";
import { namesIn } from "../platform/list-folder.ts";
import { readLog } from "../session/log/read-log.ts";
import { collectGarbage } from "../undo/collect-garbage.ts";

export type UndoGarbage = {
  readonly totalBytes: number;
  readonly freedBytes: number;
  /** Projects that were left alone: somebody works in them now, or a log of theirs cannot be read to its end. */
  readonly spared: readonly string[];
};

export type GarbageRequest = {
  readonly stateFolder: string;
  /** Logs that count as gone although they are still there. */
  readonly without: ReadonlySet<string>;
  readonly dryRun: boolean;
};

/** Drops, project by project, the contents that were kept for undo and that no session names any more. */
export async function collectUndoGarbage({ stateFolder, without, dryRun }: GarbageRequest): Promise<UndoGarbage> {
  const spared: string[] = [];
  let totalBytes = 0;
  let freedBytes = 0;
  for (const project of namesIn(`${stateFolder}/undo`)) {
    const folder = `${stateFolder}/sessions/${project}`;
    const logs = namesIn(folder).map((name) => `${folder}/${name}`);
    const kept = hashesIn(logs.filter((path) => path.endsWith(".jsonl") && !without.has(path)));
    const collected = kept && (await collectGarbage(`${stateFolder}/undo/${project}`, kept, { dryRun }));
    totalBytes += collected?.totalBytes ?? 0;
    freedBytes += collected?.freedBytes ?? 0;
    if (collected === undefined || collected.outcome === "in use") spared.push(project);
  }
  return { totalBytes, freedBytes, spared };
}

/** Undefined when one of the logs cannot be read whole: what it named is not known. */
function hashesIn(logs: readonly string[]): Set<string> | undefined {
  const hashes = new Set<string>();
  try {
    for (const log of logs)
      for (const found of readLog(log)) {
        if (!("entry" in found)) return undefined;
        for (const { before, after } of changesOf(found.entry))
          for (const state of [before, after]) if (state?.type === "file") hashes.add(state.hash);
      }
    return hashes;
  } catch {
    return undefined;
  }
}

function changesOf(entry: SessionEntry): readonly FileChange[] {
  if (entry.type === "changes") return entry.changes;
  return entry.type === "undo" || entry.type === "redo" ? entry.files : [];
}
