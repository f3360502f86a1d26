import { ToolError } from "../../contracts/errors.ts";
import type { Workspace } from "../../contracts/workspace.ts";
import { realTarget } from "../../platform/paths.ts";
import { writeTarget } from "../../platform/write-target.ts";

/** The real path behind what the model wrote. */
export function pathToRead(given: string, workspace: Workspace): string {
  refuseUrl(given);
  return realTarget(given, workspace.cwd);
}

/** The same for a write: throws unless it lies inside the writable roots. */
export function pathToWrite(given: string, workspace: Workspace): string {
  refuseUrl(given);
  return writeTarget(given, workspace);
}

function refuseUrl(given: string): void {
  if (/^(file|https?):\/\//i.test(given))
    throw new ToolError(`${given} is a URL. file_path takes a plain path, such as src/main.ts.`);
}
