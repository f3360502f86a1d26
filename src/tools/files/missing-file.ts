import { basename, dirname, join } from "node:path";
import { ToolError } from "../../contracts/errors.ts";
import type { Workspace } from "../../contracts/workspace.ts";
import { namesIn } from "../../platform/list-folder.ts";
import { lookAt } from "../../platform/open-file.ts";
import { displayPath, realOrSame } from "../../platform/paths.ts";
import { similarNames } from "../../platform/similar-names.ts";

/** "Not found", with what may have been meant instead. */
export function missingFile(given: string, target: string, workspace: Workspace): ToolError {
  return new ToolError(`${given} does not exist. ${suggestion(given, target, workspace)}`);
}

function suggestion(given: string, target: string, workspace: Workspace): string {
  const cwd = realOrSame(workspace.cwd);
  const fromRoot = join(workspace.root, given);
  if (cwd !== workspace.root && fromRoot !== target && lookAt(fromRoot)?.isFile()) {
    return `The current folder is ${cwd}; did you mean ${fromRoot}?`;
  }
  const folder = dirname(target);
  if (lookAt(folder) === undefined) {
    let existing = folder;
    while (lookAt(existing) === undefined) existing = dirname(existing);
    return `The folder ${displayPath(folder, cwd)} does not exist either; the nearest one that does is ${existing}. Find the file with glob.`;
  }
  const similar = similarNames(basename(target), namesIn(folder)).map((name) => displayPath(join(folder, name), cwd));
  return similar.length > 0 ? `Did you mean ${similar.join(" or ")}?` : "Check the path, or find the file with glob.";
}
