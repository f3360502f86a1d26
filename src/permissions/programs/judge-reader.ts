import { catchesSecret, isSecretPath } from "../secret-paths.ts";
import { asks, asksToReadSecret, type Finding, reads, worse } from "../shell/finding.ts";
import type { Call, Judge } from "../shell/judge.ts";
import { judgeRead } from "../shell/path-findings.ts";
import { distinct, type Value } from "../shell/value.ts";
import { isMisfit, type OptionGrammar, type ParsedArguments, parseArguments, splitArguments } from "./options.ts";

/** A program that only reads, as long as it is called with the options named here. */
export type ReadProgram = {
  /** "any": none of its options can write, run or send. */
  readonly options: OptionGrammar | "any";
  /** text: may be anything. names: paths it looks at without showing what is in them. files: paths it shows. */
  readonly operands: "none" | "text" | "names" | "files";
  /** The first operand is a pattern or a program, unless one of these options gave it. */
  readonly patternBefore?: readonly string[];
  readonly maximumOperands?: number;
  /** Prints paths of files below its operands. */
  readonly listsFiles?: true;
  /** Passes lines on as they are. */
  readonly filtersLines?: true;
  /** What is wrong with these arguments. */
  readonly complaint?: (parsed: ParsedArguments) => string | undefined;
};

/** Options of searches whose value says which files are read. */
const choosesFiles = /^(-g|--i?glob|--include)$/;

export function judgeReader(spec: ReadProgram, call: Call, judge: Judge): Finding {
  const parsed = spec.options === "any" ? splitArguments(call.args) : parseArguments(call.args, spec.options);
  if (isMisfit(parsed)) return asks(`${call.program}: ${parsed.problem}`);
  const complaint = spec.complaint?.(parsed);
  if (complaint !== undefined) return asks(`${call.program}: ${complaint}`);
  if (parsed.operands.length > (spec.operands === "none" ? 0 : (spec.maximumOperands ?? Number.POSITIVE_INFINITY))) {
    return asks(`${call.program}: writes or changes something when given so many arguments`);
  }
  const finding = reads(`${call.program} only reads`);
  return spec.operands === "files"
    ? worse(
        finding,
        judgeFiles(spec, parsed, (file) => judgeRead(judge.places, file, call.state)),
      )
    : finding;
}

function judgeFiles(spec: ReadProgram, parsed: ParsedArguments, judgeFile: (file: Value) => Finding): Finding {
  const isPatternFirst = spec.patternBefore && !parsed.options.some(({ name }) => spec.patternBefore?.includes(name));
  const files = isPatternFirst ? parsed.operands.slice(1) : parsed.operands;
  let finding = reads("it only reads");
  for (const { name, value } of parsed.options) {
    const isPattern = spec.patternBefore?.includes(name) && name !== "-f" && name !== "--file";
    if (value === undefined || isPattern) continue;
    if (value.unknownAt >= 0 && !value.numeric)
      finding = worse(finding, asks("an option has a value known only when it runs"));
    if (isSecretPath(value.text) || (choosesFiles.test(name) && catchesSecret(value.text)))
      finding = worse(finding, asksToReadSecret(`it reads ${value.text}, which likely holds a secret`));
  }
  for (const file of distinct(files)) finding = worse(finding, judgeFile(file));
  return finding;
}
