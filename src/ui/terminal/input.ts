import type { Completion } from "./completion.ts";
import { accept } from "./completion.ts";
import { type EditorState, editorCommands, emptyEditor, insert, moved, paste, replaced, wholeText } from "./editor.ts";
import { indexInRow } from "./editor-rows.ts";
import type { KeyAction, KeyTable } from "./key-actions.ts";
import type { KeyPress } from "./keyboard.ts";
import { type VimState, vimKey } from "./vim.ts";

/** What a person writes, with everything that keys change. */
export type InputState = {
  readonly editor: EditorState;
  readonly completion: Completion | undefined;
  /** The menu's selection was moved, so that Enter means it. */
  readonly isPicking: boolean;
  /** Newest first. */
  readonly history: readonly string[];
  /** Which entry of the history is shown, and what was written before. */
  readonly browsing: { readonly at: number; readonly draft: EditorState } | undefined;
  readonly vim: VimState | undefined;
  /** When Esc and Ctrl-C were pressed last: twice means more. */
  readonly escapedAt: number;
  readonly cancelledAt: number;
};

/** What the keys ask of others. */
export type InputWish =
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "hint"; readonly text: string }
  | { readonly type: "take-queued" }
  | { readonly type: "leave" | "interrupt" | "rewind" }
  | {
      readonly type: Exclude<
        KeyAction,
        keyof typeof editorCommands | "send" | "up" | "down" | "complete" | "interrupt" | "cancel" | "leave"
      >;
    };

export type InputContext = {
  readonly keys: KeyTable;
  /** Columns that the text has. */
  readonly width: number;
  readonly now: number;
  readonly isBusy: boolean;
  readonly hasQueued: boolean;
};

export type InputStep = { readonly input: InputState; readonly wish?: InputWish };

export function createInput(history: readonly string[], vim: VimState | undefined): InputState {
  return {
    editor: emptyEditor,
    completion: undefined,
    isPicking: false,
    history,
    browsing: undefined,
    vim,
    escapedAt: Number.NEGATIVE_INFINITY,
    cancelledAt: Number.NEGATIVE_INFINITY,
  };
}

/** `!command`: for the person's shell, not for the model. */
export const isOwnCommand = (line: string) => /^!\s*\S/.test(line);

const secondPressMs = 2_000;
const escapePairMs = 1_000;

export function pressInInput(input: InputState, press: KeyPress, context: InputContext): InputStep {
  if (press.type === "reply") return { input };
  if (press.type === "paste") return edited(input, paste(input.editor, press.text));
  if (input.vim) {
    const step = vimKey(input.vim, input.editor, press.name);
    if (step) return { input: { ...input, ...step, completion: undefined } };
  }
  if (
    press.name === "enter" &&
    press.text === undefined &&
    context.now - input.escapedAt < escapePairMs &&
    input.editor.text !== "" &&
    !input.vim
  )
    return edited({ ...input, escapedAt: Number.NEGATIVE_INFINITY }, editorCommands.newLine(input.editor));
  const action = context.keys.get(press.name);
  if (action !== undefined) return act(input, action, context);
  return press.text === undefined ? { input } : edited(input, insert(input.editor, press.text));
}

function edited(input: InputState, editor: EditorState): InputStep {
  return { input: { ...input, editor, browsing: undefined, isPicking: false } };
}

function act(input: InputState, action: KeyAction, context: InputContext): InputStep {
  const { editor, completion } = input;
  switch (action) {
    case "send":
      return send(input);
    case "complete":
      return completion
        ? { input: { ...input, editor: accept(editor, completion), completion: undefined, isPicking: false } }
        : { input };
    case "up":
    case "down":
      return completion ? { input: pick(input, completion, action) } : vertical(input, action, context);
    case "interrupt":
      return pressEscape(input, context);
    case "cancel":
      return cancel(input, context);
    case "leave":
      return editor.text === "" ? { input, wish: { type: "leave" } } : edited(input, editorCommands.delete(editor));
    default:
      if (action in editorCommands) return edited(input, editorCommands[action as keyof typeof editorCommands](editor));
      return { input, wish: { type: action as Exclude<InputWish["type"], "send" | "hint"> } };
  }
}

function pick(input: InputState, completion: Completion, action: "up" | "down"): InputState {
  const count = completion.items.length;
  const selected = (completion.selected + (action === "up" ? -1 : 1) + count) % count;
  return { ...input, isPicking: true, completion: { ...completion, selected } };
}

function send(input: InputState): InputStep {
  const { editor, completion, isPicking } = input;
  if (completion && isPicking)
    return { input: { ...input, editor: accept(editor, completion), completion: undefined, isPicking: false } };
  if (editor.text.endsWith("\\") && editor.cursor === editor.text.length)
    return edited(input, replaced(editor, `${editor.text.slice(0, -1)}\n`));
  const text = wholeText(editor);
  const cleared: InputState = {
    ...input,
    editor: { ...emptyEditor, killed: editor.killed },
    completion: undefined,
    browsing: undefined,
  };
  if (text.trim() === "") return { input: cleared };
  return { input: cleared, wish: { type: "send", text } };
}

/** Inside the text first; at its first and last row through what was sent before. */
function vertical(input: InputState, action: "up" | "down", { width, hasQueued }: InputContext): InputStep {
  const { editor, history, browsing } = input;
  const by = action === "up" ? -1 : 1;
  if (action === "up" && editor.text === "" && hasQueued) return { input, wish: { type: "take-queued" } };
  const inside = indexInRow(editor, width, by);
  if (inside !== undefined) return { input: { ...input, editor: moved(editor, inside) } };
  const at = (browsing?.at ?? -1) - by;
  if (at >= history.length) return { input };
  if (at < 0) return browsing ? { input: { ...input, editor: browsing.draft, browsing: undefined } } : { input };
  const next = replaced(editor, history[at] ?? "");
  return { input: { ...input, editor: next, browsing: { at, draft: browsing?.draft ?? editor } } };
}

/** Closes the menu, stops the agent; twice at the prompt it clears the text, or goes back to an earlier prompt. */
function pressEscape(input: InputState, { now, isBusy }: InputContext): InputStep {
  if (input.completion) return { input: { ...input, completion: undefined } };
  if (isBusy) return { input, wish: { type: "interrupt" } };
  const isSecond = now - input.escapedAt < escapePairMs;
  if (!isSecond) {
    const text =
      input.editor.text === ""
        ? "Esc again goes back to an earlier prompt"
        : "Esc again clears the text, Enter now breaks the line";
    return { input: { ...input, escapedAt: now }, wish: { type: "hint", text } };
  }
  const calm = { ...input, escapedAt: Number.NEGATIVE_INFINITY };
  if (input.editor.text === "") return { input: calm, wish: { type: "rewind" } };
  return { input: { ...calm, editor: replaced(input.editor, "") } };
}

/** Stops the agent; at the prompt it clears the text, then leaves. */
function cancel(input: InputState, { now, isBusy }: InputContext): InputStep {
  if (isBusy) return { input, wish: { type: "interrupt" } };
  if (input.editor.text !== "")
    return { input: { ...input, editor: replaced(input.editor, ""), completion: undefined, cancelledAt: now } };
  if (now - input.cancelledAt < secondPressMs) return { input, wish: { type: "leave" } };
  return { input: { ...input, cancelledAt: now }, wish: { type: "hint", text: "Ctrl-C again to quit" } };
}
