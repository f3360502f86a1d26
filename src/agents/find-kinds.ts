import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import type { AgentKind } from "../contracts/subagent.ts";
import { namesIn } from "../platform/list-folder.ts";
import { builtInNames } from "./built-in-kinds.ts";

/** More than anybody has, and than a model can choose from. */
const kindLimit = 50;

type Place = { readonly folder: string; readonly isProjects: boolean };

/** The person's own kinds of sub-agents: the project's before the home folder's, ours before others'. Of one name the first counts. */
export async function findAgentKinds(context: ExtensionContext): Promise<Extension | undefined> {
  const { cwd, home } = context;
  const places: Place[] = [cwd, ...(home === cwd ? [] : [home])].flatMap((base) =>
    [".corecoder", ".claude"].map((name) => ({ folder: `${base}/${name}/agents`, isProjects: base === cwd })),
  );
  const files = places.flatMap(({ folder, isProjects }) =>
    namesIn(folder)
      .filter((name) => /\.md$/i.test(name))
      .sort()
      .map((name) => ({ path: `${folder}/${name}`, mayChooseModel: !isProjects || context.isTrusted })),
  );
  if (files.length === 0) return undefined;
  const [{ readMarkdownFile }, { readKind }] = await Promise.all([
    import("../platform/markdown-file.ts"),
    import("./read-kind.ts"),
  ]);
  const kinds = new Map<string, AgentKind>();
  for (const file of files) {
    const read = await readMarkdownFile(file.path);
    const found = "problem" in read ? read : readKind(read, file);
    if ("problem" in found) {
      context.onNotice(found.problem);
      continue;
    }
    const { kind, warnings } = found;
    if (kinds.has(kind.name)) continue;
    if (builtInNames.has(kind.name))
      context.onNotice(`${file.path}: ${kind.name} is built in. Give the agent another name.`);
    else if (kinds.size >= kindLimit) {
      context.onNotice(`Only ${kindLimit} kinds of agents are read; ${file.path} and what follows are left out.`);
      break;
    } else {
      kinds.set(kind.name, kind);
      for (const warning of warnings) context.onNotice(warning);
    }
  }
  return kinds.size === 0 ? undefined : { agentKinds: [...kinds.values()] };
}
