import { isUtf8 } from "node:buffer";
import { ToolError } from "../contracts/errors.ts";
import { boolean, type Infer, object, optional, string } from "../contracts/schema.ts";
import { defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import { contentHasher } from "../platform/content-hash.ts";
import { FileFault } from "../platform/file-fault.ts";
import type { OpenFile } from "../platform/open-file.ts";
import { displayPath, realOrSame } from "../platform/paths.ts";
import { readSmallFile } from "../platform/small-file.ts";
import { hasUtf8Bom, utf8Bom, utf16Of } from "../platform/text-encoding.ts";
import { type AppliedEdit, applyEdit, type Place } from "./editing/apply-edit.ts";
import { editDiff } from "./editing/edit-diff.ts";
import { refuseUnwritable } from "./files/encode-text.ts";
import { asToolError } from "./files/file-errors.ts";
import { pathToWrite } from "./files/file-target.ts";
import { currentBytes, type KnownFile, refuseUnknown } from "./files/known-content.ts";
import { lineRanges } from "./files/line-ranges.ts";
import { missingFile } from "./files/missing-file.ts";
import { diffOutput } from "./files/unified-diff.ts";
import { updateKnown } from "./files/update-known.ts";

const input = object({
  file_path: string(),
  old_string: string("Exact text to replace, without line numbers; empty only to create a file"),
  new_string: string(),
  replace_all: optional(boolean("Replace every match")),
});

type EditInput = Infer<typeof input>;

const mostPreviewedBytes = 2_000_000;
type Edited = Extract<AppliedEdit, { type: "edited" }>;
type Unapplied = Exclude<AppliedEdit, Edited>;

export const editFile = defineTool<EditInput>({
  name: "edit_file",
  description:
    "Replace old_string by new_string in a file that was read before. It must match exactly, whitespace included, and only once unless replace_all. Returns the diff.",
  input,
  effect: "write",
  describe: ({ file_path }) => ({ label: "edit", title: file_path, writes: [file_path] }),
  async preview(given, workspace) {
    const target = pathToWrite(given.file_path, workspace);
    const text = readSmallFile(target, mostPreviewedBytes)?.toString("utf8") ?? "";
    const applied = editText(text, given, given.file_path);
    if (applied.type !== "edited") return undefined;
    const { display } = diffOutput(displayPath(target, realOrSame(workspace.cwd)), await editDiff(applied));
    return display.type === "diff" ? display.diff : undefined;
  },
  async run(given, context) {
    try {
      return await edit(given, context);
    } catch (error) {
      throw asToolError(error, { action: "edit", shown: given.file_path });
    }
  },
});

async function edit(given: EditInput, { workspace }: ToolContext): Promise<ToolOutput> {
  const hasher = await contentHasher();
  refuseUnwritable(given.old_string, "old_string");
  refuseUnwritable(given.new_string, "new_string");
  const target = pathToWrite(given.file_path, workspace);
  const file: KnownFile = { target, shown: displayPath(target, realOrSame(workspace.cwd)), workspace, hasher };
  let applied: AppliedEdit | undefined;
  let bytes = Buffer.alloc(0);
  const change = (current: OpenFile | undefined) => {
    if (current === undefined && given.old_string !== "") throw missingFile(given.file_path, target, workspace);
    const content = current ? editableBytes(current, file) : bytes;
    const bom = hasUtf8Bom(content) ? utf8Bom : Buffer.alloc(0);
    applied = editText(content.toString("utf8", bom.length), given, file.shown);
    if (applied.type !== "edited") return undefined;
    bytes = Buffer.concat([bom, applied.bytes]);
    if (current && bytes.equals(content)) throw noChange(file.shown);
    return bytes;
  };
  const update = await updateKnown(file, change, () => (applied?.type === "edited" ? bytes : undefined));
  if (applied?.type !== "edited") throw await noSingleMatch(applied, given.new_string, file.shown);
  return report(file.shown, applied, update.outcome === "created");
}

function editableBytes(current: OpenFile, file: KnownFile): Buffer {
  const bytes = currentBytes(current);
  if (bytes === undefined) throw new FileFault("too-large", `${current.stat.size} bytes`);
  const utf16 = utf16Of(bytes);
  if (utf16 === undefined && bytes.includes(0)) {
    throw new ToolError(
      `${file.shown} is binary (it holds NUL bytes) and cannot be edited as text; nothing was changed. Use bash for binary files.`,
    );
  }
  if (utf16 || !isUtf8(bytes)) {
    throw new ToolError(
      `${file.shown} is not valid UTF-8${utf16 ? ` (it is ${utf16})` : ""}, so an edit could damage it; nothing was changed. Convert it with bash first (iconv -f ${utf16 ?? "ENCODING"} -t UTF-8), then read and edit it.`,
    );
  }
  refuseUnknown(current, bytes, file);
  return bytes;
}

function editText(text: string, { old_string, new_string, replace_all }: EditInput, shown: string): AppliedEdit {
  if (old_string === "") return fillEmpty(text, new_string, shown);
  if (old_string === new_string) throw noChange(shown);
  return applyEdit(text, { old: old_string, new: new_string, all: replace_all ?? false });
}

function fillEmpty(text: string, content: string, shown: string): Edited {
  if (text !== "") {
    throw new ToolError(
      `old_string is empty but ${shown} is not; nothing was changed. Put the text to replace into old_string (to insert, a line next to the place), or use write_file for the whole file.`,
    );
  }
  return {
    type: "edited",
    bytes: Buffer.from(content),
    folded: "",
    replacement: content,
    places: [{ start: 0, end: 0 }],
  };
}

function noChange(shown: string): ToolError {
  return new ToolError(
    `No change: old_string and new_string are the same text (line ends do not count) in ${shown}. Send the changed text in new_string, or go on if the file is already right.`,
  );
}

/** Explaining is rarely needed and not small, so it is loaded then. */
async function noSingleMatch(applied: Unapplied | undefined, replacement: string, shown: string): Promise<ToolError> {
  if (applied === undefined) throw new Error("The edit was not decided.");
  if (applied.type === "ambiguous") return notUnique(applied, shown);
  const { explainNoMatch } = await import("./editing/explain-no-match.ts");
  return new ToolError(explainNoMatch({ ...applied, replacement, shown }));
}

function notUnique(
  { folded, places, isCounted }: Extract<AppliedEdit, { type: "ambiguous" }>,
  shown: string,
): ToolError {
  const count = isCounted ? `${places.length}` : `more than ${places.length}`;
  return new ToolError(
    `old_string is not unique: it matches ${count} times in ${shown}, on lines ${lineRanges(lineNumbers(folded, places))}; nothing was changed. Add surrounding lines so that it matches once, or set replace_all to change every match.`,
  );
}

function lineNumbers(text: string, places: readonly Place[]): number[] {
  let line = 1;
  let at = text.indexOf("\n");
  return places.map(({ start }) => {
    while (at >= 0 && at < start) {
      line++;
      at = text.indexOf("\n", at + 1);
    }
    return line;
  });
}

async function report(shown: string, edited: Edited, isNew: boolean): Promise<ToolOutput> {
  const diff = await editDiff(edited);
  const { text, display } = diffOutput(shown, diff);
  const count = edited.places.length === 1 ? "1 replacement" : `${edited.places.length} replacements`;
  const changes = `+${diff.added} −${diff.removed}`;
  return { text: `${isNew ? `Created ${shown}` : `Edited ${shown}: ${count}`}, ${changes}\n${text}`, display };
}
