import { join, relative } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import { realOrSame } from "../platform/paths.ts";
import { isStartFailure } from "../platform/process-group.ts";
import { findRipgrep } from "../platform/ripgrep.ts";
import { createGrepResults } from "./grep-results.ts";
import { type GrepInput, type GrepSearch, grepInput, type SearchEnding } from "./grep-search.ts";
import { grepWithRipgrep } from "./grep-with-ripgrep.ts";
import { grepWithoutRipgrep } from "./grep-without-ripgrep.ts";
import { includeFilter } from "./include-filter.ts";
import { scopeOf, searchBase, shownPath, stoppedNote } from "./search-base.ts";

export type GrepOptions = {
  /** The ripgrep to use; undefined: search without it. */
  readonly ripgrep: () => string | undefined;
  readonly timeLimitS: number;
};

export function createGrep(options: GrepOptions): AnyTool {
  return defineTool<GrepInput>({
    name: "grep",
    description: "Search file contents. What git ignores is left out unless path leads into it.",
    input: grepInput,
    effect: "read",
    describe: ({ pattern, path }) => ({
      label: "grep",
      title: path === undefined ? pattern : `${pattern} in ${path}`,
      reads: [path ?? "."],
    }),
    run: (given, context) => run(given, context, options),
  });
}

export const grep = createGrep({ ripgrep: findRipgrep, timeLimitS: 10 });

async function run(
  given: GrepInput,
  { workspace, signal }: ToolContext,
  { ripgrep, timeLimitS }: GrepOptions,
): Promise<ToolOutput> {
  if (given.pattern === "") throw new ToolError("The pattern is empty. To list files use glob.");
  if (given.pattern.includes("\0"))
    throw new ToolError("The pattern contains a NUL character. Files that hold one are not searched.");
  const base = searchBase(given.path ?? ".", workspace);
  const scope = await scopeOf(base);
  const filter = given.include && base.kind === "folder" ? await includeFilter(given.include) : undefined;
  const fromCwd = relative(realOrSame(workspace.cwd), scope.base);
  const accepts = filter ? (path: string) => filter.accepts(path) || filter.accepts(join(fromCwd, path)) : () => true;
  const results = createGrepResults();
  const ending = await find(
    { given, base, scope, filter, results, signal, accepts, timeLimitMs: timeLimitS * 1_000 },
    ripgrep(),
  );
  const text = results.render({
    mode: given.output ?? "content",
    limit: given.limit ?? 200,
    complete: ending === "finished",
    show: (path) => shownPath(join(scope.base, path), workspace),
  });
  const stopped = ending === "time-limit" || ending === "interrupted";
  return { text: stopped ? `${text}\n${stoppedNote(ending, timeLimitS)}` : text, isError: ending === "interrupted" };
}

async function find(search: GrepSearch, program: string | undefined): Promise<SearchEnding> {
  if (program === undefined) return grepWithoutRipgrep(search);
  return grepWithRipgrep(search, program).catch((error: unknown) => {
    if (isStartFailure(error)) return grepWithoutRipgrep(search);
    throw error;
  });
}
