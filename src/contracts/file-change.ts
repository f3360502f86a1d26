/** What stands at a path; contents are named by their hash and kept in the undo store. `mode` holds the permission bits. */
export type FileState =
  | { readonly type: "file"; readonly hash: string; readonly size: number; readonly mode: number }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number };

/** One path before and after a piece of work; undefined: nothing was there. Paths are absolute and real up to their last part. */
export type FileChange = {
  readonly path: string;
  readonly before?: FileState;
  readonly after?: FileState;
};

export type Tracked<T> = {
  readonly result: T;
  readonly changes: readonly FileChange[];
  /** What may have changed and cannot be undone, in words: too large, too many, unreadable. */
  readonly uncovered: readonly string[];
};

/** Where work may leave traces: these paths, or anywhere in the workspace. */
export type ChangeScope = "workspace" | readonly string[];

export type TrackOptions = {
  /** Stops the look before the work: then the work does not run and the reason of the signal is thrown. */
  readonly signal?: AbortSignal;
  /** Told when a look takes long. */
  readonly onProgress?: (text: string) => void;
};

/**
 * Looks at the workspace before and after a piece of work. The state before is kept, so that it can be brought back. A look that fails
 * never stops the work: what it costs is named in `uncovered`.
 */
export interface ChangeTracker {
  track<T>(scope: ChangeScope, work: () => Promise<T>, options?: TrackOptions): Promise<Tracked<T>>;
}

export type RestorePlan = {
  /** Paths that will be brought back. */
  readonly ready: readonly FileChange[];
  /** Paths that somebody else has changed since, with what restoring would do to them now: left alone unless chosen. */
  readonly conflicts: readonly FileChange[];
  /** Paths whose earlier content is not in the store. */
  readonly missing: readonly FileChange[];
};

/** Takes changes back, and forth again. */
export interface ChangeHistory {
  /** `changes` in the order in which they were made; several of one path count as one. */
  plan(changes: readonly FileChange[], direction: "undo" | "redo"): Promise<RestorePlan>;
  /**
   * Takes what a plan lists. A path that is no longer as it was planned is left alone. Each is old or new, never half; one that fails
   * stops no other. Answers with what was done, as changes that can be taken back themselves.
   */
  restore(
    changes: readonly FileChange[],
    direction: "undo" | "redo",
    /** Why a path was left as it is, in words. */
    onProblem?: (path: string, problem: string) => void,
  ): Promise<readonly FileChange[]>;
  /** Unified diffs of the net changes, for a person. */
  diff(changes: readonly FileChange[]): Promise<string>;
}
