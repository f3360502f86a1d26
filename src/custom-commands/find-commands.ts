import { join } from "node:path";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import { pathExists } from "../platform/file-kind.ts";
import { repositoryFolders } from "../platform/repository-folders.ts";

const places = [".corecoder/commands", ".claude/commands"];

/**
 * Commands of the person's and the project's own, a Markdown file each. The nearest folder counts first, ours before others'. Without such a
 * folder this costs a few looks at the disk and loads nothing.
 */
export async function findCustomCommands(
  context: ExtensionContext,
  namesTaken: () => Promise<ReadonlySet<string>>,
): Promise<Extension | undefined> {
  const { cwd, home, stateFolder } = context;
  const own = [join(stateFolder, "commands"), ...places.map((place) => join(home, place))];
  const inProject = repositoryFolders(cwd)
    .folders.toReversed()
    .flatMap((folder) => places.map((place) => join(folder, place)));
  const folders = [...new Set([...inProject, ...own])].filter(pathExists);
  if (folders.length === 0) return undefined;
  const { readCommands } = await import("./read-commands.ts");
  const commands = await readCommands(folders, { takenNames: await namesTaken(), onNotice: context.onNotice });
  return commands.length === 0 ? undefined : { commands };
}
