import { asks, atLeastAsk, type Finding } from "../shell/finding.ts";
import type { Call, Judge } from "../shell/judge.ts";
import { assign } from "../shell/shell-state.ts";
import { isStatic } from "../shell/value.ts";

/** `bash -c TEXT`, `sh < script`, `… | sh`: the text is judged like the rest where it is known. */
export function judgeShell(call: Call, judge: Judge): Finding {
  const at = call.args.findIndex(({ text }) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text));
  const leading = at < 0 ? [] : call.args.slice(0, at);
  if (at >= 0 && leading.every(({ text }) => /^[-+]/.test(text) || /^(errexit|pipefail|nounset)$/.test(text))) {
    return judgeCommandText(call, at, judge);
  }
  const { text } = call.stdin;
  const reason = `${call.program} runs a script that is not judged`;
  const readsInput =
    !call.args.some((word) => !/^[-+]/.test(word.text)) || call.args.some((word) => word.text === "-s");
  return text !== undefined && readsInput ? atLeastAsk(judge.judgeText(text, call.state), reason) : asks(reason);
}

function judgeCommandText(call: Call, at: number, judge: Judge): Finding {
  const [text, ...positional] = call.args.slice(at + 1);
  if (text === undefined || !isStatic(text))
    return asks(`${call.program} -c runs text that is known only when it runs`);
  let { state } = call;
  for (const [index, value] of [...positional.entries()].slice(0, 9)) state = assign(state, String(index), value);
  const finding = judge.judgeText(text.text, state);
  // Other shells read some of the same text differently, and other options change what is run.
  const isPlainBash = call.program === "bash" && call.args.length === 2 && call.args[0]?.text === "-c";
  return isPlainBash
    ? finding
    : atLeastAsk(finding, `${call.program} is not understood well enough with these arguments`);
}
