import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { ToolDisplay, ToolView } from "../contracts/tool-view.ts";
import { expandPath } from "../platform/paths.ts";

/** What an editor is shown of a call. */

const kindsByLabel: Readonly<Record<string, ToolKind>> = {
  grep: "search",
  glob: "search",
  agent: "think",
  fetch: "fetch",
};

export function kindOf({ label, command, reads, writes }: ToolView): ToolKind {
  if (command !== undefined) return "execute";
  if (writes && writes.length > 0) return "edit";
  return kindsByLabel[label] ?? (reads && reads.length > 0 ? "read" : "other");
}

export function titleOf({ label, title }: ToolView): string {
  return `${label} ${title}`.trim().slice(0, 200);
}

/** The protocol wants whole paths. */
export function locationsOf({ reads = [], writes = [] }: ToolView, root: string): ToolCallLocation[] {
  return [...reads, ...writes].map((path) => ({ path: expandPath(path, root) }));
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** A diff where there is one, else the text. */
export function contentOf(
  { text, display }: { readonly text: string; readonly display?: ToolDisplay },
  root: string,
): ToolCallContent[] {
  if (display?.type !== "diff") return [textContent(text)];
  const path = expandPath(display.path, root);
  return hunksOf(display.diff).map((hunk) => ({ type: "diff", path, ...hunk }));
}

/** The two sides of every hunk of a unified diff. */
function hunksOf(diff: string): { oldText: string | null; newText: string }[] {
  const hunks: { before: string[]; after: string[] }[] = [];
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) hunks.push({ before: [], after: [] });
    const hunk = hunks.at(-1);
    if (hunk === undefined || line.startsWith("@@")) continue;
    const rest = line.slice(1);
    if (line.startsWith(" ") || line.startsWith("-")) hunk.before.push(rest);
    if (line.startsWith(" ") || line.startsWith("+")) hunk.after.push(rest);
  }
  return hunks.map(({ before, after }) => ({
    oldText: before.length === 0 ? null : before.join("\n"),
    newText: after.join("\n"),
  }));
}
