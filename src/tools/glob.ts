import { join } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { type Infer, object, optional, string } from "../contracts/schema.ts";
import { defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { listFiles, newestFirst } from "../platform/list-files.ts";
import type { SearchScope } from "../platform/search-scope.ts";
import { type GlobPattern, parseGlob } from "./glob-pattern.ts";
import { scopeOf, searchBase, shownPath, stoppedNote } from "./search-base.ts";

const shownFiles = 100;
const timeLimitS = 10;
const secondLookMs = 500;

const input = object({
  pattern: string("such as src/**/*.{ts,tsx}"),
  path: optional(string("folder, default: the current one")),
});

type GlobInput = Infer<typeof input>;

export const glob = defineTool<GlobInput>({
  name: "glob",
  description: "Find files by name, newest first. What git ignores is left out unless path or pattern leads into it.",
  input,
  effect: "read",
  describe: ({ pattern, path }) => ({
    label: "glob",
    title: path === undefined ? pattern : `${pattern} in ${path}`,
    reads: [path ?? "."],
  }),
  run,
});

async function run(given: GlobInput, context: ToolContext): Promise<ToolOutput> {
  const { workspace, signal } = context;
  if (given.pattern.trim() === "") throw new ToolError("The pattern is empty. Use **/* to list every file.");
  const pattern = await parseGlob(given.pattern);
  const base = startFolder(given, pattern.folder, workspace);
  if (base === undefined) return { text: `No files match ${given.pattern}: there is no folder ${pattern.folder}.` };
  const scope = await scopeOf(base);
  const { paths, complete } = await listFiles({
    scope,
    select: pattern.select,
    signal,
    timeLimitMs: timeLimitS * 1_000,
  });
  const notes = complete ? [] : [stoppedNote(signal.aborted ? "interrupted" : "time-limit", timeLimitS)];
  if (paths.length === 0) {
    const hint = complete ? await whereElse(pattern, scope, signal) : "";
    return {
      text: [`No files match ${given.pattern} in ${placeName(base.path, workspace)}.${hint}`, ...notes].join("\n"),
    };
  }
  const shown = (await newestFirst(paths, base.path)).slice(0, shownFiles);
  if (shown.length < paths.length)
    notes.unshift(`[${shown.length} of ${paths.length} files, newest first; narrow the pattern to see others]`);
  return { text: [...shown.map((path) => shownPath(join(base.path, path), workspace)), ...notes].join("\n") };
}

function placeName(folder: string, workspace: Workspace): string {
  const shown = shownPath(folder, workspace);
  return shown === "." ? "the current folder" : shown;
}

/** Undefined when the pattern's own folder does not exist: then nothing matches, which is an answer and no error. */
function startFolder({ pattern, path = "." }: GlobInput, folder: string, workspace: Workspace) {
  const isAbsolute = pattern.startsWith("/") || pattern.startsWith("~/");
  const outer = isAbsolute ? undefined : searchBase(path, workspace);
  if (outer?.kind === "file")
    throw new ToolError(`path must be a folder; ${path} is a file. Leave it out, or read the file with read_file.`);
  if (outer && folder === "") return outer;
  const given = outer ? `${outer.path}/${folder}` : folder;
  const base = searchBase(given, workspace, "may-be-missing");
  return base?.kind === "folder" ? base : undefined;
}

/** After an empty answer: the two usual reasons, as far as they can be found out quickly. */
async function whereElse(pattern: GlobPattern, scope: SearchScope, signal: AbortSignal): Promise<string> {
  const look = { signal, timeLimitMs: secondLookMs };
  const { selectByName } = pattern;
  if (selectByName) {
    const deeper = await listFiles({ ...look, scope, select: selectByName });
    if (deeper.paths.length > 0) return ` ${deeper.paths.length} in folders below do: use **/ before it.`;
  }
  if (!scope.honoursIgnores) return "";
  const everything = { ...scope, honoursIgnores: false, above: [] };
  const ignored = await listFiles({ ...look, scope: everything, select: pattern.select });
  return ignored.paths.length === 0
    ? ""
    : ` ${ignored.paths.length} ignored ones do; path has to name their folder to see them.`;
}
