import { asks, type Finding, worse } from "../shell/finding.ts";
import type { ProgramJudge, Stream } from "../shell/judge.ts";
import { literal, unknownValue, type Value } from "../shell/value.ts";
import { judgeWords, worstDenial } from "./judge-wrapper.ts";
import { isMisfit, type OptionGrammar, parseArguments } from "./options.ts";

const options: OptionGrammar = {
  short: "0rtxd:I:L:n:P:s:",
  long: "delimiter= max-args= max-chars= max-lines=? max-procs= no-run-if-empty null replace=? verbose exit",
  leading: true,
};

const maximumInputs = 16;

/** The command is judged with what it would be given: known words, files below known folders, or something unknown. */
export const judgeXargs: ProgramJudge = (call, judge) => {
  const parsed = parseArguments(call.args, options);
  if (isMisfit(parsed)) return worse(asks(`xargs: ${parsed.problem}`), worstDenial(call, judge));
  const words = parsed.operands.length > 0 ? parsed.operands : [literal("echo")];
  const marker = parsed.options.find(({ name }) => name === "-I" || name === "--replace")?.value?.text;
  const judgeWith = (input: Value): Finding => judgeWords(insert(words, input, marker), { ...call, stdin: {} }, judge);
  return inputsFrom(call.stdin).map(judgeWith).reduce(worse);
};

function inputsFrom(stdin: Stream): readonly Value[] {
  if (stdin.text !== undefined) {
    const words = stdin.text.split(/\s+/).filter((word) => word !== "");
    if (words.length > 0 && words.length <= maximumInputs)
      return words.map((text) => ({ ...literal(text), expanded: true }));
  }
  return stdin.paths && stdin.paths.length > 0 ? stdin.paths.slice(0, maximumInputs) : [unknownValue];
}

function insert(words: readonly Value[], input: Value, marker: string | undefined): readonly Value[] {
  if (marker === undefined || marker === "") return [...words, input];
  return words.map((word) => {
    if (word.text === marker) return input;
    return word.text.includes(marker) ? { ...word, unknownAt: word.text.indexOf(marker) } : word;
  });
}
