import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import type { Entry } from "./entry.ts";
import { memoryCommand } from "./memory-command.ts";
import { createMemoryStore, type MemoryFolders } from "./memory-store.ts";
import { createForget, createRemember } from "./memory-tools.ts";
import { rankEntries } from "./rank-entries.ts";

const indexLimit = 1_000;
const fetchedAtOnce = 3;
const fetchedCharacters = 2_500;

/** How such a message begins; by this it is found again in a conversation that is taken up. */
const opening = "[From memory: notes of earlier sessions, which may be out of date]";

/** Nothing but the command where it is off, or where nobody used it yet and nobody is there to begin. */
export function openMemory(folders: MemoryFolders, context: ExtensionContext): Extension | undefined {
  const store = createMemoryStore(folders, context.onNotice);
  const isOffBySetting = context.memory === "off";
  const { environment, isInteractive, resumedTools } = context;
  const commands = isInteractive ? [memoryCommand({ store, environment, isOffBySetting })] : [];
  const entries = isOffBySetting || store.isOff ? [] : store.entries();
  // a session that is taken up again keeps the tools it has, so that it stays in the vendor's cache
  const isBegun = resumedTools?.includes("remember") ?? isInteractive;
  if (isOffBySetting || store.isOff || (entries.length === 0 && !isBegun))
    return isInteractive ? { commands } : undefined;

  store.refreshIndex();
  let told = new Set<string>();
  let isFolded = false;
  const use = entries.length > 0 || resumedTools?.includes("forget") ? "further" : "first";
  const remember = createRemember({ store, use, onKept: ({ id }) => told.add(id) });
  return {
    tools: use === "further" ? [remember, createForget(store)] : [remember],
    ...(entries.length > 0 ? { background: indexOf(entries, folders) } : {}),
    commands,
    async onPrompt(prompt) {
      if (store.isOff) return undefined;
      const fresh = rankEntries(prompt, store.entries()).filter(({ id }) => !told.has(id));
      const fetched = withinLimit(fresh.slice(0, fetchedAtOnce));
      for (const { id } of fetched) told.add(id);
      return fetched.length === 0 ? undefined : [opening, ...fetched.map(block)].join("\n");
    },
    onFolded() {
      isFolded = true;
    },
    onView(texts) {
      // a note is fetched once in a session, also when a fold has taken it away since
      if (!isFolded) told = new Set(texts.flatMap(idsIn));
      isFolded = false;
    },
  };
}

/** Names only: the notes themselves come when they are needed. */
function indexOf(entries: readonly Entry[], folders: MemoryFolders): string {
  const lines: string[] = [];
  let length = 0;
  for (const { id, title } of entries) {
    const line =
      title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-") === id.replace(/^user\//, "")
        ? `- ${id}`
        : `- ${id}: ${title}`;
    length += Buffer.byteLength(line) + 1;
    if (length > indexLimit) break;
    lines.push(line);
  }
  const left = entries.length - lines.length;
  const more = left > 0 ? `\n- and ${left} more` : "";
  const isOfUser = entries.some(({ id }) => id.startsWith("user/"));
  const where = `read_file ${folders.project}/ID.md shows one${isOfUser ? `, ${folders.user}/ID.md one of user/ID` : ""}`;
  return `Notes of earlier sessions, by id; those that fit a prompt come with it, ${where}.\n${lines.join("\n")}${more}`;
}

function withinLimit(entries: readonly Entry[]): readonly Entry[] {
  let left = fetchedCharacters;
  return entries.filter(({ text }, at) => {
    left -= text.length;
    return left >= 0 || at === 0;
  });
}

function block({ id, title, text, path }: Entry): string {
  const cut = text.length > fetchedCharacters;
  const shown = cut
    ? `${text.slice(0, fetchedCharacters).replace(/[\ud800-\udbff]$/, "")}\n[cut; read_file ${path} for the rest]`
    : text;
  return `<memory id="${id}">\n${title}\n${shown}\n</memory>`;
}

function idsIn(text: string): string[] {
  if (!text.startsWith(opening)) return [];
  return [...text.matchAll(/^<memory id="([^"\n]+)">$/gm)].map(([, id = ""]) => id);
}
