import { makePrivateFolder, replacePrivateFile } from "../platform/private-files.ts";

/** Texts too long for the conversation, beside the session's log, each under its handle. */
export type KeptTexts = {
  keep(handle: string, text: string): string | undefined;
  folder(): string | undefined;
};

export function createKeptTexts(folder: string): KeptTexts {
  return {
    keep(handle, text) {
      const path = `${folder}/${handle.replace(/[^A-Za-z0-9]/g, "")}.txt`;
      try {
        replacePrivateFile(path, text);
        return path;
      } catch {
        return undefined;
      }
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
