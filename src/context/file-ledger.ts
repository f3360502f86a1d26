import { type FileUse, filesOf } from "./files-of-call.ts";
import type { Transcript } from "./transcript.ts";

/** Which files the agent touched, from its calls, oldest first; a file stands where it was last touched. */
export type FileLedger = ReadonlyMap<string, FileUse>;

export function fileLedger({ results }: Transcript, through: number): FileLedger {
  const ledger = new Map<string, FileUse>();
  for (const { entry, part, toolCall } of results) {
    if (entry.index > through || toolCall === undefined || part.isError) continue;
    for (const { path, use } of filesOf(toolCall)) {
      const before = ledger.get(path);
      ledger.delete(path);
      ledger.set(path, use === "read" && before !== undefined ? before : use);
    }
  }
  return ledger;
}
