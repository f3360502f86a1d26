import { folderAccess } from "../platform/folder-access.ts";
import { isInside } from "../platform/paths.ts";

/** Why this folder is not captured, in words; undefined when it can be. */
export function rootProblem(root: string, home: string): string | undefined {
  const because = (reason: string) => `${reason}: undo covers what the file tools change there, not what commands do.`;
  if (root === "/") return because("The workspace is the whole file system");
  if (isInside(home, root))
    return because(root === home ? "The workspace is the home folder" : `The workspace ${root} holds the home folder`);
  switch (folderAccess(root)) {
    case "unreadable":
      return because(`${root} cannot be read`);
    case "read-only":
      return because(`${root} cannot be written`);
    default:
      return undefined;
  }
}
