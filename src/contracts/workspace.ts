import type { Todo } from "./tool-view.ts";

/** Where one agent works. One per agent: a sub-agent gets a copy, so that its `cd` never leaks into its parent. */
export interface Workspace {
  /** The folder the session started in; fixed. */
  readonly root: string;
  /** Real paths of the folders file tools may write in: the root and every --add-dir. */
  readonly writableRoots: readonly string[];
  /** With bypassPermissions file tools write anywhere. */
  readonly confined: boolean;
  /** Current folder, shared by the shell and the file tools, changed by the shell alone. */
  cwd: string;
  /** The folder before, for `cd -`. */
  previousCwd: string | undefined;
  /** Variables exported by earlier commands of this session (undefined value = unset). */
  readonly exported: Map<string, string | undefined>;
  /** Content hash of every file as this conversation last saw it, by real path. */
  readonly seen: Map<string, string>;
  /** The texts of files as last seen, where they are small and were seen whole: to show what others changed since. */
  readonly seenTexts: Map<string, string>;
  /** Real paths of the files this session created or changed, in order of first change. */
  readonly changed: Set<string>;
  /** The person's task list as the model last wrote it. */
  todos: readonly Todo[];
}
