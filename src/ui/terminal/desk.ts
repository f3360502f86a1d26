import type { FoldedText } from "./activity.ts";
import { type CompletionSources, complete, wantedCompletion } from "./completion.ts";
import { insertFolded, replaced, wholeText } from "./editor.ts";
import { createInput, type InputState, type InputWish, pressInInput } from "./input.ts";
import type { KeyTable } from "./key-actions.ts";
import type { KeyPress } from "./keyboard.ts";
import type { ListQuestion } from "./list-question.ts";
import type { QuestionQueue } from "./question-queue.ts";
import { rowsList } from "./questions.ts";
import type { Screen } from "./screen.ts";
import { vimStart } from "./vim.ts";

export type DeskOptions = {
  readonly screen: Screen;
  readonly questions: QuestionQueue;
  readonly now: () => number;
  readonly keys: KeyTable;
  readonly usesVim: boolean;
  readonly history: { readonly lines: readonly string[]; remember(line: string): void };
  readonly completion: CompletionSources;
  readonly editElsewhere: (text: string) => Promise<{ readonly text: string } | { readonly problem: string }>;
  /** The next permission mode; answers with a word about it. */
  readonly cycleMode: () => string;
  readonly pictures: PictureSource;
  /** Gives the terminal to another program, and takes it back. */
  readonly release: () => void;
  readonly seize: () => void;
  readonly isBusy: () => boolean;
  readonly onInterrupt: () => void;
  readonly onLeave: () => void;
  /** False when nobody waits for a line now. */
  readonly onLine: (line: string) => boolean;
};

export type Picture = {
  readonly name: string;
  /** As it is written in a prompt, so that it is found there. */
  readonly path: string;
};

export type PictureSource = {
  /** The picture whose path this pasted text is; undefined for any other text. */
  readonly named: (pasted: string) => Picture | undefined;
  readonly fromClipboard: () => Promise<Picture | { readonly problem: string }>;
};

/** Where the person writes: keys in, lines and wishes out. */
export type Desk = {
  take(press: KeyPress): void;
  /** What was to be delivered and now is not: theirs again, in front of what they were writing. */
  giveBack(lines: readonly string[]): void;
  pickRow(question: string, rows: readonly string[]): Promise<number | undefined>;
};

const searched = 500;

export function createDesk(options: DeskOptions): Desk {
  const { screen, questions, now } = options;
  let input: InputState = createInput([...new Set(options.history.lines)], options.usesVim ? vimStart : undefined);
  let completing = 0;
  const unfolded = new WeakSet<FoldedText>();

  function show(change: Partial<typeof screen.state>): void {
    screen.change({ editor: input.editor, completion: input.completion, vimMode: input.vim?.mode, ...change });
  }

  function write(text: string): void {
    input = { ...input, editor: replaced({ ...input.editor, pastes: {} }, text), completion: undefined };
    show({});
  }

  const hint = (text: string) => show({ hint: text });

  /** The menu follows the text; an answer that comes too late is dropped. */
  async function suggest(): Promise<void> {
    const number = ++completing;
    const wanted = wantedCompletion(input.editor);
    const found = wanted && (await complete(wanted, options.completion));
    if (number !== completing) return;
    input = { ...input, completion: found, isPicking: false };
    show({});
  }

  function send(text: string): void {
    input = { ...input, history: [text, ...input.history.filter((line) => line !== text)] };
    options.history.remember(text);
    show(options.onLine(text) ? {} : { queued: [...screen.state.queued, text] });
  }

  async function pick(question: ListQuestion): Promise<number | undefined> {
    const { value } = await questions.ask(() => question);
    return value === "" ? undefined : Number(value);
  }

  async function pickRow(question: string, rows: readonly string[]): Promise<number | undefined> {
    return pick({ ...rowsList(question, rows), givesWayToCommands: true });
  }

  async function searchHistory(): Promise<void> {
    const lines = input.history.slice(0, searched);
    if (lines.length === 0) return hint("Nothing was sent before");
    const rows = lines.map((line) => line.replace(/\s+/g, " "));
    const at = await pick(rowsList("Sent before", rows));
    if (at !== undefined) write(lines[at] ?? "");
  }

  function insertPicture({ name, path }: Picture): void {
    input = { ...input, editor: insertFolded(input.editor, `image: ${name}`, path), completion: undefined };
    show({});
  }

  async function pastePicture(): Promise<void> {
    const found = await options.pictures.fromClipboard();
    if ("problem" in found) hint(found.problem);
    else insertPicture(found);
  }

  /** Answers true when the paste was a picture: one dropped on the terminal, or one that it cannot paste as text. */
  function takePicture(press: KeyPress): boolean {
    if (press.type !== "paste") return false;
    const named = options.pictures.named(press.text);
    if (named) insertPicture(named);
    else if (press.text === "") void pastePicture();
    else return false;
    return true;
  }

  async function editElsewhere(): Promise<void> {
    options.release();
    const edited = await options.editElsewhere(wholeText(input.editor));
    if ("text" in edited) write(edited.text);
    else hint(edited.problem);
    options.seize();
  }

  function suspend(): void {
    options.release();
    // with the keyboard closed nothing else keeps the process from ending
    const alive = setInterval(() => {}, 2 ** 30);
    process.once("SIGCONT", () => {
      clearInterval(alive);
      options.seize();
    });
    process.kill(process.pid, "SIGTSTP");
  }

  /** Once more shows the one before, so that thinking is found behind what came after it. */
  function unfold(): void {
    const { folded } = screen.state.activity;
    const next = folded.find((text) => !unfolded.has(text));
    if (next === undefined) {
      hint(folded.length === 0 ? "There is nothing to unfold yet" : "All of it is shown above");
      return;
    }
    unfolded.add(next);
    screen.print({ type: "output", ...next });
  }

  function takeQueued(): void {
    const { queued } = screen.state;
    write(queued.at(-1) ?? "");
    show({ queued: queued.slice(0, -1) });
  }

  const wishes: { readonly [T in Exclude<InputWish["type"], "send" | "hint">]: () => void } = {
    leave: options.onLeave,
    interrupt: options.onInterrupt,
    rewind: () => void options.onLine("/rewind"),
    "take-queued": takeQueued,
    suspend,
    cycleMode: () => hint(options.cycleMode()),
    unfold,
    searchHistory: () => void searchHistory(),
    externalEditor: () => void editElsewhere(),
    pickModel() {
      if (!options.onLine("/model")) hint("The model can be changed between prompts");
    },
    pastePicture: () => void pastePicture(),
    redraw() {
      screen.pause();
      screen.resume();
    },
  };

  return {
    take(press) {
      if (takePicture(press)) return;
      const before = input.editor.text;
      const step = pressInInput(input, press, {
        keys: options.keys,
        width: screen.width - 3,
        now: now(),
        isBusy: options.isBusy(),
        hasQueued: screen.state.queued.length > 0,
      });
      input = step.input;
      show({ hint: undefined });
      const { wish } = step;
      if (wish?.type === "send") send(wish.text);
      else if (wish?.type === "hint") hint(wish.text);
      else if (wish) wishes[wish.type]();
      if (input.editor.text !== before) void suggest();
    },
    giveBack(lines) {
      if (lines.length > 0)
        write([...lines, ...(input.editor.text === "" ? [] : [wholeText(input.editor)])].join("\n"));
    },
    pickRow,
  };
}
