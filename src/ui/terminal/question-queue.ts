import type { KeyPress } from "./keyboard.ts";
import { type ListAnswer, type ListQuestion, type ListState, openList, pressInList } from "./list-question.ts";
import type { Screen } from "./screen.ts";

/** Questions one after the other, each in place of the prompt. */
export type QuestionQueue = {
  /** Made when its turn comes. An interrupted one is answered with its fallback. */
  ask(make: () => ListQuestion, signal?: AbortSignal): Promise<ListAnswer>;
  /** Answers true when the key belonged to a question. */
  take(press: KeyPress): boolean;
  /** The open question and all that wait are answered with their fallbacks. */
  close(): void;
};

/** Enter behind a key that answered belongs to it. */
const trailingEnterMs = 400;
/** A question that opens while somebody writes must not take their next letters for answers. */
const writingMs = 600;

export function createQuestionQueue(screen: Screen, now: () => number): QuestionQueue {
  let asked: Promise<unknown> = Promise.resolve();
  let answer: ((answer: ListAnswer) => void) | undefined;
  let abandon: (() => void) | undefined;
  let isClosed = false;
  /** The last key answered a question, and when. */
  let answeredAt: number | undefined;
  let pressedAt = Number.NEGATIVE_INFINITY;
  let openedAt = Number.NEGATIVE_INFINITY;

  const open = (question: ListQuestion, signal: AbortSignal | undefined) =>
    new Promise<ListAnswer>((resolve) => {
      const finish = (given: ListAnswer) => {
        signal?.removeEventListener("abort", giveUp);
        answer = undefined;
        screen.change({ question: undefined });
        resolve(given);
      };
      const giveUp = () => finish({ value: question.fallback });
      if (signal?.aborted || isClosed) return giveUp();
      signal?.addEventListener("abort", giveUp);
      answer = finish;
      abandon = giveUp;
      openedAt = now();
      screen.change({ question: openList(question) });
      screen.draw();
    });

  function isTrailingEnter(press: KeyPress): boolean {
    const isEnter = press.type === "key" && press.name === "enter";
    return isEnter && answeredAt !== undefined && now() - answeredAt < trailingEnterMs;
  }

  return {
    ask(make, signal) {
      const given = asked.then(() => open(make(), signal));
      asked = given;
      return given;
    },
    take(press) {
      const isTrailing = isTrailingEnter(press);
      answeredAt = undefined;
      if (isTrailing) return true;
      const { question, editor } = screen.state;
      const isWriting = editor.text !== "" && now() - Math.max(pressedAt, openedAt) < writingMs;
      pressedAt = now();
      if (question === undefined || isWriting) return false;
      if (press.type === "key" && press.name === "ctrl+o") {
        const { title, body, foot = [] } = question.question;
        for (const text of [title, ...body, ...foot]) screen.print({ type: "note", tone: "text", text });
        return true;
      }
      if (beginsCommand(question, press)) {
        answer?.({ value: question.question.fallback });
        return false;
      }
      const step = pressInList(question, press);
      if (step.answer === undefined) screen.change({ question: step.state });
      else {
        if (press.type === "key" && press.text !== undefined) answeredAt = now();
        answer?.(step.answer);
      }
      return true;
    },
    close() {
      isClosed = true;
      abandon?.();
    },
  };
}

function beginsCommand({ question, filter }: ListState, press: KeyPress): boolean {
  return question.givesWayToCommands === true && filter === "" && press.type === "key" && press.text === "/";
}
