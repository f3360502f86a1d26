import type { Redirection } from "unbash";
import { expandQuoted, expandText, expandWord } from "./expand-word.ts";
import { asks, type Finding, reads, worse } from "./finding.ts";
import type { Stream } from "./judge.ts";
import { isNetworkDevice, judgeRead, judgeWrite } from "./path-findings.ts";
import type { Places } from "./places.ts";
import type { ShellState } from "./shell-state.ts";
import { isStatic, unknownValue, type Value } from "./value.ts";
import type { Position, Walk } from "./walk.ts";

/** What a command's redirections leave it with. */
export type Input = { readonly stdin: Stream; readonly usesNetwork: boolean };

type Redirected = {
  readonly finding: Finding;
  /** As rules write it: `> out.txt`. */
  readonly words?: readonly string[] | undefined;
  /** What standard input becomes. */
  readonly stdin?: Stream;
  readonly usesNetwork?: boolean;
};

const harmless = reads("it redirects nothing that matters");

/** Each redirection that does something is a segment of its own. */
export function judgeRedirects(redirects: readonly Redirection[], { state, stdin }: Position, walk: Walk): Input {
  let input: Input = { stdin, usesNetwork: false };
  for (const redirect of redirects) {
    const expansions = walk.inspect(redirect, state);
    const judged = judgeRedirect(redirect, state, walk.judge.places);
    const finding = worse(expansions, judged.finding);
    input = { stdin: judged.stdin ?? input.stdin, usesNetwork: input.usesNetwork || judged.usesNetwork === true };
    if (finding.verdict === "allow") continue;
    walk.report.add({ text: walk.textOf(redirect), from: redirect.pos, finding, words: judged.words });
  }
  return input;
}

function judgeRedirect(redirect: Redirection, state: ShellState, places: Places): Redirected {
  if (redirect.type === "HereDoc") {
    const { parts, text } = redirect.body;
    return { finding: harmless, stdin: parts ? streamOf(expandText(parts, state, places)) : { text } };
  }
  if (redirect.target === undefined) return { finding: asks("a redirection is not understood") };
  if (redirect.type === "HereString") {
    return { finding: harmless, stdin: streamOf(expandQuoted(redirect.target, state, places)) };
  }
  const { operator, descriptor } = redirect;
  const [target = unknownValue, ...more] = expandWord(redirect.target, state, places);
  if (more.length > 0) return { finding: asks("it redirects to more than one file") };
  if (descriptor?.type === "FileDescriptorVariable") return { finding: asks("it opens a file for later") };
  if (operator.endsWith("&") && isStatic(target) && /^(\d+-?|-)$/.test(target.text)) return { finding: harmless };
  const words = isStatic(target) && !target.expanded ? [operator, target.text] : undefined;
  const usesNetwork = isNetworkDevice(target);
  if (operator === "<") {
    const finding = judgeRead(places, target, state);
    return { finding, words, usesNetwork, stdin: finding.secret ? { secret: true } : {} };
  }
  const written = judgeWrite(places, target, state);
  const isBoth = operator === "<>" || operator === "<&";
  return {
    finding: isBoth ? worse(asks("it opens a file for reading and writing"), written) : written,
    words,
    usesNetwork,
  };
}

function streamOf(value: Value): Stream {
  return isStatic(value) ? { text: value.text } : {};
}
