import { fuzzyFilter } from "../rendering/fuzzy.ts";
import type { KeyPress } from "./keyboard.ts";

/** Every question looks and works like this: a list, its keys, a fuzzy filter where it is long. */
export type Choice = {
  /** Answers at once, alone. */
  readonly key?: string;
  readonly label: string;
  readonly value: string;
  /** Needs words before it answers. */
  readonly asksFor?: string;
  /** What is written stays unreadable. */
  readonly isSecret?: boolean;
};

export type ListQuestion = {
  readonly title: string;
  /** Painted already: a command, a diff. Where room is short its beginning and its end stay. */
  readonly body: readonly string[];
  /** Less important: left out first. */
  readonly foot?: readonly string[];
  readonly choices: readonly Choice[];
  /** What Esc means, and Enter where nothing else was picked. */
  readonly fallback: string;
  /** Letters narrow the list instead of answering. */
  readonly isFiltered: boolean;
  /** A `/` at the beginning is no filter but the next command: the list is left for it. */
  readonly givesWayToCommands?: boolean;
  readonly hint?: string;
};

export type ListState = {
  readonly question: ListQuestion;
  readonly selected: number;
  readonly filter: string;
  /** Words being written for a choice that wants some. */
  readonly words: { readonly choice: Choice; readonly text: string } | undefined;
};

export type ListAnswer = { readonly value: string; readonly words?: string };

export function openList(question: ListQuestion): ListState {
  const preferred = question.choices.findIndex(({ value }) => value === question.fallback);
  const [only, ...others] = question.choices;
  const words = only?.asksFor !== undefined && others.length === 0 ? { choice: only, text: "" } : undefined;
  return { question, selected: Math.max(0, preferred), filter: "", words };
}

/** The choices that the filter leaves. */
export function offered({ question, filter }: ListState): readonly Choice[] {
  return filter === "" ? question.choices : fuzzyFilter(question.choices, filter, ({ label }) => label);
}

export type ListStep = { readonly state: ListState; readonly answer?: ListAnswer };

export function pressInList(state: ListState, press: KeyPress): ListStep {
  if (press.type === "reply") return { state };
  if (state.words) return pressInWords(state, state.words, press);
  const { question } = state;
  const fallback: ListStep = { state, answer: { value: question.fallback } };
  if (press.type === "paste") return question.isFiltered ? filtered(state, state.filter + press.text) : { state };
  const choices = offered(state);
  const move = (by: number): ListStep => {
    const count = Math.max(1, choices.length);
    return { state: { ...state, selected: (state.selected + by + count) % count } };
  };
  switch (press.name) {
    case "up":
    case "ctrl+p":
    case "shift+tab":
      return move(-1);
    case "down":
    case "ctrl+n":
    case "tab":
      return move(1);
    case "escape":
      return state.filter === "" ? fallback : filtered(state, "");
    case "ctrl+c":
    case "ctrl+d":
      return fallback;
    case "enter":
      return choose(state, choices[state.selected]) ?? fallback;
    case "backspace":
      return question.isFiltered ? filtered(state, [...state.filter].slice(0, -1).join("")) : { state };
  }
  if (press.text === undefined) return { state };
  if (question.isFiltered) return filtered(state, state.filter + press.text);
  const letter = press.text.toLowerCase();
  return (
    choose(
      state,
      question.choices.find(({ key }) => key === letter),
    ) ?? { state }
  );
}

function filtered(state: ListState, filter: string): ListStep {
  return { state: { ...state, filter, selected: 0 } };
}

function choose(state: ListState, choice: Choice | undefined): ListStep | undefined {
  if (choice === undefined) return undefined;
  if (choice.asksFor !== undefined) return { state: { ...state, words: { choice, text: "" } } };
  return { state, answer: { value: choice.value } };
}

function pressInWords(
  state: ListState,
  words: NonNullable<ListState["words"]>,
  press: Exclude<KeyPress, { type: "reply" }>,
): ListStep {
  const write = (text: string): ListStep => ({ state: { ...state, words: { ...words, text } } });
  if (press.type === "paste") return write(words.text + press.text.replace(/\s+/g, " "));
  if (press.name === "enter") return { state, answer: { value: words.choice.value, words: words.text.trim() } };
  if (press.name === "escape" || press.name === "ctrl+c")
    return state.question.choices.length === 1
      ? { state, answer: { value: state.question.fallback } }
      : { state: { ...state, words: undefined } };
  if (press.name === "backspace") return write([...words.text].slice(0, -1).join(""));
  return press.text === undefined ? { state } : write(words.text + press.text);
}
