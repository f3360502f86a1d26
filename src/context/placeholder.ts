import type { ResultEntry } from "./transcript.ts";

/** Words in lines that a reader looks for first. */
const errorWords =
  /\b(?:error|exception|failed|failure|fatal|panic|traceback|cannot|not found|denied|undefined reference)\b/i;

/** The first line that looks like an error, however far down it stands. */
export function firstErrorLine(text: string): string | undefined {
  const at = text.search(errorWords);
  if (at < 0) return undefined;
  const start = text.lastIndexOf("\n", at) + 1;
  const end = text.indexOf("\n", at);
  return cut(text.slice(Math.max(start, at - 100), end < 0 ? at + 160 : Math.min(end, at + 160)).trim(), 160);
}

/** What a call was about, in a few words: its path, command or pattern. */
export function subjectOf({ toolCall }: Pick<ResultEntry, "toolCall">): string {
  const input = toolCall?.input ?? {};
  const words = Object.entries(input)
    .filter(([name, value]) => subjectNames.has(name) && (typeof value === "string" || typeof value === "number"))
    .map(([, value]) => String(value).replace(/\s+/g, " "));
  return cut(words.join(" "), 120);
}

const subjectNames = new Set([
  "file_path",
  "path",
  "filePath",
  "notebook_path",
  "command",
  "cmd",
  "pattern",
  "query",
  "url",
  "task",
  "description",
  "offset",
  "limit",
  "include",
  "glob",
]);

/** The line that stands where an archived result was: what it was, how to get it back, and the error it held. */
export function placeholderFor(result: ResultEntry): string {
  const { part } = result;
  const lines = part.text.split("\n").length;
  const error = part.isError || /\b(exit code|error)\b/i.test(part.text) ? firstErrorLine(part.text) : undefined;
  const subject = subjectOf(result);
  const head = `[${part.handle} ${part.tool}${subject ? ` ${subject}` : ""}: ${lines} ${lines === 1 ? "line" : "lines"} archived${part.images ? ", with its image" : ""}; recall("${part.handle}")]`;
  return error === undefined ? head : `${head}\n${error}`;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
