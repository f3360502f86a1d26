import { isAbsolute, relative } from "node:path";

/**
 * Names inside a workspace that some tool executes or trusts: whoever writes them runs code later, outside any question.
 * By name, not by existence: a file that is not there yet is the more useful one to an attacker.
 */
const protectedFolders = new Set([
  ...[".git", ".corecoder", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".idea", ".zed", ".fleet"],
  ...[".husky", ".devcontainer", ".ssh", ".gnupg", ".aws", ".kube", ".cargo", ".yarn", ".circleci", ".buildkite"],
]);

const protectedFiles = new Set([
  ...[".mcp.json", ".gitmodules", ".gitconfig", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs"],
  ...[".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".inputrc", ".netrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".xprofile"],
  ...[".ripgreprc", ".wgetrc", ".curlrc", ".vimrc", ".exrc", ".nvimrc", ".tmux.conf", ".gdbinit", ".lldbinit"],
  ...[".pypirc", ".pythonrc", ".irbrc", ".pre-commit-config.yaml", ".lefthook.yml", ".gitlab-ci.yml", ".travis.yml"],
]);

const protectedTails = [
  /(^|\/)\.env(\.[^/]+)?$/,
  /(^|\/)\.github\/(workflows|actions)(\/|$)/,
  /(^|\/)\.config\/(fish|autostart|systemd|git)(\/|$)/,
];

/** Characters that HFS+ drops from names, so that `.g\u200cit` opens `.git`. */
const ignorable = /\p{Cf}|\u034f/gu;

const ascii = /^[\0-\x7f]*$/;

/** A name as a forgiving file system sees it. A dotless ı stays what it is: no file system takes it for an i. */
export function foldName(name: string): string {
  if (ascii.test(name)) return name.toLowerCase();
  return name.replace(ignorable, "").toLowerCase();
}

/** `realPath` is where the write lands, links resolved; `root` the folder that holds it, or any folder above. */
export function isProtected(realPath: string, root: string): boolean {
  const inside = relative(root, realPath);
  const folded = foldName(inside.startsWith("..") || isAbsolute(inside) ? realPath : inside);
  const names = folded.split("/");
  const last = names.at(-1) ?? "";
  return (
    names.some((name) => protectedFolders.has(name)) ||
    protectedFiles.has(last) ||
    protectedTails.some((shape) => shape.test(folded))
  );
}
