import { type EditorState, editorCommands as edit, insert, lineEnd, lineStart, moved, nextIndex } from "./editor.ts";

/** The vi keys people use without thinking: motions, d, c, y over motions and lines, x, p, u, and the ways into insert mode. */
export type VimState = {
  readonly mode: "insert" | "normal" /** Keys of a command that is not complete. */;
  readonly pending: string;
};

export const vimStart: VimState = { mode: "insert", pending: "" };

export type VimStep = { readonly vim: VimState; readonly editor: EditorState };

const normal: VimState = { mode: "normal", pending: "" };
const inserting: VimState = { mode: "insert", pending: "" };

const motions: Readonly<Record<string, (state: EditorState) => EditorState>> = {
  h: edit.left,
  l: edit.right,
  w: (state) => moved(state, nextWord(state)),
  b: edit.wordLeft,
  e: edit.wordRight,
  "0": edit.lineStart,
  "^": edit.lineStart,
  $: edit.lineEnd,
  G: edit.textEnd,
  gg: edit.textStart,
};

const insertions: Readonly<Record<string, (state: EditorState) => EditorState>> = {
  i: (state) => state,
  I: edit.lineStart,
  a: edit.right,
  A: edit.lineEnd,
  o: (state) => edit.newLine(edit.lineEnd(state)),
  O: (state) => edit.left(edit.newLine(edit.lineStart(state))),
  C: (state) => cut(state, state.cursor, lineEnd(state)),
  s: edit.delete,
  S: (state) => cut(state, lineStart(state), lineEnd(state)),
};

const changes: Readonly<Record<string, (state: EditorState) => EditorState>> = {
  x: edit.delete,
  D: (state) => cut(state, state.cursor, lineEnd(state)),
  p: (state) => edit.yank(edit.right(state)),
  P: edit.yank,
  u: edit.undo,
};

/** Undefined: the key means what it means without vi, such as Enter, arrows and everything in insert mode. */
export function vimKey(vim: VimState, editor: EditorState, key: string): VimStep | undefined {
  if (vim.mode === "insert") return key === "escape" ? { vim: normal, editor: edit.left(editor) } : undefined;
  if (key === "escape") return vim.pending === "" ? undefined : { vim: normal, editor };
  if ([...key].length > 1 && key !== "space") return undefined;
  const keys = vim.pending + key;
  const [, operator = "", motion = ""] = /^([dcy]?)(.*)$/.exec(keys) ?? [];
  if (operator !== "") return operate(operator, motion, editor) ?? { vim: { ...normal, pending: keys }, editor };
  if (keys === "g") return { vim: { ...normal, pending: keys }, editor };
  const enter = insertions[keys];
  if (enter) return { vim: inserting, editor: enter(editor) };
  const apply = motions[keys] ?? changes[keys];
  return { vim: normal, editor: apply ? apply(editor) : editor };
}

function operate(operator: string, motion: string, editor: EditorState): VimStep | undefined {
  if (motion === "" || motion === "g") return undefined;
  const isLine = motion === operator;
  const to = isLine ? undefined : motions[motion]?.(editor).cursor;
  if (!isLine && to === undefined) return { vim: normal, editor };
  const [from, end] = isLine
    ? [lineStart(editor), operator === "c" ? lineEnd(editor) : Math.min(lineEnd(editor) + 1, editor.text.length)]
    : [Math.min(editor.cursor, to ?? 0), Math.max(editor.cursor, to ?? 0)];
  if (operator === "y")
    return { vim: normal, editor: { ...editor, killed: [...editor.killed, editor.text.slice(from, end)] } };
  return { vim: operator === "c" ? inserting : normal, editor: cut(editor, from, end) };
}

function cut(editor: EditorState, from: number, to: number): EditorState {
  const killed = [...editor.killed, editor.text.slice(from, to)];
  const start = moved({ ...editor, text: editor.text.slice(0, from) + editor.text.slice(to) }, from);
  return { ...insert({ ...editor, cursor: from }, ""), ...start, killed };
}

function nextWord(state: EditorState): number {
  const rest = state.text.slice(state.cursor);
  const skip = /^(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*/u.exec(rest)?.[0].length ?? 0;
  return skip === 0 ? nextIndex(state, state.cursor) : state.cursor + skip;
}
