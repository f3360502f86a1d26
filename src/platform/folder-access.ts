import { accessSync, constants } from "node:fs";
import { errnoOf } from "./file-fault.ts";

/** What this user may do in a folder; "gone" when there is none. */
export function folderAccess(path: string): "writable" | "read-only" | "unreadable" | "gone" {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "gone" : "unreadable";
  }
  try {
    accessSync(path, constants.W_OK);
    return "writable";
  } catch {
    return "read-only";
  }
}
