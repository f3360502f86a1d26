import { isUtf8 } from "node:buffer";
import { ToolError } from "../../contracts/errors.ts";
import { type KnownFile, rememberText, type StaleFile } from "./known-content.ts";
import { compareTexts, countLines, diffOutput, isCut } from "./unified-diff.ts";

/** Somebody else was faster: the model is shown what they did, and where it sees all of it, it may go on from there. */
export async function explainStale({ bytes, identity }: StaleFile, file: KnownFile): Promise<ToolError> {
  const { target, shown, workspace } = file;
  const told = `${shown} changed on disk since it was read (stale); nothing was changed.`;
  const before = workspace.seenTexts.get(target);
  if (before === undefined || bytes === undefined || !isUtf8(bytes))
    return new ToolError(`${told} Read it again with read_file, then repeat the call with the new content in mind.`);
  const now = bytes.toString("utf8");
  const hunks = await compareTexts(lines(before), lines(now));
  if (hunks.length === 0)
    return new ToolError(
      `${told} Only its line ends are different. Read it again with read_file, then repeat the call.`,
    );
  const diff = { hunks, added: countLines(hunks, "+"), removed: countLines(hunks, "-"), leftOut: 0 };
  const { text } = diffOutput(shown, diff);
  if (isCut(text))
    return new ToolError(
      `${told} Read it again with read_file, then repeat the call. What others changed begins with:\n${text}`,
    );
  workspace.seen.set(target, identity);
  rememberText(workspace, target, now);
  return new ToolError(`${told} This is what others changed; repeat the call with it in mind:\n${text}`);
}

/** Line ends are not what a model looks at. */
function lines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/\n?$/, "\n");
}
