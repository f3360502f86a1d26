import type { ToolResultPart } from "../contracts/message.ts";
import { type FileUse, filesOf } from "./files-of-call.ts";
import type { Transcript } from "./transcript.ts";

export type LedgerUse = FileUse | "deleted";

/** Which files the agent touched, oldest first; a file stands where it was last touched. */
export type FileLedger = ReadonlyMap<string, LedgerUse>;

/** What really changed on disk, also by shell commands and by calls that failed, counts more than what a call's arguments say. */
export function fileLedger({ results }: Transcript, through: number): FileLedger {
  const ledger = new Map<string, LedgerUse>();
  /** Calls may name a file otherwise than the workspace does. */
  const realNames = new Map<string, string>();
  const touch = (path: string, use: LedgerUse) => {
    const before = ledger.get(path);
    ledger.delete(path);
    ledger.set(path, merged(before, use));
  };
  for (const { entry, part, toolCall } of results) {
    if (entry.index > through) continue;
    const guessed = toolCall === undefined ? [] : filesOf(toolCall);
    for (const { path, use } of part.changed ?? []) touch(path, use);
    for (const { path, use } of guessed) {
      const real = realNameIn(part, path);
      if (real !== undefined && real !== path) {
        realNames.set(path, real);
        ledger.delete(path);
      }
      if (part.changed === undefined && !part.isError) touch(realNames.get(path) ?? path, use);
    }
  }
  return ledger;
}

function realNameIn({ changed = [] }: ToolResultPart, path: string): string | undefined {
  return changed.find((change) => path === change.path || path.endsWith(`/${change.path}`))?.path;
}

/** A file that was only looked at again is still an edited one; one that was made here is still new after an edit. */
function merged(before: LedgerUse | undefined, use: LedgerUse): LedgerUse {
  if (before === undefined || before === "deleted") return use;
  if (use === "read") return before;
  return use === "edited" && before === "created" ? "created" : use;
}
