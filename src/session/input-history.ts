import { dirname } from "node:path";
import { appendHandle, makePrivateFolder, readIfThere } from "../platform/private-files.ts";

const kept = 500;

/** Prompts typed before, newest first, one JSON string a line. */
export function createInputHistory(path: string): { readonly lines: string[]; remember(line: string): void } {
  return {
    lines: (readIfThere(path) ?? "").split("\n").flatMap(parse).slice(-kept).reverse(),
    remember(line) {
      try {
        makePrivateFolder(dirname(path));
        const file = appendHandle(path);
        file.write(`${JSON.stringify(line)}\n`);
        file.close();
      } catch {
        // history is a comfort: without it the session goes on
      }
    },
  };
}

function parse(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}
