import type { FileState } from "../contracts/file-change.ts";
import { entryAt } from "../platform/place-entry.ts";

/** "foreign": something stands there that has no such state, like a socket or a huge file. */
export type CurrentState = FileState | undefined | "foreign";

export type Current = {
  readonly state: CurrentState;
  /** What the placing functions want to find again. */
  readonly stat: NonNullable<ReturnType<typeof entryAt>>["stat"] | undefined;
};

/** `hashOf` may keep the bytes it is given. */
export function currentAt(path: string, limitBytes: number, hashOf: (bytes: Buffer) => string): Current {
  const found = entryAt(path, limitBytes);
  if (found === undefined) return { state: undefined, stat: undefined };
  const { stat } = found;
  const mode = Number(stat.mode & 0o7777n);
  switch (found.type) {
    case "file":
      return { state: { type: "file", hash: hashOf(found.bytes), size: found.bytes.length, mode }, stat };
    case "link":
      return { state: { type: "link", target: found.target }, stat };
    case "folder":
      return { state: { type: "folder", mode }, stat };
    case "other":
      return { state: "foreign", stat };
  }
}
