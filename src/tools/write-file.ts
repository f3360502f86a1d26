import { isUtf8 } from "node:buffer";
import { basename, dirname } from "node:path";
import { type Infer, object, string } from "../contracts/schema.ts";
import { defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import { contentHasher } from "../platform/content-hash.ts";
import { namesIn } from "../platform/list-folder.ts";
import type { OpenFile } from "../platform/open-file.ts";
import { displayPath, realOrSame } from "../platform/paths.ts";
import { twinNames } from "../platform/similar-names.ts";
import { readSmallFile } from "../platform/small-file.ts";
import { hasUtf8Bom } from "../platform/text-encoding.ts";
import { encodeText } from "./files/encode-text.ts";
import { asToolError } from "./files/file-errors.ts";
import { pathToWrite } from "./files/file-target.ts";
import { currentBytes, refuseUnknown } from "./files/known-content.ts";
import { compareTexts, countLines, diffOutput } from "./files/unified-diff.ts";
import { updateKnown } from "./files/update-known.ts";

const mostComparedBytes = 200_000;

const input = object({
  file_path: string(),
  content: string("The whole new content"),
});

type WriteInput = Infer<typeof input>;

export const writeFile = defineTool<WriteInput>({
  name: "write_file",
  description:
    "Create a file (folders are made) or replace a whole one that was read before. To change a part, use edit_file.",
  input,
  effect: "write",
  describe: ({ file_path }) => ({ label: "write", title: file_path, writes: [file_path] }),
  async preview({ file_path, content }, workspace) {
    const target = pathToWrite(file_path, workspace);
    const before = readSmallFile(target, mostComparedBytes)?.toString("utf8") ?? "";
    if (Math.max(before.length, content.length) > mostComparedBytes) return undefined;
    const hunks = await compareTexts(before, content);
    const diff = { hunks, added: countLines(hunks, "+"), removed: countLines(hunks, "-"), leftOut: 0 };
    const { display } = diffOutput(displayPath(target, realOrSame(workspace.cwd)), diff);
    return display.type === "diff" ? display.diff : undefined;
  },
  async run(given, context) {
    try {
      return await write(given, context);
    } catch (error) {
      throw asToolError(error, { action: "write", shown: given.file_path });
    }
  },
});

async function write({ file_path, content }: WriteInput, { workspace }: ToolContext): Promise<ToolOutput> {
  const hasher = await contentHasher();
  const after = encodeText(content, "content");
  const target = pathToWrite(file_path, workspace);
  const shown = displayPath(target, realOrSame(workspace.cwd));
  const file = { target, shown, workspace, hasher };
  let before: Buffer | undefined;
  const change = (current: OpenFile | undefined) => {
    if (current === undefined) return after;
    before = currentBytes(current);
    refuseUnknown(current, before, file);
    return before?.equals(after) ? undefined : after;
  };
  const update = await updateKnown(file, change, () => after);
  const lines = lineCount(content);
  if (update.outcome === "unchanged") return { text: `${shown} is unchanged: it already has this content (${lines}).` };
  if (update.outcome === "replaced") return overwritten({ shown, lines, before, after });
  const twins = twinNames(basename(target), namesIn(dirname(target)));
  const twin =
    twins.length > 0
      ? ` Note: the folder also has ${twins.join(" and ")}, another file whose name looks the same.`
      : "";
  return created({ shown, content, text: `${shown} created: ${lines}.${twin}` });
}

function lineCount(content: string): string {
  const breaks = content.split("\n").length - 1;
  const count = content === "" || content.endsWith("\n") ? breaks : breaks + 1;
  return count === 1 ? "1 line" : `${count} lines`;
}

type Created = { readonly shown: string; readonly content: string; readonly text: string };

/** The person sees what is new; the model knows it. */
async function created({ shown, content, text }: Created): Promise<ToolOutput> {
  if (content.length > mostComparedBytes) return { text };
  const hunks = await compareTexts("", content);
  const { display } = diffOutput(shown, { hunks, added: countLines(hunks, "+"), removed: 0, leftOut: 0 });
  return { text, display };
}

type Overwritten = {
  readonly shown: string;
  readonly lines: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer;
};

async function overwritten({ shown, lines, before, after }: Overwritten): Promise<ToolOutput> {
  const summary = `${shown} overwritten: ${lines}`;
  if (before === undefined || Math.max(before.length, after.length) > mostComparedBytes) {
    const sizes = before ? `${before.length} bytes before, ${after.length} now` : `${after.length} bytes now`;
    return { text: `${summary}. Too large for a diff: ${sizes}.` };
  }
  const notes = formChanges(before, after).map((note) => ` Note: ${note}.`);
  if (!isUtf8(before)) return { text: `${summary}.${notes.join("")}` };
  const hunks = await compareTexts(withoutCarriageReturns(before), withoutCarriageReturns(after));
  const diff = { hunks, added: countLines(hunks, "+"), removed: countLines(hunks, "-"), leftOut: 0 };
  const { text, display } = diffOutput(shown, diff);
  return {
    text: `${summary}, +${diff.added} −${diff.removed}.${notes.join("")}${hunks.length > 0 ? `\n${text}` : ""}`,
    display,
  };
}

function withoutCarriageReturns(bytes: Buffer): string {
  return bytes.toString("utf8").replaceAll("\r\n", "\n");
}

/** What a diff of lines does not show. */
function formChanges(before: Buffer, after: Buffer): string[] {
  const found: string[] = [];
  if (!isUtf8(before)) found.push("the file was not UTF-8 before and is now");
  if (hasUtf8Bom(before) && !hasUtf8Bom(after)) found.push("the byte order mark (BOM) at the start is gone");
  const [had, has] = [before.includes("\r\n"), after.includes("\r\n")];
  if (had && !has) found.push("line ends changed from CRLF to LF");
  if (!had && has && before.includes("\n")) found.push("line ends changed from LF to CRLF");
  return found;
}
