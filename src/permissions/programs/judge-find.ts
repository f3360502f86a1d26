import { asks, atLeastAsk, reads, worse } from "../shell/finding.ts";
import type { Call, ProgramJudge } from "../shell/judge.ts";
import { judgeRemoval } from "../shell/path-findings.ts";
import { concat, literal, pattern, type Value } from "../shell/value.ts";
import { readFindExpression } from "./find-expression.ts";
import { judgeReader } from "./judge-reader.ts";
import { judgeWords } from "./judge-wrapper.ts";
import { splitArguments } from "./options.ts";
import { readPrograms } from "./program-table.ts";

const maximumRoots = 32;

export const judgeFind: ProgramJudge = (call, judge) => {
  const { roots, deletes, runs, problem } = readFindExpression(call.args);
  const found = (roots.length > 0 ? roots : [literal(".")]).slice(0, maximumRoots).map(anythingBelow);
  const findings = runs.flatMap((words) =>
    found.map((value) => {
      const filledIn = words.map((word) => (word.text === "{}" ? value : word));
      return judgeWords(filledIn, { ...call, stdin: {} }, judge);
    }),
  );
  if (roots.length > maximumRoots) findings.push(asks("find looks in too many folders to judge them all"));
  if (deletes) findings.push(...found.map((value) => judgeRemoval(judge.places, value, call.state)));
  if (findings.length > 0) return findings.reduce(worse, asks("find runs or deletes something for each file it finds"));
  return problem ? asks(`find: ${problem}`) : reads("find only looks");
};

/** `fd -x rm`: the words behind the option are run for each file. */
export const judgeFd: ProgramJudge = (call, judge) => {
  const at = call.args.findIndex(({ text }) => /^(-[xX]|--exec|--exec-batch)$/.test(text));
  if (at < 0) return readPrograms.fd ? judgeReader(readPrograms.fd, call, judge) : asks("fd is not known");
  const folder = splitArguments(call.args.slice(0, at)).operands[1] ?? literal(".");
  const words = [...call.args.slice(at + 1), anythingBelow(folder)];
  return atLeastAsk(judgeWords(words, { ...call, stdin: {} }, judge), "fd runs something for each file it finds");
};

/** What a call of find prints. */
export function pathsFound(call: Call): readonly Value[] {
  const { roots } = readFindExpression(call.args);
  return (roots.length > 0 ? roots : [literal(".")]).map(anythingBelow);
}

function anythingBelow(folder: Value): Value {
  const slash = folder.text.endsWith("/") ? "" : "/";
  return concat(concat(folder, literal(slash)), pattern("*", 0));
}
