import { exitCode, UserError } from "../contracts/errors.ts";
import { namesIn } from "../platform/list-folder.ts";
import { subagentFolder } from "./session-place.ts";

const idForm = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const shownMatches = 5;

function logsOf(folders: readonly string[], id: string) {
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.startsWith(id) && name.endsWith(".jsonl"))
      .map((name) => ({ id: name.slice(0, -".jsonl".length), path: `${folder}/${name}` })),
  );
}

function subagentFoldersIn(projects: readonly string[]): string[] {
  return projects.flatMap((project) =>
    namesIn(project)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => subagentFolder(`${project}/${name}`)),
  );
}

/**
 * The log of a session of any project, by its id or the beginning of it. The id is compared with names, never made into a path, so it
 * cannot lead elsewhere. Throws UserError 42 when there is none or more than one.
 */
export function findSession(id: string, stateFolder: string): string {
  if (!idForm.test(id))
    throw new UserError(
      exitCode.usage,
      `${JSON.stringify(id)} is no session id: ids hold letters, digits, - and _. A file to compare ends in .json or .json.gz, a session log in .jsonl.`,
    );
  const folder = `${stateFolder}/sessions`;
  const projects = namesIn(folder).map((project) => `${folder}/${project}`);
  const listed = logsOf(projects, id);
  // those of sub-agents lie one level deeper; who names one names it to the end
  const found = listed.length > 0 ? listed : logsOf(subagentFoldersIn(projects), id);
  const exact = found.filter((session) => session.id === id);
  const [match, ...others] = exact.length > 0 ? exact : found;
  if (match === undefined)
    throw new UserError(
      exitCode.usage,
      `There is no session ${id} in ${folder}. \`corecoder sessions list --all\` shows what there is.`,
    );
  if (others.length > 0) {
    const names = [match, ...others].slice(0, shownMatches).map((session) => session.id);
    throw new UserError(
      exitCode.usage,
      `${id} is the beginning of ${others.length + 1} sessions (${names.join(", ")}${others.length >= shownMatches ? ", …" : ""}). Give more of the id.`,
    );
  }
  return match.path;
}
