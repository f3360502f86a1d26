import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import { pathExists } from "../platform/file-kind.ts";
import { projectSlug } from "../platform/project-slug.ts";
import { repositoryFolders } from "../platform/repository-folders.ts";

/** A run without a person and without notes costs two looks at the disk. */
export async function findMemory(context: ExtensionContext): Promise<Extension | undefined> {
  const { stateFolder, cwd, isInteractive, memory, resumedTools } = context;
  if (memory === "off" && !isInteractive) return undefined;
  const { root = cwd } = repositoryFolders(cwd);
  const folders = { project: `${stateFolder}/memory/${projectSlug(root)}`, user: `${stateFolder}/memory/user` };
  const isUsed = pathExists(folders.project) || pathExists(folders.user) || resumedTools?.includes("remember");
  if (!isInteractive && !isUsed) return undefined;
  const { openMemory } = await import("./open-memory.ts");
  return openMemory(folders, context);
}
