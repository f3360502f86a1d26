import { existsSync, lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";

/**
 * What makes git start a program of the repository's own when it is only asked to show something; undefined when nothing does. A clone brings no such
 * settings, but an unpacked archive may, and so may a folder that merely looks like a repository without working files.
 */
export type RepositoryPrograms = (folder: string) => string | undefined;

const orUndefined = { throwIfNoEntry: false } as const;
const largestConfig = 256 * 1024;
const freshMs = 100;

export function createRepositoryPrograms(): RepositoryPrograms {
  const read = new Map<string, { readonly stamp: string; readonly reason: string | undefined }>();
  const listed = new Map<string, RepositoryFiles>();

  /** The answer for one file of settings, as long as that file is the same. */
  function reasonIn(config: string, worktree: string): string | undefined {
    const stat = statSync(config, orUndefined);
    if (stat === undefined) return undefined;
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    const known = read.get(config);
    if (known?.stamp === stamp) return known.reason;
    const reason =
      stat.size > largestConfig ? "its settings are too long" : riskOf(readFileSync(config, "utf8"), worktree);
    read.set(config, { stamp, reason });
    return reason;
  }

  /** Which of its files are there changes only together with the time of the folder. */
  function filesOf(entry: string, stat: Stats): RepositoryFiles {
    const stamp = `${stat.ino} ${stat.mtimeMs}`;
    const known = listed.get(entry);
    if (known?.stamp === stamp) return known;
    const own = stat.isFile() ? namedFolder(entry) : entry;
    const common = existsSync(`${own}/commondir`) ? namedFolder(`${own}/commondir`) : own;
    const configs = [`${common}/config`, `${own}/config.worktree`].filter(existsSync);
    const files = { stamp, configs, hook: `${common}/hooks/post-index-change` };
    // behind a file that names a folder, that one has a time of its own; and two changes can fall into one tick of the clock
    if (common === entry && Date.now() - stat.mtimeMs > freshMs) listed.set(entry, files);
    return files;
  }

  return (folder) => {
    try {
      for (let at = folder === "/" ? "" : folder; ; at = at.slice(0, at.lastIndexOf("/"))) {
        const entry = `${at}/.git`;
        const stat = lstatSync(entry, orUndefined);
        if (stat) {
          const { configs, hook } = filesOf(entry, stat);
          if (existsSync(hook)) return "a hook of its own";
          return configs.map((config) => reasonIn(config, at)).find((reason) => reason !== undefined);
        }
        if (looksBare(at)) return `${at}, a repository without working files`;
        if (at === "") return undefined;
      }
    } catch {
      return "settings that cannot be read";
    }
  };
}

type RepositoryFiles = { readonly stamp: string; readonly configs: readonly string[]; readonly hook: string };

function looksBare(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(`${folder}/${name}`));
}

/** The folder that a file names, relative to its own. */
function namedFolder(file: string): string {
  return resolve(
    dirname(file),
    readFileSync(file, "utf8")
      .replace(/^gitdir: /, "")
      .trim(),
  );
}

/** Sections that lead to settings elsewhere. */
const leadsElsewhere = /^\s*\[\s*include(if)?\b/im;
const partial = /^\s*(promisor|partialclone)\b/im;
const transport = /^\s*(uploadpack|sshcommand|gitproxy)\b|^\s*\[\s*protocol\b|ext::/im;

/** By the names of settings alone, in whatever section they stand: a value too many costs a question. */
function riskOf(config: string, worktree: string): string | undefined {
  const settings = config.replace(/\\\n/g, "").replace(/\]/g, "]\n");
  if (leadsElsewhere.test(settings)) return "settings that include others";
  if (partial.test(settings) && transport.test(settings)) return "a way of its own to fetch what is missing";
  for (const [, name = "", value = ""] of settings.matchAll(/^[ \t]*([a-z][a-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?$/gim)) {
    const program = value.trim().replace(/^"(.*)"$/, "$1");
    if (starts(name.toLowerCase(), program, worktree)) return `${name} = ${program.slice(0, 60)}`;
  }
  return undefined;
}

const switchedOff = /^(false|no|off|0|)$/i;
const switchedOn = /^(true|yes|on|1)$/i;

function starts(name: string, value: string, worktree: string): boolean {
  switch (name) {
    case "fsmonitor":
      return !switchedOff.test(value) && !switchedOn.test(value);
    case "textconv":
    case "command":
    case "external":
      return value !== "";
    case "clean":
    case "process":
      return value !== "" && !/^git-lfs [-\w %]+$/.test(value);
    case "showsignature":
      return !switchedOff.test(value);
    case "hookspath": {
      const folder = isAbsolute(value) ? value : resolve(worktree, value);
      return value.startsWith("~") || existsSync(`${folder}/post-index-change`);
    }
    default:
      return false;
  }
}
