import { isPrompt } from "../contracts/conversation-record.ts";
import type { ChangeHistory, FileChange } from "../contracts/file-change.ts";
import { type Message, textOf } from "../contracts/message.ts";
import type { SessionEntry, UndoScope } from "../contracts/session.ts";
import type { Conversation } from "./conversation.ts";

/** Files that somebody else has changed since are left alone unless the person says otherwise. */
export type ConflictRule = "refuse" | "skip" | "overwrite";

export type UndoRequest = { readonly turns: number; readonly what: UndoScope; readonly conflicts: ConflictRule };

export type UndoResult =
  | { readonly type: "nothing" }
  /** Nothing was done: these files were changed by others since. */
  | { readonly type: "conflicts"; readonly paths: readonly string[] }
  | {
      readonly type: "done";
      readonly what: UndoScope;
      /** The requests that were taken back, or brought back. */
      readonly prompts: readonly string[];
      readonly files: readonly FileChange[];
      /** Files that were left as they are, and why where that is known. */
      readonly untouched: readonly { readonly path: string; readonly why: string | undefined }[];
    };

export async function undoTurns(
  conversation: Conversation,
  { turns, what, conflicts }: UndoRequest,
): Promise<UndoResult> {
  const { messages, changes } = conversation.record;
  const prompts = messages.filter(isPrompt).slice(-turns);
  const first = prompts[0];
  if (first === undefined) return { type: "nothing" };
  const taken = new Set(prompts.map(({ id }) => id));
  const made = changes.filter(({ promptId }) => promptId !== undefined && taken.has(promptId));
  const after = messages[messages.indexOf(first) - 1]?.id;
  return move(conversation, {
    direction: "undo",
    changes: what === "conversation" ? [] : made.flatMap((change) => change.changes),
    conflicts,
    what,
    prompts,
    entry: (files) => ({ type: "undo", what, files, ...(after === undefined ? {} : { after }) }),
  });
}

export async function redoTurns(conversation: Conversation, conflicts: ConflictRule): Promise<UndoResult> {
  const last = conversation.record.undone.at(-1);
  if (last === undefined) return { type: "nothing" };
  const { what, steps, changes } = last;
  return move(conversation, {
    direction: "redo",
    changes: changes.flatMap((change) => change.changes),
    conflicts,
    what,
    prompts: steps.flatMap((step) => (step.type === "message" && isPrompt(step.message) ? [step.message] : [])),
    entry: (files) => ({ type: "redo", what, files }),
  });
}

type Move = {
  readonly direction: "undo" | "redo";
  readonly changes: readonly FileChange[];
  readonly conflicts: ConflictRule;
  readonly what: UndoScope;
  readonly prompts: readonly Message[];
  readonly entry: (files: readonly FileChange[]) => Extract<SessionEntry, { type: "undo" | "redo" }>;
};

/** Files first, then the log: whoever is stopped in between finds the files restored already when trying again. */
async function move(conversation: Conversation, wanted: Move): Promise<UndoResult> {
  const { direction, conflicts, what, prompts } = wanted;
  const { changeHistory, workspace } = conversation.options;
  const plan = await planOf(changeHistory, wanted);
  if (plan.conflicts.length > 0 && conflicts === "refuse")
    return { type: "conflicts", paths: plan.conflicts.map(({ path }) => path) };
  const chosen = conflicts === "overwrite" ? [...plan.ready, ...plan.conflicts] : plan.ready;
  const problems = new Map(plan.missing.map(({ path }) => [path, "what it was before is not kept"]));
  const files =
    chosen.length > 0
      ? ((await changeHistory?.restore(chosen, direction, (path, problem) => problems.set(path, problem))) ?? [])
      : [];
  // the model's picture of these files is no longer true
  for (const { path } of files) workspace.seen.delete(path);
  conversation.rewind(wanted.entry(files));
  const restored = new Set(files.map(({ path }) => path));
  return {
    type: "done",
    what,
    prompts: prompts.map(textOf),
    files,
    untouched: [...plan.ready, ...plan.conflicts, ...plan.missing]
      .filter(({ path }) => !restored.has(path))
      .map(({ path }) => ({ path, why: problems.get(path) })),
  };
}

async function planOf(history: ChangeHistory | undefined, { changes, direction }: Move) {
  if (changes.length === 0) return { ready: [], conflicts: [], missing: [] };
  return history?.plan(changes, direction) ?? { ready: [], conflicts: [], missing: changes };
}
