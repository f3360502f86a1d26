/** How a call looks to a person and to the permission policy: data, so that neither ever switches on a tool's name. */
export type ToolView = {
  /** Verb for the one-line display, such as `read` or `$`. */
  readonly label: string;
  /** What it acts on: a path, a command, a pattern. Untrusted text: shown escaped. */
  readonly title: string;
  /** Paths the call will read or write, as the model gave them. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** The shell command that will be run, byte for byte. */
  readonly command?: string;
};

export type ToolDisplay =
  | {
      readonly type: "diff";
      readonly path: string;
      readonly diff: string;
      readonly added: number;
      readonly removed: number;
    }
  | { readonly type: "todos"; readonly todos: readonly Todo[] };

export type Todo = { readonly content: string; readonly status: "pending" | "in_progress" | "completed" };
