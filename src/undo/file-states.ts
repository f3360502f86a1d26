import type { FileState } from "../contracts/file-change.ts";

export function isSameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  switch (a.type) {
    case "file":
      return b.type === "file" && a.hash === b.hash && a.mode === b.mode;
    case "link":
      return b.type === "link" && a.target === b.target;
    case "folder":
      return b.type === "folder" && a.mode === b.mode;
  }
}
