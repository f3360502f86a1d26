import { join } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { createWhole } from "../platform/create-whole.ts";
import { pathExists } from "../platform/file-kind.ts";
import { withoutHidden } from "../platform/invisible-text.ts";
import { namesIn } from "../platform/list-folder.ts";
import { maskSecrets } from "../platform/mask-secrets.ts";
import { readIfThere, removeIfThere, replacePrivateFile } from "../platform/private-files.ts";
import { randomName } from "../platform/random-name.ts";
import { readSmallText } from "../platform/read-small-text.ts";
import { type Entry, nameFrom, readEntry, type Scope, titleFrom, writeEntry } from "./entry.ts";

const fileLimitBytes = 16 * 1024;
const textLimit = 4_000;
const mostEntries = 200;
const indexName = "index.md";
const offName = "off";

export type MemoryFolders = Readonly<Record<Scope, string>>;

export type MemoryStore = {
  readonly folders: MemoryFolders;
  /** As the files are now; a file that makes no sense is told once and left out. */
  entries(): readonly Entry[];
  /** Throws ToolError when it cannot be kept. Secrets are masked before anything is written. */
  add(wanted: { readonly text: string; readonly title?: string; readonly scope: Scope }): Entry;
  /** False when there is no such entry. */
  remove(id: string): boolean;
  /** Makes the index say what the files say, where it can be written. */
  refreshIndex(): void;
  /** Is it switched off for this project? */
  isOff: boolean;
};

/** The files are the truth, the index is made from them: a person may change, add and remove them by hand. */
export function createMemoryStore(folders: MemoryFolders, onProblem: (text: string) => void): MemoryStore {
  const told = new Set<string>();

  function tellOnce(text: string): void {
    if (told.has(text)) return;
    told.add(text);
    onProblem(text);
  }

  function read(scope: Scope): Entry[] {
    const folder = folders[scope];
    const names = namesIn(folder).filter((name) => name.endsWith(".md") && name !== indexName && !name.startsWith("."));
    return names
      .sort()
      .slice(0, mostEntries)
      .flatMap((name): Entry[] => {
        const path = join(folder, name);
        const file = readSmallText(path, fileLimitBytes);
        // removed by another process meanwhile
        if ("problem" in file && !pathExists(path)) return [];
        const entry = "text" in file ? readEntry(withoutHidden(file.text).text) : undefined;
        if (entry === undefined) {
          tellOnce(
            `${path} ${"problem" in file ? file.problem : "says nothing."} It is not remembered; mend or remove it.`,
          );
          return [];
        }
        return [{ ...entry, path, id: idOf(scope, name.slice(0, -3)) }];
      });
  }

  /** Two processes may do this at once, so it is done again until it says what is there. */
  function writeIndex(scope: Scope): void {
    const path = join(folders[scope], indexName);
    for (let tries = 0; tries < 3; tries++) {
      const lines = read(scope).map(
        ({ path: file, title }) => `- [${title.replace(/[[\]]/g, "")}](${file.slice(folders[scope].length + 1)})`,
      );
      const text = `# What is remembered ${scope === "user" ? "in every project" : "in this project"}\n\n${lines.join("\n")}\n`;
      if (readIfThere(path) === text) return;
      replacePrivateFile(path, text);
    }
  }

  return {
    folders,
    entries: () => [...read("project"), ...read("user")],
    add({ text: given, title: wanted, scope }) {
      const text = maskSecrets(withoutHidden(given).text).trim();
      if (!/[\p{L}\p{N}]/u.test(text)) throw new ToolError("There is nothing to remember: text is empty.");
      if (text.length > textLimit)
        throw new ToolError(
          `The text has ${text.length} characters; at most ${textLimit} are kept. Say it shorter, or keep it in a file of the project.`,
        );
      const known = read(scope);
      const same = known.find((entry) => entry.text === text);
      if (same) return same;
      if (known.length >= mostEntries)
        throw new ToolError(
          `${mostEntries} notes are kept already, which is the limit. Forget what is out of date first.`,
        );
      const title = titleFrom(maskSecrets(wanted?.trim() || text.split("\n", 1)[0] || text));
      const path = place(folders[scope], nameFrom(title), writeEntry({ title, text }));
      writeIndex(scope);
      return { id: idOf(scope, path.slice(folders[scope].length + 1, -3)), title, text, path };
    },
    remove(id) {
      const scope: Scope = id.startsWith("user/") ? "user" : "project";
      const entry = read(scope).find((known) => known.id === id);
      if (entry === undefined) return false;
      removeIfThere(entry.path);
      writeIndex(scope);
      return !pathExists(entry.path);
    },
    refreshIndex() {
      for (const scope of ["project", "user"] as const) {
        try {
          if (pathExists(folders[scope])) writeIndex(scope);
        } catch {
          // the index is for people; the files are read all the same
        }
      }
    },
    get isOff() {
      return pathExists(join(folders.project, offName));
    },
    set isOff(wanted) {
      const path = join(folders.project, offName);
      if (wanted) replacePrivateFile(path, "");
      else removeIfThere(path);
    },
  };
}

function idOf(scope: Scope, name: string): string {
  return scope === "user" ? `user/${name}` : name;
}

/** Under the first name that is free; nobody's note is ever written over. */
function place(folder: string, name: string, content: string): string {
  for (const suffix of ["", "-2", "-3", `-${randomName(6)}`]) {
    const path = join(folder, `${name}${suffix}.md`);
    if (name + suffix !== "index" && createWhole(path, content)) return path;
  }
  throw new ToolError(`The note could not be kept: every name like ${name} is taken.`);
}
