import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { FileFault } from "./file-fault.ts";
import { isInside, realTarget } from "./paths.ts";

export type WriteScope = {
  readonly cwd: string;
  readonly confined: boolean;
  readonly writableRoots: readonly string[];
};

/** The real path a write to `given` would change. Throws "outside" unless it lies in a writable root, compared by components. */
export function writeTarget(given: string, scope: WriteScope): string {
  if (!isAbsolute(given) && !given.startsWith("~") && !existsSync(scope.cwd))
    throw new FileFault("folder-gone", scope.cwd);
  const target = realTarget(given, scope.cwd);
  if (!scope.confined) return target;
  const root = scope.writableRoots.find((folder) => isInside(target, folder));
  if (root === undefined) throw new FileFault("outside", target);
  if (!existsSync(root)) throw new FileFault("folder-gone", root);
  return target;
}
