import type { SessionEntry } from "../contracts/session.ts";
import { moveKeptFile, readKeptBytes, readKeptFile, writeKeptFile } from "../platform/kept-file.ts";
import { makePrivateFolder } from "../platform/private-files.ts";
import { sha256 } from "../platform/sha256.ts";

export type KeptEntry = Extract<SessionEntry, { readonly type: "kept" }>;

/** "missing": there is no such text, or its file is gone. "damaged": the file is not what was kept. */
export type KeptText = { readonly type: "text"; readonly text: string } | { readonly type: "missing" | "damaged" };

/** Texts too long for the conversation, beside the session's log. A text is stored once, under its hash; its handles are in the log. */
export type KeptTexts = {
  /** The path of its file; undefined when it cannot be kept. */
  keep(handle: string, text: string): string | undefined;
  /** Keeps a file that lies in the folder already; answers with where it lies now. */
  adopt(handle: string, path: string): string;
  read(handle: string): KeptText;
  /** What a log that is continued says was kept. */
  restore(entries: Iterable<KeptEntry>): void;
  /** Made when it is asked for; undefined when that is not possible. */
  folder(): string | undefined;
};

export type KeptTextsOptions = {
  readonly folder: string;
  /** Called when the text is in its file. */
  readonly onKept: (entry: KeptEntry) => void;
  readonly durability?: "background" | "strict";
};

export function createKeptTexts({ folder, onKept, durability = "background" }: KeptTextsOptions): KeptTexts {
  const kept = new Map<string, KeptEntry>();
  return {
    keep(handle, text) {
      const content = Buffer.from(text);
      const entry: KeptEntry = { type: "kept", handle, hash: sha256(content), bytes: content.length };
      const path = keptPath(folder, entry.hash);
      try {
        if (checkKept(folder, entry) !== "intact") writeKeptFile(path, content, durability);
      } catch {
        return undefined;
      }
      kept.set(handle, entry);
      onKept(entry);
      return path;
    },
    adopt(handle, path) {
      try {
        const content = readKeptBytes(path);
        const entry: KeptEntry = { type: "kept", handle, hash: sha256(content), bytes: content.length };
        const target = keptPath(folder, entry.hash);
        moveKeptFile(path, target, durability);
        kept.set(handle, entry);
        onKept(entry);
        return target;
      } catch {
        // it stays where it was written, without a promise
        return path;
      }
    },
    read(handle) {
      const entry = kept.get(handle);
      return entry === undefined ? { type: "missing" } : readKept(folder, entry);
    },
    restore(entries) {
      for (const entry of entries) kept.set(entry.handle, entry);
    },
    folder() {
      try {
        makePrivateFolder(folder);
        return folder;
      } catch {
        return undefined;
      }
    },
  };
}

/** Whether the text of an entry is where it should be, and what it should be. */
export function checkKept(folder: string, entry: KeptEntry): "intact" | "missing" | "damaged" {
  const { type } = readKept(folder, entry);
  return type === "text" ? "intact" : type;
}

function readKept(folder: string, { hash, bytes }: KeptEntry): KeptText {
  if (!/^sha256:[0-9a-f]{64}$/.test(hash)) return { type: "damaged" };
  const content = readKeptFile(keptPath(folder, hash), bytes);
  if (typeof content === "string") return { type: content };
  return sha256(content) === hash ? { type: "text", text: content.toString() } : { type: "damaged" };
}

/** Short, because the model is told it: 80 bits tell all texts of a session apart, and what is read is compared with the whole hash. */
function keptPath(folder: string, hash: string): string {
  return `${folder}/${hash.slice("sha256:".length).slice(0, 20)}.txt`;
}
