import { type FileUpdate, updateFile } from "../../platform/update-file.ts";
import { type KnownFile, rememberWritten, StaleFile } from "./known-content.ts";

type Change = Parameters<typeof updateFile>[1];

/**
 * Changes a file that the conversation knows, and knows it again at once: no other call comes between. Explains what happened when
 * somebody else was faster. `written` answers with the new content, undefined when there is none.
 */
export async function updateKnown(
  file: KnownFile,
  change: Change,
  written: () => Buffer | undefined,
): Promise<FileUpdate> {
  try {
    const update = updateFile(file.target, change);
    const bytes = written();
    if (bytes) rememberWritten(file, bytes, update);
    return update;
  } catch (error) {
    if (!(error instanceof StaleFile)) throw error;
    const { explainStale } = await import("./explain-stale.ts");
    throw await explainStale(error, file);
  }
}
