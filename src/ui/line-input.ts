import { createInterface } from "node:readline";
import { monotonicMs } from "../platform/clock.ts";

export type LineInput = {
  /** The next prompt, or undefined when the person wants to leave (Ctrl-D, or Ctrl-C twice). `typed` stands in the line already. */
  ask(typed: string): Promise<string | undefined>;
};

export type LineInputOptions = {
  readonly prompt: string;
  /** Newest first. */
  readonly history: string[];
  readonly complete: (line: string) => readonly string[];
  readonly remember: (line: string) => void;
};

const secondPressMs = 2_000;

/** A line editor over node:readline, made anew for each prompt so that the terminal is free while the agent works. */
export function createLineInput({ prompt, history, complete, remember }: LineInputOptions): LineInput {
  const askOnce = (question: string, typed: string) =>
    new Promise<string | undefined>((resolve) => {
      const lines = createInterface({
        input: process.stdin,
        output: process.stdout,
        history: [...history],
        historySize: 500,
        completer: (line: string): [string[], string] => [[...complete(line)], line],
      });
      let lastPress = Number.NEGATIVE_INFINITY;
      let answer: string | undefined;
      lines.on("line", (line) => {
        answer = line;
        lines.close();
      });
      lines.on("SIGINT", () => {
        if (lines.line === "" && monotonicMs() - lastPress < secondPressMs) return lines.close();
        lastPress = monotonicMs();
        process.stdout.write(lines.line === "" ? "\n(Ctrl-C again to quit)\n" : "\n");
        // deletes the line to the left and to the right of the cursor
        lines.write(null, { ctrl: true, name: "e" });
        lines.write(null, { ctrl: true, name: "u" });
        lines.prompt();
      });
      lines.on("close", () => resolve(answer));
      lines.setPrompt(question);
      lines.prompt();
      if (typed) lines.write(typed);
    });

  return {
    async ask(typed) {
      let text = await askOnce(prompt, typed);
      while (text?.endsWith("\\")) {
        const more = await askOnce("… ", "");
        if (more === undefined) return undefined;
        text = `${text.slice(0, -1)}\n${more}`;
      }
      if (text === undefined) {
        process.stdout.write("\n");
        return undefined;
      }
      if (text.trim() !== "") {
        history.unshift(text);
        remember(text);
      }
      return text;
    },
  };
}
