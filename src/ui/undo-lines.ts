import type { FileChange } from "../contracts/file-change.ts";
import { showControl } from "../platform/terminal-text.ts";

/** What an undo or redo did, for the person. */
export type MovedWork = {
  readonly verb: "Took back" | "Brought back";
  readonly what: "both" | "files" | "conversation";
  readonly prompts: readonly string[];
  readonly files: readonly FileChange[];
  readonly untouched: readonly { readonly path: string; readonly why: string | undefined }[];
  readonly shorten: (path: string) => string;
};

const shownFiles = 20;

export function undoLines({ verb, what, prompts, files, untouched, shorten }: MovedWork): string {
  const turns = prompts.length === 1 ? "1 turn" : `${prompts.length} turns`;
  const scope = what === "both" ? turns : what === "files" ? `the files of ${turns}` : `what was said in ${turns}`;
  const lines = [
    `${verb} ${scope}.`,
    ...(what === "files" ? [] : prompts.map((text) => `  > ${firstLine(text)}`)),
    ...files.slice(0, shownFiles).map((change) => `  ${markOf(change)} ${showControl(shorten(change.path))}`),
    ...(files.length > shownFiles ? [`  … and ${files.length - shownFiles} more files`] : []),
    ...(what !== "conversation" && files.length === 0 && untouched.length === 0 ? ["  No files had changed."] : []),
    ...untouched.map(({ path, why }) => `  left as it is: ${showControl(shorten(path))}${why ? ` (${why})` : ""}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** As git marks them: what happened to the file just now. */
function markOf({ before, after }: FileChange): string {
  return after === undefined ? "D" : before === undefined ? "A" : "M";
}

function firstLine(text: string): string {
  const [first = ""] = text.trim().split("\n");
  const shown = showControl(first);
  return shown.length > 70 ? `${shown.slice(0, 69)}…` : shown;
}
