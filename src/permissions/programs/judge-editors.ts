import { asks, asksToWriteInside, reads, worse } from "../shell/finding.ts";
import type { ProgramJudge } from "../shell/judge.ts";
import { judgeRead, judgeWrite } from "../shell/path-findings.ts";
import { dropFirst, isStatic } from "../shell/value.ts";
import { isHarmlessAwkProgram } from "./awk-program.ts";
import { hasOption, isMisfit, type OptionGrammar, parseArguments } from "./options.ts";
import { isHarmlessSedScript } from "./sed-script.ts";

const sedOptions: OptionGrammar = {
  short: "nErsuzi::e:",
  long: "expression= quiet silent regexp-extended null-data separate unbuffered in-place=? posix",
};

export const judgeSed: ProgramJudge = (call, judge) => {
  const parsed = parseArguments(call.args, sedOptions);
  if (isMisfit(parsed)) return asks(`sed: ${parsed.problem}`);
  const given = parsed.options.filter(({ name }) => name === "-e" || name === "--expression").map(({ value }) => value);
  const scripts = given.length > 0 ? given : parsed.operands.slice(0, 1);
  const files = given.length > 0 ? parsed.operands : parsed.operands.slice(1);
  const edits = hasOption(parsed, "-i", "--in-place");
  const findings = files.map((file) => (edits ? judgeWrite : judgeRead)(judge.places, file, call.state));
  const isKnown = scripts.every((part) => part !== undefined && isStatic(part));
  if (!isKnown || !isHarmlessSedScript(scripts.map((part) => part?.text).join("\n"))) {
    findings.push(asks("sed: the script may write or run something"));
  }
  return findings.reduce(worse, edits ? asksToWriteInside("sed -i changes files") : reads("sed only prints"));
};

export const judgeAwk: ProgramJudge = (call, judge) => {
  const parsed = parseArguments(call.args, { short: "F:v:", leading: true });
  if (isMisfit(parsed)) return asks(`awk: ${parsed.problem}`);
  const [program, ...files] = parsed.operands;
  if (program === undefined || !isStatic(program) || !isHarmlessAwkProgram(program.text)) {
    return asks("awk: the program may write or run something");
  }
  return files.map((file) => judgeRead(judge.places, file, call.state)).reduce(worse, reads("awk only prints"));
};

export const judgeDd: ProgramJudge = (call, judge) =>
  call.args
    .filter(({ text }) => text.startsWith("of="))
    .map((word) => judgeWrite(judge.places, dropFirst(word, 3), call.state))
    .reduce(worse, asks("dd copies raw data"));
