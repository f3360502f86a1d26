import { ToolError } from "../contracts/errors.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { kindOf } from "../platform/file-kind.ts";
import { isInside, realOrSame, realTarget } from "../platform/paths.ts";

export type SearchBase = {
  /** Real path. */
  readonly path: string;
  readonly kind: "file" | "folder";
  /** The allowed root it lies in; itself when it lies in none and may. */
  readonly root: string;
};
