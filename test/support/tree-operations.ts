import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";

/** Something a program may do to a folder. Few names, so that they meet. */
export type TreeOperation =
  | { readonly type: "write" | "append"; readonly path: string; readonly content: string }
  | { readonly type: "delete" | "folder"; readonly path: string }
  | { readonly type: "chmod"; readonly path: string; readonly bits: number }
  | { readonly type: "rename"; readonly path: string; readonly to: string }
  | { readonly type: "link"; readonly path: string; readonly target: string };

const name = fc.constantFrom("a", "b", "c d", "ü\n");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const content = fc.constantFrom("", "one\n", "two\n", "two lines\nof text\n", "\0\u0001binary", "x".repeat(5_000));

export const treeOperation: fc.Arbitrary<TreeOperation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("write" as const, "append" as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("delete" as const, "folder" as const), path }) },
  fc.record({ type: fc.constant("chmod" as const), path, bits: fc.constantFrom(0, 0o5, 0o50, 0o55) }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant("rename" as const), path, to: path }) },
  fc.record({ type: fc.constant("link" as const), path, target: fc.constantFrom("a", "../b", "nowhere", "/etc") }),
);

/** Does it somehow: what stands in the way goes, what cannot be done is left. */
export function applyOperation(root: string, operation: TreeOperation): void {
  const at = join(root, operation.path);
  const kind = kindAt(at);
  switch (operation.type) {
    case "write":
      makeRoom(root, at);
      writeFileSync(at, operation.content);
      return;
    case "append":
      if (kind === "file" && isReached(root, at)) appendFileSync(at, operation.content);
      return;
    case "delete":
      if (kind !== "none" && isReached(root, at)) rmSync(at, { recursive: true });
      return;
    case "folder":
      makeRoom(root, at);
      mkdirSync(at);
      return;
    case "chmod":
      if ((kind === "file" || kind === "folder") && isReached(root, at))
        chmodSync(at, (kind === "folder" ? 0o700 : 0o600) | operation.bits);
      return;
    case "rename":
      rename(root, at, join(root, operation.to));
      return;
    case "link":
      makeRoom(root, at);
      symlinkSync(operation.target, at);
  }
}

function rename(root: string, from: string, to: string): void {
  const isPossible = kindAt(from) !== "none" && isReached(root, from);
  if (!isPossible || to === from || to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) return;
  makeRoom(root, to);
  renameSync(from, to);
}

function kindAt(at: string): "none" | "file" | "folder" | "link" {
  try {
    const stat = lstatSync(at);
    return stat.isSymbolicLink() ? "link" : stat.isDirectory() ? "folder" : "file";
  } catch {
    return "none";
  }
}

/** No link on the way: nothing outside the folder is ever touched. */
function isReached(root: string, at: string): boolean {
  for (let folder = dirname(at); folder !== root; folder = dirname(folder))
    if (kindAt(folder) !== "folder") return false;
  return true;
}

function makeRoom(root: string, at: string): void {
  const above: string[] = [];
  for (let folder = dirname(at); folder !== root; folder = dirname(folder)) above.unshift(folder);
  for (const folder of above) {
    if (kindAt(folder) === "folder") continue;
    rmSync(folder, { force: true });
    mkdirSync(folder);
  }
  if (kindAt(at) !== "none") rmSync(at, { recursive: true });
}
