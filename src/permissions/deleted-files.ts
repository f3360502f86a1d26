import { namesIn } from "../platform/list-folder.ts";
import { matchesName } from "./match-name.ts";
import type { Call } from "./shell/judge.ts";

/** Programs that delete what their arguments name. */
const deleters = new Set(["rm", "rmdir", "unlink", "shred", "srm", "trash"]);

const shownNames = 8;
/** Folders that are looked into for one pattern. */
const maximumFolders = 200;

/** What the patterns of a deleting command stand for right now: the person is asked about files, not about a pattern. Empty without one. */
export function deletedFiles(calls: readonly Call[]): string {
  const told = calls
    .filter(({ program }) => deleters.has(program.slice(program.lastIndexOf("/") + 1)))
    .flatMap(({ args, state }) =>
      args.filter(({ globAt, unknownAt }) => globAt >= 0 && unknownAt < 0).map(({ text }) => tell(text, state.folders)),
    );
  return [...new Set(told)].join("; ");
}

function tell(pattern: string, folders: readonly string[] | undefined): string {
  const starts = pattern.startsWith("/") ? [""] : folders;
  if (starts === undefined) return `what ${pattern} stands for is not known`;
  const found = [...new Set(starts.flatMap((start) => filesMatching(start, pattern)))].sort();
  if (found.length === 0) return `${pattern} stands for no file now`;
  const more = found.length > shownNames ? ` and ${found.length - shownNames} more` : "";
  const stands = pattern.includes("[") ? "may now stand" : "now stands";
  return `${pattern} ${stands} for ${found.length}: ${found.slice(0, shownNames).join(" ")}${more}`;
}

/** As the shell expands it, written like the pattern; `**` is one name, as bash takes it without globstar. */
function filesMatching(start: string, pattern: string): readonly string[] {
  let found = [pattern.startsWith("/") ? "/" : ""];
  for (const part of pattern.split("/").filter((name) => name !== "")) {
    found = found.slice(0, maximumFolders).flatMap((path) => {
      const names = /[*?[]/.test(part) ? namesIn(`${start}/${path}`).filter((name) => matchesName(part, name)) : [part];
      return names.map((name) => (path === "" || path === "/" ? path + name : `${path}/${name}`));
    });
  }
  return found;
}
