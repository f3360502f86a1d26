import { asks, reads } from "../shell/finding.ts";
import type { ProgramJudge } from "../shell/judge.ts";
import { isStatic } from "../shell/value.ts";
import { isOwnVariable } from "../shell/variables.ts";
import { judgeWrapper } from "./judge-wrapper.ts";
import { hasOption, isMisfit, parseArguments } from "./options.ts";
import { isHarmlessTest } from "./test-expression.ts";

export const judgeTest: ProgramJudge = (call) => {
  const isBracket = call.program === "[";
  const closes = !isBracket || call.args.at(-1)?.text === "]";
  const words = isBracket ? call.args.slice(0, -1) : call.args;
  const staysOneWord = words.every((word) => word.globAt < 0 && !word.maySplit);
  return closes && staysOneWord && isHarmlessTest(words)
    ? reads("only tests")
    : asks("a test that is not one of the plain forms");
};

export const judgeReadLine: ProgramJudge = (call) => {
  const parsed = parseArguments(call.args, { short: "rsp:d:n:N:t:", leading: true });
  if (isMisfit(parsed)) return asks(`read: ${parsed.problem}`);
  const isOwn = parsed.operands.every((name) => isStatic(name) && isOwnVariable(name.text));
  return isOwn ? reads("reads a line into a variable") : asks("read sets a variable that other programs may see");
};

const stopAtErrors = /^[-+][eu]*(o (pipefail|errexit|nounset)|[eu])$/;

export const judgeSet: ProgramJudge = (call) => {
  const words = call.args.map(({ text }) => text).join(" ");
  const settings = words.split(/ (?=[-+])/);
  return settings.every((setting) => stopAtErrors.test(setting))
    ? reads("only decides when the shell stops")
    : asks("it changes how the shell works");
};

export const judgeFolderChange: ProgramJudge = (call) => {
  const parsed = parseArguments(call.args, { short: "LPe", leading: true, harmless: true });
  const isPlain = !isMisfit(parsed) && parsed.operands.length <= 1;
  return isPlain ? reads("changes the folder") : asks(`${call.program} with these arguments is not understood`);
};

export const judgeCommandBuiltin: ProgramJudge = (call, judge) => {
  const parsed = parseArguments(call.args, { short: "pvV", leading: true, harmless: true });
  if (!isMisfit(parsed) && hasOption(parsed, "-v", "-V")) return reads("only looks a program up");
  return judgeWrapper({ options: { short: "p" } }, call, judge);
};
