import { closeSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errnoOf, FileFault } from "./file-fault.ts";
import { openRegular, readWhole } from "./open-file.ts";
import { isInside, realOrSame } from "./paths.ts";
import { sha256 } from "./sha256.ts";

const limitBytes = 16 * 1024 * 1024;
const projectVariables = /\$\{?(?:CLAUDE|CORECODER)_PROJECT_DIR\}?/g;

/**
 * The files below a folder that a shell command names, by their real paths: what would be run or read by it. Words are looked at, nothing is
 * expanded but the variable for the folder itself, so a file reached in another way is not found.
 */
export function filesNamedIn(command: string, folder: string): readonly string[] {
  return pathsNamedIn(command, folder).filter((path) => hashOfFile(path) !== undefined);
}

/** The same with paths where there is nothing yet, or no file. */
export function pathsNamedIn(command: string, folder: string): readonly string[] {
  const root = realOrSame(folder);
  const words = wordsIn(command.slice(0, 100_000)).slice(0, 500);
  const named = words.map((word) => word.replace(projectVariables, () => root));
  // `cd scripts && ./check.sh`
  const folders = named.map((word) => resolve(root, word)).filter((path) => isInside(path, root) && isFolder(path));
  const paths = [root, ...[...new Set(folders)].slice(0, 20)].flatMap((base) =>
    named.map((word) => realOrSame(resolve(base, word))),
  );
  return [...new Set(paths)].filter((path) => path !== root && isInside(path, root));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Roughly as a shell splits them; a quoted word with blanks is looked into as well, since it may be a command again. */
function wordsIn(command: string): string[] {
  const words: string[] = [];
  let word = "";
  let quote = "";
  const end = () => {
    if (word !== "") words.push(word, ...(/[\s;|&<>()=`]/.test(word) ? wordsIn(word) : []));
    word = "";
  };
  for (let at = 0; at < command.length; at++) {
    const character = command.charAt(at);
    if (character === "\\" && quote !== "'") word += command.charAt(++at);
    else if (character === quote) quote = "";
    else if (quote === "" && /['"]/.test(character)) quote = character;
    else if (quote === "" && /[\s;|&<>()=`]/.test(character)) end();
    else word += character;
  }
  end();
  return words;
}

/** Undefined when there is no such file. One that is too large is different every time: nobody can say that it is the same. */
export function hashOfFile(path: string): string | undefined {
  try {
    const file = openRegular(path);
    try {
      return sha256(readWhole(file, limitBytes));
    } finally {
      closeSync(file.fd);
    }
  } catch (error) {
    if (error instanceof FileFault && error.code === "too-large") return `too-large:${Date.now()}:${Math.random()}`;
    const code = errnoOf(error);
    return code === "ENOENT" || code === "ENOTDIR" || code === undefined ? undefined : `unreadable:${code}`;
  }
}
