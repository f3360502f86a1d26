import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CommandScope } from "../../src/permissions/command-judge.ts";
import { makeTempFolder, removeTempFolder } from "./temp.ts";

export type TemporaryScope = CommandScope & { remove(): void };

/** A workspace and a home folder that are neither of the machine, with a few things in them. */
export function makeCommandScope(): TemporaryScope {
  const folder = makeTempFolder();
  const [root, home] = [join(folder, "srv/app"), join(folder, "home/dev")];
  for (const name of [root, home]) mkdirSync(name, { recursive: true });
  for (const name of ["src", "dist", ".git/hooks"]) mkdirSync(join(root, name), { recursive: true });
  mkdirSync(join(home, ".ssh"));
  return { cwd: root, root, writableRoots: [root], home, remove: () => removeTempFolder(folder) };
}
