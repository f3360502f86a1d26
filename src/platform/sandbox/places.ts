import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Below the home folder: keys, tokens, what other programs remember, sockets of container engines. */
const secretsAtHome = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".gcloud", ".corecoder"],
  ...[".config/gcloud", ".config/gh", ".config/op", ".config/rclone", ".config/sops", ".config/hub"],
  ...[".local/share/keyrings", "Library/Keychains", ".mozilla", ".config/google-chrome", ".config/chromium"],
  ...[".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".vault-token", ".s3cfg"],
  ...[".colima", ".lima", ".orbstack", ".rd", ".podman"],
  ...[".boto", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".claude.json"],
];

/** Of the system: where root looks behind the mounts. */
const secretsOfSystem = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh"];

/** Inside a workspace: whoever writes these runs code later, outside. */
const trustedByOthers = [
  ...[".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir"],
  ...[".corecoder", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".idea", ".zed"],
  ...[".husky", ".devcontainer", ".circleci", ".buildkite", ".github/workflows", ".github/actions", ".mcp.json"],
  ...[".gitmodules", ".gitconfig", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".envrc", ".ripgreprc"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".profile", ".inputrc", ".zshrc", ".zshenv", ".zprofile", ".zlogin"],
  ...[".pre-commit-config.yaml", ".lefthook.yml", ".gitlab-ci.yml", ".travis.yml", ".cargo", ".fleet"],
  ...[".vimrc", ".exrc", ".nvimrc", ".tmux.conf", ".gdbinit", ".lldbinit", ".curlrc", ".wgetrc"],
];

/** Asked some hundred times for each command: most are not there, and an exception for each would cost milliseconds. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function existing(path: string): readonly string[] {
  if (!isThere(path)) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** Real paths of what a command must not read. */
export function hiddenPlaces(home: string, stateFolder: string): readonly string[] {
  const named = [stateFolder, ...secretsAtHome.map((name) => join(home, name)), ...secretsOfSystem];
  return [...new Set(named.flatMap(existing))];
}

export function namesTrustedByOthers(root: string): readonly string[] {
  return [...trustedByOthers, ...submoduleNames(root)].map((name) => join(root, name));
}

/** Each submodule has hooks and settings of its own, which git obeys when it looks at the whole. */
function submoduleNames(root: string): readonly string[] {
  if (!isThere(join(root, ".git/modules"))) return [];
  try {
    const modules = readdirSync(join(root, ".git/modules"));
    return modules.flatMap((name) => [`.git/modules/${name}/hooks`, `.git/modules/${name}/config`]);
  } catch {
    return [];
  }
}

/** Real paths of what must stay as it is inside the folder; one that a link leads out of it is read-only anyway. */
export function fixedPlaces(root: string): readonly string[] {
  return namesTrustedByOthers(root)
    .flatMap(existing)
    .filter((path) => path.startsWith(root === "/" ? "/" : `${root}/`));
}

/** The names among them that are not there yet. */
export function missingPlaces(root: string): readonly string[] {
  return namesTrustedByOthers(root).filter((path) => !isThere(path));
}
