import type { ToolCallPart } from "../contracts/message.ts";

export type FileUse = "read" | "edited" | "created";

const pathNames = ["file_path", "filePath", "path", "notebook_path"];
const writeWords = /write|create/i;
const editWords = /edit|replace|patch|update|notebook/i;

/** Paths a call names, with what it does to them. Judged by its arguments, so that other agents' sessions can be replayed too. */
export function filesOf(call: ToolCallPart): readonly { readonly path: string; readonly use: FileUse }[] {
  const input = call.input ?? {};
  const path = pathNames.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  if (typeof path !== "string") return [];
  const hasNewText = ["content", "new_string", "newText", "new_str", "edits", "old_string", "file_text"].some(
    (name) => name in input,
  );
  if (!hasNewText && !writeWords.test(call.tool) && !editWords.test(call.tool)) return [{ path, use: "read" }];
  return [
    { path, use: "content" in input || "file_text" in input || writeWords.test(call.tool) ? "created" : "edited" },
  ];
}
