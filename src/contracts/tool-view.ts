/** How a call looks to a person and to the permission policy: data, so that neither ever switches on a tool's name. */
export type ToolView = {
  /** Verb for the one-line display, such as `read` or `$`. */
  readonly label: string;
  /** What it acts on: a path, a command, a pattern. Untrusted text: shown escaped. */
  readonly title: string;
  /** Paths the call will read or write, as the model gave them. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** For a call that changes no file of the person's but something this program keeps for them: what, such as "what is remembered". */
  readonly keeps?: string;
  /** The host that is talked to, for rules such as `network(example.org)`. */
  readonly host?: { readonly name: string; readonly port: number };
  /** The shell command that will be run, byte for byte. */
  readonly command?: string;
  /** Somebody else says that the call only reads: one whom the person chose, or one whom a project brings. */
  readonly readOnlyClaim?: "person" | "project";
};

export type ToolDisplay =
  | {
      readonly type: "diff";
      readonly path: string;
      readonly diff: string;
      readonly added: number;
      readonly removed: number;
    }
  | { readonly type: "todos"; readonly todos: readonly Todo[] }
  /** How a command ended; null when a signal did it. */
  | { readonly type: "exit"; readonly code: number | null };

export type Todo = { readonly content: string; readonly status: "pending" | "in_progress" | "completed" };
