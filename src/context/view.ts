import type { ContextEdit } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";
import { type Estimate, type Transcript, tokensOf } from "./transcript.ts";

/** A message as the model sees it, and where it comes from. */
export type ViewItem = {
  readonly message: Message;
  readonly tokens: number;
  /** Place in the history; undefined for notes. */
  readonly index: number | undefined;
};

/** What the model is sent: the history with the edits applied. Messages that no edit touches are the history's own objects. */
export type View = {
  readonly items: readonly ViewItem[];
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** The history's latest message. */
  extend(): void;
  apply(edits: readonly ContextEdit[]): void;
  /** Undoes everything applied since: for a proposal that turns out to be unsound. */
  savepoint(): () => void;
  /** Is this message of the history shown as it is? */
  isWhole(index: number): boolean;
  /** Tokens of one message of the history as it is shown now; 0 when it is folded away. */
  tokensAt(index: number): number;
  /** Tokens of the view from a message of the history to the end; 0 when it is folded away. */
  tokensFrom(index: number): number;
  isFolded(index: number): boolean;
  /** Last message of the history that a fold has covered, kept or not; −1 without a fold. */
  readonly foldedThrough: number;
};

export function createView(transcript: Transcript, estimate: Estimate): View {
  let items: ViewItem[] = [];
  let messages: Message[] = [];
  let tokens = 0;
  /** Tokens before each item. */
  let before: number[] = [];
  let folds = 0;
  let foldedThrough = -1;
  let keptInFold = new Set<number>();
  const shown = new Map<string, Extract<ContextEdit, { type: "replace" }>>();

  function itemOf(index: number): ViewItem {
    const entry = transcript.entries[index];
    if (entry === undefined) throw new RangeError(`the history has no message ${index}`);
    const message = withShownTexts(entry.message);
    return { message, index, tokens: message === entry.message ? entry.tokens : tokensOf(message, estimate) };
  }

  function withShownTexts(message: Message): Message {
    if (message.role !== "tool" || !message.parts.some((part) => part.type === "tool-result" && shown.has(part.callId)))
      return message;
    const parts = message.parts.map((part) => {
      const edit = part.type === "tool-result" ? shown.get(part.callId) : undefined;
      if (part.type !== "tool-result" || edit === undefined) return part;
      const { images, ...rest } = part;
      return { ...rest, text: edit.text, ...(images && edit.keepImages ? { images } : {}) };
    });
    return { ...message, parts };
  }

  function set(next: ViewItem[]): void {
    items = next;
    messages = next.map((item) => item.message);
    tokens = 0;
    before = next.map((item) => (tokens += item.tokens) - item.tokens);
  }

  function fold(edit: Extract<ContextEdit, { type: "fold" }>): void {
    const through = transcript.byId(edit.through)?.index ?? -1;
    const kept = (ids: readonly string[]) => ids.flatMap((id) => transcript.byId(id)?.index ?? []).map(itemOf);
    const notes = edit.notes.map(({ role, text }, n): ViewItem => {
      const message: Message = { id: `fold-${++folds}-${n}`, role, parts: [{ type: "text", text }], synthetic: true };
      return { message, index: undefined, tokens: tokensOf(message, estimate) };
    });
    const keptBefore = kept(edit.keepBefore);
    const keptAfter = kept(edit.keepAfter);
    const rest = items.filter((item) => item.index !== undefined && item.index > through);
    foldedThrough = Math.max(foldedThrough, through);
    keptInFold = new Set([...keptBefore, ...keptAfter].flatMap((item) => item.index ?? []));
    set([...keptBefore, ...notes, ...keptAfter, ...rest]);
  }

  return {
    get items() {
      return items;
    },
    get messages() {
      return messages;
    },
    get tokens() {
      return tokens;
    },
    extend() {
      const item = itemOf(transcript.entries.length - 1);
      items.push(item);
      messages.push(item.message);
      before.push(tokens);
      tokens += item.tokens;
    },
    apply(edits) {
      const replaced = new Set<string>();
      for (const edit of edits) {
        if (edit.type === "fold") fold(edit);
        else {
          shown.set(edit.callId, edit);
          replaced.add(edit.messageId);
        }
      }
      if (replaced.size === 0) return;
      set(items.map((item) => (item.index !== undefined && replaced.has(item.message.id) ? itemOf(item.index) : item)));
    },
    savepoint() {
      const saved = { items, messages, tokens, before, folds, foldedThrough, keptInFold, shown: [...shown] };
      return () => {
        ({ items, messages, tokens, before, folds, foldedThrough, keptInFold } = saved);
        shown.clear();
        for (const [callId, edit] of saved.shown) shown.set(callId, edit);
      };
    },
    isWhole(index) {
      const item = index <= foldedThrough ? undefined : items[items.length - (transcript.entries.length - index)];
      return item !== undefined && item.message === transcript.entries[index]?.message;
    },
    tokensAt(index) {
      return index <= foldedThrough ? 0 : (items[items.length - (transcript.entries.length - index)]?.tokens ?? 0);
    },
    tokensFrom(index) {
      if (index <= foldedThrough) return 0;
      // behind the fold the view holds every message of the history
      return tokens - (before[items.length - (transcript.entries.length - index)] ?? tokens);
    },
    get foldedThrough() {
      return foldedThrough;
    },
    isFolded: (index) => index <= foldedThrough && !keptInFold.has(index),
  };
}
