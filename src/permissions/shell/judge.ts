import type { Finding } from "./finding.ts";
import type { Places } from "./places.ts";
import type { ShellState } from "./shell-state.ts";
import type { Value } from "./value.ts";

/** What comes in on a command's standard input, as far as it matters. */
export type Stream = {
  /** All of it, when it is written in the command itself. */
  readonly text?: string;
  /** Its lines are paths, each matching one of these. */
  readonly paths?: readonly Value[];
  /** It may carry the content of a secret file. */
  readonly secret?: true;
  /** It is what a shell answers. */
  readonly fromShell?: true;
};

/** One simple command: a program and its arguments, expanded. */
export type Call = {
  readonly program: string;
  readonly args: readonly Value[];
  readonly state: ShellState;
  readonly stdin: Stream;
  /** One of several readings of a command whose beginning is not understood: what it contains is not guessed at again. */
  readonly isGuess: boolean;
};

/** What the judges of single programs may use of the whole. */
export interface Judge {
  readonly places: Places;
  /** Judges a program that another one starts; fails closed when they are nested too deeply. */
  judgeCall(call: Call): Finding;
  /** What a call prints, as far as it matters to the next one in a pipeline. */
  outputOf(call: Call, finding: Finding): Stream;
  isShell(program: string): boolean;
  /** Judges a script given as text. */
  judgeText(text: string, state: ShellState): Finding;
}

export type ProgramJudge = (call: Call, judge: Judge) => Finding;

/** What a call finds when it starts. */
export type CallSetting = Omit<Call, "program" | "args">;

/** Splits a program from its arguments; undefined when its name is known only when it runs. */
export function toCall(words: readonly Value[], { state, stdin, isGuess }: CallSetting): Call | undefined {
  const name = words[0];
  if (name === undefined || name.text === "" || name.globAt >= 0 || name.unknownAt >= 0) return undefined;
  return { program: name.text, args: words.slice(1), state, stdin, isGuess };
}
