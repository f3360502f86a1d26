import { asks, atLeastAsk, type Finding, reads, worse } from "../shell/finding.ts";
import { type Call, type CallSetting, type Judge, toCall } from "../shell/judge.ts";
import { dropFirst, isStatic, type Value } from "../shell/value.ts";
import { isHarmlessToSet } from "../shell/variables.ts";
import { lookUp } from "./look-up.ts";
import { isMisfit, parseArguments } from "./options.ts";
import { scriptTable, type Wrapper } from "./wrapper-table.ts";

const maximumStarts = 24;

export function judgeWrapper(spec: Wrapper, call: Call, judge: Judge): Finding {
  const parsed = parseArguments(call.args, { ...spec.options, leading: true });
  if (isMisfit(parsed)) return worse(asks(`${call.program}: ${parsed.problem}`), worstDenial(call, judge));
  const words = parsed.operands.slice(spec.ownOperands ?? 0);
  const start = spec.assignments ? words.findIndex((word) => !/^\w+=/.test(word.text)) : 0;
  const settings = judgeSettings(start < 0 ? words : words.slice(0, start));
  const wrapped = start < 0 ? [] : words.slice(start);
  if (wrapped.length === 0) return asks(`${call.program} without a command may show secrets or change the shell`);
  const finding = worse(settings, judgeWords(wrapped, call, judge));
  return spec.asksBecause ? atLeastAsk(finding, `${call.program} ${spec.asksBecause}`) : finding;
}

/** A command given as words; what is named by an expansion is asked about at least. */
export function judgeWords(words: readonly Value[], from: CallSetting, judge: Judge): Finding {
  const call = toCall(words, from);
  if (call === undefined) return asks("which program runs is known only when it runs");
  const finding = judge.judgeCall(call);
  return words[0]?.expanded ? atLeastAsk(finding, "an expansion decides which program runs") : finding;
}

function judgeSettings(words: readonly Value[]): Finding {
  let finding = reads("sets only how text looks");
  for (const word of words) {
    const name = word.text.slice(0, word.text.indexOf("="));
    if (isHarmlessToSet(name, dropFirst(word, name.length + 1))) continue;
    finding = worse(finding, asks(`it sets ${name}, which may change what runs`));
  }
  return finding;
}

/** Its options are not understood, so the command may begin at any word: is one of them refused? */
export function worstDenial(call: Call, judge: Judge): Finding {
  let finding = asks(`${call.program} starts another program`);
  if (call.isGuess) return finding;
  for (let start = 0; start < Math.min(call.args.length, maximumStarts); start++) {
    const inner = toCall(call.args.slice(start), { ...call, isGuess: true });
    if (inner && finding.verdict !== "deny") finding = worse(finding, judge.judgeCall(inner));
  }
  return finding;
}

/** The script that a program such as eval or su is handed; undefined when it is handed none. */
export function judgeHandedScript(call: Call, judge: Judge): Finding | undefined {
  const rule = lookUp(scriptTable, call.program);
  if (rule === undefined) return undefined;
  const text =
    typeof rule === "object"
      ? wordAfter(call.args, rule.after)
      : joined(rule === "first" ? call.args.slice(0, 1) : call.args);
  if (text === undefined) return undefined;
  const reason = `${call.program} runs text as a command`;
  return isStatic(text) ? atLeastAsk(judge.judgeText(text.text, call.state), reason) : asks(reason);
}

function wordAfter(args: readonly Value[], options: readonly string[]): Value | undefined {
  for (const [at, word] of args.entries()) {
    if (options.includes(word.text)) return args[at + 1];
    const option = options.find((name) => word.text.startsWith(joint(name)));
    if (option !== undefined) return dropFirst(word, joint(option).length);
  }
  return undefined;
}

/** How an option begins that has its value in the same word. */
function joint(option: string): string {
  return option.startsWith("--") ? `${option}=` : option;
}

function joined(args: readonly Value[]): Value | undefined {
  const [first] = args;
  if (first === undefined) return undefined;
  return args.every(isStatic) ? { ...first, text: args.map(({ text }) => text).join(" ") } : { ...first, unknownAt: 0 };
}
