import type { Redirection } from "unbash";
import { expandQuoted, expandText, expandWord } from "./expand-word.ts";
import { asks, type Finding, reads, worse } from "./finding.ts";
import type { Stream } from "./judge.ts";
import { isNetworkDevice, judgeRead, judgeWrite } from "./path-findings.ts";
import type { Places } from "./places.ts";
import type { ShellState } from "./shell-state.ts";
import { isStatic, unknownValue, type Value } from "./value.ts";

export type RedirectJudgement = {
  readonly finding: Finding;
  /** As rules write it: `> out.txt`. */
  readonly words: readonly string[] | undefined;
  /** What standard input becomes. */
  readonly stdin?: Stream;
  readonly network?: true;
};

const harmless = reads("redirects nothing that matters");

export function judgeRedirect(redirect: Redirection, state: ShellState, places: Places): RedirectJudgement {
  if (redirect.type === "HereDoc") {
    const { body } = redirect;
    const text = body.parts === undefined ? body.text : textOf(expandText(body.parts, state, places));
    return { finding: harmless, words: undefined, stdin: text === undefined ? {} : { text } };
  }
  if (redirect.target === undefined) return { finding: asks("a redirection that is not understood"), words: undefined };
  if (redirect.type === "HereString") {
    const text = textOf(expandQuoted(redirect.target, state, places));
    return { finding: harmless, words: undefined, stdin: text === undefined ? {} : { text } };
  }
  const [target = unknownValue, ...more] = expandWord(redirect.target, state, places);
  const { operator, descriptor } = redirect;
  if (more.length > 0) return { finding: asks("it redirects to more than one file"), words: undefined };
  if (descriptor?.type === "FileDescriptorVariable")
    return { finding: asks("it opens a file for later"), words: undefined };
  if (operator.endsWith("&") && isStatic(target) && /^(\d+-?|-)$/.test(target.text))
    return { finding: harmless, words: undefined };
  return judgeFileRedirect(operator, target, state, places);
}

function judgeFileRedirect(operator: string, target: Value, state: ShellState, places: Places): RedirectJudgement {
  const words = isStatic(target) && !target.expanded ? [operator, target.text] : undefined;
  const network = isNetworkDevice(target) ? ({ network: true } as const) : {};
  if (operator === "<") {
    const finding = judgeRead(places, target, state);
    return { finding, words, ...network, stdin: finding.secret ? { secret: true } : {} };
  }
  if (operator === "<>" || operator === "<&") {
    return {
      finding: worse(asks("it opens a file for reading and writing"), judgeWrite(places, target, state)),
      words,
      ...network,
    };
  }
  return { finding: judgeWrite(places, target, state), words, ...network };
}

function textOf(value: Value): string | undefined {
  return isStatic(value) ? value.text : undefined;
}
