/** Where a command would run. All paths absolute. */
export type CommandScope = {
  readonly cwd: string;
  readonly root: string;
  /** Real paths of the folders that may be written; the root counts even when it is not listed. */
  readonly writableRoots: readonly string[];
  readonly home: string;
  /** Where this program keeps its own settings; `~/.corecoder` unless moved. */
  readonly stateFolder?: string;
};
