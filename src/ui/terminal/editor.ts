/** The text a person is writing. Plain data: every command answers with the next state. */
export type EditorState = {
  readonly text: string;
  /** Index into the text; never inside a character that is several code units long. */
  readonly cursor: number;
  /** Texts that were cut, newest last. */
  readonly killed: readonly string[];
  /** The last command was a cut, so that the next one adds to it. */
  readonly isKilling: boolean;
  readonly undo: readonly { readonly text: string; readonly cursor: number }[];
  /** Long pastes by the words that stand for them. */
  readonly pastes: Readonly<Record<string, string>>;
};

export const emptyEditor: EditorState = { text: "", cursor: 0, killed: [], isKilling: false, undo: [], pastes: {} };

const undoLimit = 200;
const killLimit = 20;

let segmenter: Intl.Segmenter | undefined;

/** The index before the character that ends here; a folded paste counts as one. */
export function previousIndex({ text, pastes }: EditorState, index: number): number {
  for (const words of Object.keys(pastes)) if (text.endsWith(words, index) && index > 0) return index - words.length;
  if (text.charCodeAt(index - 1) < 0x80) return Math.max(0, index - 1);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const lineStart = text.lastIndexOf("\n", index - 1) + 1;
  let last = lineStart;
  for (const { index: at } of segmenter.segment(text.slice(lineStart, index))) last = lineStart + at;
  return Math.min(last, Math.max(0, index - 1));
}

export function nextIndex({ text, pastes }: EditorState, index: number): number {
  for (const words of Object.keys(pastes)) if (text.startsWith(words, index)) return index + words.length;
  if (index >= text.length) return text.length;
  if (text.charCodeAt(index) < 0x80 && !(text.charCodeAt(index + 1) >= 0x80)) return index + 1;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const [first] = segmenter.segment(text.slice(index, index + 64));
  return index + (first?.segment.length ?? 1);
}

function changed(state: EditorState, text: string, cursor: number): EditorState {
  const undo = [...state.undo.slice(-undoLimit), { text: state.text, cursor: state.cursor }];
  return { ...state, text, cursor, undo, isKilling: false };
}

export function moved(state: EditorState, cursor: number): EditorState {
  return { ...state, cursor: Math.max(0, Math.min(cursor, state.text.length)), isKilling: false };
}

/** A word typed letter by letter is undone as one. */
export function insert(state: EditorState, piece: string): EditorState {
  const { text, cursor, undo } = state;
  const next = text.slice(0, cursor) + piece + text.slice(cursor);
  const last = undo.at(-1);
  const goesOn = /^\S$/u.test(piece) && /\S$/.test(text.slice(0, cursor)) && last !== undefined && cursor > last.cursor;
  if (goesOn) return { ...state, text: next, cursor: cursor + piece.length, isKilling: false };
  return changed(state, next, cursor + piece.length);
}

const foldedLines = 9;
const foldedLength = 1_000;

/** Pasted text enters as it is, a long one as words that stand for it. */
export function paste(state: EditorState, pasted: string): EditorState {
  const clean = pasted.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
  const lines = clean.split("\n").length;
  if (lines < foldedLines && clean.length < foldedLength) return insert(state, clean);
  const size = lines >= foldedLines ? `${lines} lines` : `${clean.length} characters`;
  return insertFolded(state, `pasted ${size}`, clean);
}

/** A few words in brackets that stand for a longer text. */
export function insertFolded(state: EditorState, name: string, whole: string): EditorState {
  let words = `[${name}]`;
  for (let number = 2; words in state.pastes && state.pastes[words] !== whole; number++) words = `[${name} #${number}]`;
  const next = insert(state, words);
  return { ...next, pastes: { ...state.pastes, [words]: whole } };
}

/** What is meant: with long pastes in full. */
export function wholeText({ text, pastes }: EditorState): string {
  let whole = text;
  for (const [words, pasted] of Object.entries(pastes)) whole = whole.split(words).join(pasted);
  return whole;
}

function remove(state: EditorState, from: number, to: number): EditorState {
  if (from >= to) return { ...state, isKilling: false };
  return changed(state, state.text.slice(0, from) + state.text.slice(to), from);
}

/** Cuts; cuts in a row are yanked together. */
function kill(state: EditorState, from: number, to: number): EditorState {
  if (from >= to) return state;
  const cut = state.text.slice(from, to);
  const last = state.killed.at(-1);
  const joined = from < state.cursor ? cut + (last ?? "") : (last ?? "") + cut;
  const killed =
    state.isKilling && last !== undefined ? [...state.killed.slice(0, -1), joined] : [...state.killed, cut];
  return { ...remove(state, from, to), killed: killed.slice(-killLimit), isKilling: true };
}

export const lineStart = ({ text, cursor }: EditorState) => text.lastIndexOf("\n", cursor - 1) + 1;

export function lineEnd({ text, cursor }: EditorState): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

export function wordStart({ text, cursor }: EditorState): number {
  const before = text.slice(0, cursor);
  return before.length - (/[\p{L}\p{N}_]+[^\p{L}\p{N}_]*$|[^\p{L}\p{N}_]+$/u.exec(before)?.[0].length ?? 0);
}

export function wordEnd({ text, cursor }: EditorState): number {
  const after = text.slice(cursor);
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]+|^[^\p{L}\p{N}_]+/u.exec(after)?.[0].length ?? 0);
}

const blankStart = ({ text, cursor }: EditorState) => cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);

/** The commands that need nothing but the text. */
export const editorCommands = {
  left: (state) => moved(state, previousIndex(state, state.cursor)),
  right: (state) => moved(state, nextIndex(state, state.cursor)),
  wordLeft: (state) => moved(state, wordStart(state)),
  wordRight: (state) => moved(state, wordEnd(state)),
  lineStart: (state) => moved(state, lineStart(state)),
  lineEnd: (state) => moved(state, lineEnd(state)),
  textStart: (state) => moved(state, 0),
  textEnd: (state) => moved(state, state.text.length),
  newLine: (state) => insert(state, "\n"),
  backspace: (state) => remove(state, previousIndex(state, state.cursor), state.cursor),
  delete: (state) => remove(state, state.cursor, nextIndex(state, state.cursor)),
  killToEnd: (state) =>
    kill(
      state,
      state.cursor,
      Math.max(lineEnd(state), Math.min(state.cursor + 1, lineEnd(state) + 1, state.text.length)),
    ),
  killToStart: (state) =>
    kill(state, lineStart(state) === state.cursor ? Math.max(0, state.cursor - 1) : lineStart(state), state.cursor),
  killWord: (state) => kill(state, state.cursor, wordEnd(state)),
  killWordBack: (state) => kill(state, wordStart(state), state.cursor),
  killBlankWordBack: (state) => kill(state, blankStart(state), state.cursor),
  killLine: (state) =>
    kill(moved(state, lineStart(state)), lineStart(state), Math.min(lineEnd(state) + 1, state.text.length)),
  yank: (state) => insert(state, state.killed.at(-1) ?? ""),
  transpose(state) {
    const at = Math.min(state.cursor, lineEnd(state));
    const right = at === lineEnd(state) ? previousIndex(state, at) : at;
    const left = previousIndex(state, right);
    const end = nextIndex(state, right);
    if (right <= lineStart(state) || left === right) return state;
    const { text } = state;
    return changed(
      state,
      text.slice(0, left) + text.slice(right, end) + text.slice(left, right) + text.slice(end),
      end,
    );
  },
  undo(state) {
    const last = state.undo.at(-1);
    return last === undefined ? state : { ...state, ...last, undo: state.undo.slice(0, -1), isKilling: false };
  },
} as const satisfies Readonly<Record<string, (state: EditorState) => EditorState>>;

export type EditorCommand = keyof typeof editorCommands;

/** Another text in its place, which can be undone. */
export function replaced(state: EditorState, text: string, cursor = text.length): EditorState {
  return changed(state, text, cursor);
}
