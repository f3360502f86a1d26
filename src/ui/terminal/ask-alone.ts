import type { Asker } from "../ask-person.ts";
import type { Theme } from "../rendering/theme.ts";
import { createKeyboard } from "./keyboard.ts";
import { type ListAnswer, type ListQuestion, openList, pressInList } from "./list-question.ts";
import type { Surface } from "./painter.ts";
import { keysList, rowsList, textList } from "./questions.ts";
import { createScreen } from "./screen.ts";

/** Questions before there is a conversation: the terminal is taken for each and given back. */
export function createAskAlone(surface: Surface, theme: Theme): Asker {
  function ask(question: ListQuestion): Promise<ListAnswer> {
    const screen = createScreen({ surface, theme, now: () => performance.now() });
    return new Promise((resolve) => {
      let state = openList(question);
      const finish = (answer: ListAnswer) => {
        const chosen = question.choices.find(({ value }) => value === answer.value);
        screen.change({ question: undefined });
        screen.print({ type: "note", tone: "dim", text: `${question.title} ${chosen?.label ?? "–"}` });
        screen.pause();
        process.off("exit", keyboard.close);
        keyboard.close();
        resolve(answer);
      };
      const keyboard = createKeyboard({
        write: surface.write,
        escapeMs: 50,
        onEnd: () => finish({ value: question.fallback }),
        onPresses(presses) {
          for (const press of presses) {
            const step = pressInList(state, press);
            if (step.answer) return finish(step.answer);
            state = step.state;
          }
          screen.change({ question: state });
          screen.draw();
        },
      });
      process.once("exit", keyboard.close);
      keyboard.open();
      screen.change({ question: state });
      screen.draw();
    });
  }
  return {
    chooseKey: async (question, keys, fallback) => (await ask(keysList(question, keys, fallback))).value,
    askText: async (question, kind) => (await ask(textList(question, kind))).words ?? "",
    async pickRow(question, rows) {
      const { value } = await ask(rowsList(question, rows));
      return value === "" ? undefined : Number(value);
    },
  };
}
