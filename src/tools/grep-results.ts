import { grouped } from "../platform/bounded-output.ts";
import type { FoundLine } from "../platform/search-text.ts";
import { stripControl } from "../platform/terminal-text.ts";

/** What a search found, file by file, until there is more than anybody reads. */
export type GrepResults = {
  add(path: string, found: FoundLine): "more" | "enough";
  addCount(path: string, matches: number): "more" | "enough";
  /** A line of its own, such as about a binary file. */
  remark(text: string): void;
  /** Said at the end, whatever was found. */
  warn(text: string): void;
  render(request: RenderRequest): string;
};

export type OutputMode = "content" | "files" | "count";

export type RenderRequest = {
  readonly mode: OutputMode;
  readonly limit: number;
  /** Did the search end before everything was seen? */
  readonly complete: boolean;
  readonly show: (path: string) => string;
};

export const mostMatches = 10_000;
const maxChars = 20_000;
const maxLineChars = 500;

type FileResult = { matches: number; readonly lines: FoundLine[] };

function shortened(text: string): string {
  const clean = stripControl(text.replace(/\r$/, ""));
  // ripgrep has cut already and says so; the margin leaves its remark whole.
  return clean.length > maxLineChars + 50
    ? `${clean.slice(0, maxLineChars)} [… ${clean.length - maxLineChars} more characters]`
    : clean;
}

export function createGrepResults(): GrepResults {
  const files = new Map<string, FileResult>();
  const remarks: string[] = [];
  const warnings: string[] = [];
  let total = 0;

  function fileOf(path: string): FileResult {
    const file = files.get(path) ?? { matches: 0, lines: [] };
    files.set(path, file);
    return file;
  }

  function count(file: FileResult, matches: number): void {
    file.matches += matches;
    total += matches;
  }

  return {
    add(path, found) {
      const file = fileOf(path);
      file.lines.push(found);
      if (found.isMatch) count(file, 1);
      return total < mostMatches ? "more" : "enough";
    },
    addCount(path, matches) {
      count(fileOf(path), matches);
      return files.size < mostMatches ? "more" : "enough";
    },
    warn: (text) => void warnings.push(text),
    remark: (text) => void remarks.push(stripControl(text)),
    render(request) {
      const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
      const body = request.mode === "content" ? contentLines(sorted, request) : fileLines(sorted, request);
      const sum = `${request.complete ? "" : "at least "}${grouped(total)} ${total === 1 ? "match" : "matches"}`;
      const note = body.note(sum, grouped(files.size));
      const found = [...body.lines, ...remarks];
      if (found.length === 0) found.push("No matches.");
      return [...found, ...(note === "" ? [] : [note]), ...warnings].join("\n");
    },
  };
}

type Body = { readonly lines: readonly string[]; readonly note: (matches: string, files: string) => string };
const advice = "narrow with path or include, or raise limit";

function contentLines(
  files: readonly (readonly [string, FileResult])[],
  { limit, show, complete }: RenderRequest,
): Body {
  const lines: string[] = [];
  let shown = 0;
  let chars = 0;
  const hasContext = files.some(([, { lines }]) => lines.some((line) => !line.isMatch));
  for (const [path, file] of files) {
    const name = show(path);
    let before: number | undefined;
    for (const { line, isMatch, text } of file.lines) {
      if (isMatch && (shown >= limit || chars > maxChars)) {
        return { lines, note: (matches, count) => `[${shown} of ${matches} in ${count} files shown; ${advice}]` };
      }
      if (hasContext && lines.length > 0 && before !== line - 1) lines.push("--");
      const mark = isMatch ? ":" : "-";
      const rendered = `${name}${mark}${line}${mark} ${shortened(text)}`;
      lines.push(rendered);
      chars += rendered.length;
      if (isMatch) shown++;
      before = line;
    }
  }
  return { lines, note: (matches) => (complete ? "" : `[${matches}]`) };
}

function fileLines(files: readonly (readonly [string, FileResult])[], { limit, show, mode }: RenderRequest): Body {
  const shown = files.slice(0, limit);
  const lines = shown.map(([path, { matches }]) => (mode === "count" ? `${show(path)}: ${matches}` : show(path)));
  return {
    lines,
    note(matches, count) {
      if (shown.length < files.length) return `[${shown.length} of ${count} files shown; ${advice}]`;
      return mode === "count" && files.length > 1 ? `[${matches} in ${count} files]` : "";
    },
  };
}
