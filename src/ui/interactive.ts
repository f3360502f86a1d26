import type { CommandOutcome } from "../contracts/command.ts";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import type { AskPermission } from "../contracts/permission.ts";
import { type BusyKeys, watchKeys } from "./busy-keys.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { createLineInput } from "./line-input.ts";
import { type Output, paint } from "./output.ts";
import { answerFor, questionText } from "./permission-question.ts";
import { createPrinter } from "./print.ts";

export type InteractiveOptions = {
  readonly output: Output;
  readonly banner: () => string;
  readonly send: (prompt: string, signal: AbortSignal) => AsyncIterable<AgentEvent>;
  /** Runs a slash command; undefined when the line is a prompt. */
  readonly runCommand: (line: string) => Promise<CommandOutcome | undefined>;
  readonly commandNames: () => readonly string[];
  readonly target: () => { readonly endpoint: string; readonly model: string };
  readonly history: { readonly lines: string[]; remember(line: string): void };
};

export type Interactive = {
  /** Runs until the person leaves. */
  run(): Promise<void>;
  /** Asks the person; an interrupted question is a no. */
  readonly ask: AskPermission;
};

/** The plain interactive mode: a line at a time, no redrawing, fit for any terminal and for screen readers. */
export function createInteractive(options: InteractiveOptions): Interactive {
  const { output } = options;
  let keys: BusyKeys | undefined;
  /** Questions of parallel calls wait for each other. */
  let questions: Promise<unknown> = Promise.resolve();
  let onTurn: (() => void)[] = [];
  const input = createLineInput({
    prompt: "> ",
    history: options.history.lines,
    remember: options.history.remember,
    complete: (line) => (line.startsWith("/") ? options.commandNames().filter((name) => name.startsWith(line)) : []),
  });

  async function turn(prompt: string): Promise<{ goOn: boolean; typed: ReturnType<BusyKeys["stop"]> }> {
    const stop = new AbortController();
    keys = watchKeys(
      () => stop.abort(),
      (line) => output.err(`${paint(output, "dim", `(queued: ${line})`)}\n`),
    );
    for (const goOn of onTurn.splice(0)) goOn();
    const print = createPrinter(output);
    let outcome: TurnOutcome = { type: "interrupted" };
    try {
      for await (const event of options.send(prompt, stop.signal)) {
        print(event);
        if (event.type === "turn.finished") outcome = event.outcome;
      }
      return { goOn: await settle(outcome, keys), typed: keys.stop() };
    } finally {
      keys = undefined;
    }
  }

  function nextTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      onTurn = [...onTurn, resolve];
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Says how it ended; at the round limit the person decides whether it goes on. */
  async function settle(outcome: TurnOutcome, busy: BusyKeys): Promise<boolean> {
    const problem = describeOutcome(outcome, options.target());
    if (problem === undefined) return false;
    output.err(`${paint(output, outcome.type === "interrupted" ? "dim" : "red", problem)}\n`);
    if (outcome.type !== "round-limit") return false;
    output.err("Go on? y yes  n no (default) ");
    const key = await busy.choose("yn", "n");
    output.err(`${key}\n`);
    return key === "y";
  }

  return {
    async run() {
      output.out(options.banner());
      const queued: string[] = [];
      let typed = "";
      for (;;) {
        const line = queued.shift() ?? (await input.ask(typed));
        typed = "";
        if (line === undefined) return;
        if (line.trim() === "") continue;
        const done = await options.runCommand(line);
        if (done === "quit") return;
        if (done === "continue") continue;
        const result = await turn(done?.prompt ?? line);
        if (result.goOn) queued.unshift("Go on.");
        queued.push(...result.typed.lines);
        typed = result.typed.rest;
      }
    },
    ask(question, signal) {
      const answer = questions.then(async () => {
        // an agent in the background asks when somebody listens
        if (keys === undefined && question.agent !== undefined && !signal.aborted) await nextTurn(signal);
        if (signal.aborted || keys === undefined) return answerFor("n");
        output.err(questionText(question, output));
        const key = await keys.choose(question.rule === undefined ? "ynw" : "yasnw", "n");
        output.err(`${key}\n`);
        if (key !== "w") return answerFor(key);
        output.err("  Tell the model: ");
        const word = await keys.line();
        return word === "" ? answerFor("n") : ({ type: "no", word } as const);
      });
      questions = answer.catch(() => {});
      return answer;
    },
  };
}
