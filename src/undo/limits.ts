/** What undo covers. Everything beyond is named to the person when it changes. */
export type UndoLimits = {
  /** Of one file. */
  readonly fileBytes: number;
  /** Of one file that the project's ignore rules name. */
  readonly ignoredFileBytes: number;
  /** An ignored folder with more than this in it (node_modules, target, .venv) is left out as a whole. */
  readonly ignoredFolderFiles: number;
  readonly ignoredFolderBytes: number;
  /** Files, folders and links of the workspace; beyond, nothing is captured. */
  readonly entries: number;
  /** New content that one look takes in. When there is more, the largest files are left out first. */
  readonly lookBytes: number;
};

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

export const undoLimits: UndoLimits = {
  fileBytes: 16 * megabyte,
  ignoredFileBytes: megabyte,
  ignoredFolderFiles: 2_000,
  ignoredFolderBytes: 64 * megabyte,
  entries: 200_000,
  lookBytes: 1024 * megabyte,
};

/** Data of version control systems: never captured, never restored, whoever changed it. */
export const versionControl: readonly string[] = [".git", ".hg", ".svn", ".jj"];
