import { basename } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { runRipgrep, scopeFlags } from "../platform/ripgrep.ts";
import { mostMatches } from "./grep-results.ts";
import { type GrepInput, type GrepSearch, type SearchEnding, spansLines } from "./grep-search.ts";

const maxColumns = 500;

function ripgrepArguments({ given, base, scope, filter }: GrepSearch): string[] {
  const mode = {
    content: ["--line-number", `--max-columns=${maxColumns}`, "--max-columns-preview"],
    files: ["--files-with-matches"],
    count: ["--count"],
  };
  const context = given.context && (given.output ?? "content") === "content" ? [`--context=${given.context}`] : [];
  const names =
    filter && filter.names.length > 0
      ? [...filter.names.map((name) => `--type-add=included:${name}`), "--type=included"]
      : [];
  return [
    ...scopeFlags(scope),
    ...["--with-filename", "--no-heading", "--null", "--engine=auto", `--max-count=${mostMatches}`],
    ...mode[given.output ?? "content"],
    ...context,
    ...(given.case_insensitive ? ["--ignore-case"] : []),
    ...(spansLines(given.pattern) ? ["--multiline"] : []),
    ...names,
    ...(filter?.excluded ?? []).map((pattern) => `--glob=!${pattern}`),
    ...["--", given.pattern, base.kind === "file" ? `./${basename(base.path)}` : "./"],
  ];
}

/** Rejects with anything but a ToolError when ripgrep cannot be started. */
export async function grepWithRipgrep(search: GrepSearch, program: string): Promise<SearchEnding> {
  const { given, scope, signal } = search;
  const { ending, code, complaint } = await runRipgrep({
    program,
    args: ripgrepArguments(search),
    cwd: scope.base,
    signal,
    timeLimitMs: search.timeLimitMs,
    separator: given.output === "files" ? "\0" : "\n",
    onRecord: (record) => takeRecord(record, search),
  });
  if (ending === "finished" && code === 2 && complaint !== "") throw complaintError(given, complaint);
  if (ending === "finished" && code === 2) search.results.warn("[some files or folders could not be read]");
  return ending;
}

/** `path NUL line : text` for a match, `-` instead of `:` around it; `path NUL count`; or the path alone. */
function takeRecord(record: string, { given, results, filter, accepts }: GrepSearch): "more" | "enough" {
  const cut = record.indexOf("\0");
  const path = (cut < 0 ? record : record.slice(0, cut)).replace(/^\.\//, "");
  // Names alone were checked by ripgrep already.
  const isWanted = !filter?.hasFolders || accepts(path);
  if (given.output === "files") return isWanted ? results.addCount(path, 1) : "more";
  if (cut < 0) {
    if (record !== "" && record !== "--") results.remark(path);
    return "more";
  }
  if (!isWanted) return "more";
  const rest = record.slice(cut + 1);
  if (given.output === "count") return results.addCount(path, Number(rest));
  const [, line, mark, text] = /^(\d+)([:-])(.*)$/s.exec(rest) ?? [];
  return line === undefined
    ? "more"
    : results.add(path, { line: Number(line), isMatch: mark === ":", text: text ?? "" });
}

function complaintError({ pattern, include }: GrepInput, complaint: string): ToolError {
  const glob = /error parsing glob.*/.exec(complaint)?.[0];
  if (glob) return new ToolError(`include ${include} is no valid glob: ${glob}`);
  // With both engines failing, the first one's message is the one with the place marked.
  const reason =
    /regex parse error:[\s\S]*?\nerror: .*/.exec(complaint)?.[0] ?? complaint.trim().split("\n").slice(0, 5).join("\n");
  return new ToolError(
    `Invalid regex ${pattern}\n${reason}\nTo search for the characters themselves, escape . * + ? ( ) [ ] { } | ^ $ with a backslash.`,
  );
}
