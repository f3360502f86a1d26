import { asks, asksToLoseWork, denies, type Finding } from "../shell/finding.ts";
import type { Call, Judge } from "../shell/judge.ts";
import { inFolders } from "../shell/shell-state.ts";
import { isStatic, type Value } from "../shell/value.ts";
import { gitLoss } from "./git-losses.ts";
import { gitGlobalOptions, gitReadTable, takesGitValue } from "./git-table.ts";
import { judgeReader, type ReadProgram } from "./judge-reader.ts";
import { lookUp } from "./look-up.ts";
import { isMisfit, parseArguments } from "./options.ts";

export function judgeGit(call: Call, judge: Judge): Finding {
  const denial = rewritesRemote(call.args);
  if (denial) return denies(denial);
  const loss = gitLoss(call.args.map(({ text }) => text));
  if (loss) return asksToLoseWork(`git ${loss} throws work away that no commit may hold`);
  const globals = parseArguments(call.args, gitGlobalOptions);
  if (isMisfit(globals)) return asks(`git: ${globals.problem}`);
  const found = findReader(globals.operands);
  if (found === undefined) return asks(`git ${globals.operands[0]?.text ?? ""} is not known to only read`);
  const folder = globals.options.find(({ name }) => name === "-C")?.value;
  const state = folder ? inFolders(call.state, foldersFrom(folder, call)) : call.state;
  const { spec, name, args } = found;
  const started = state.folders?.map((at) => judge.places.repositoryPrograms(at)).find((what) => what !== undefined);
  if (started !== undefined) return asks(`git ${name} may start a program: this repository has ${started}`);
  if (state.folders === undefined) return asks(`git ${name} runs in a folder that is known only when it runs`);
  return judgeReader(spec, { ...call, program: `git ${name}`, args: args.map(pathOfRevision), state }, judge);
}

type FoundReader = { readonly spec: ReadProgram; readonly name: string; readonly args: readonly Value[] };

export function findReader(words: readonly Value[]): FoundReader | undefined {
  const [first, second] = words;
  if (first === undefined || !isStatic(first)) return undefined;
  const both = second && isStatic(second) ? `${first.text} ${second.text}` : "";
  const longer = lookUp(gitReadTable, both);
  if (longer) return { spec: longer, name: both, args: words.slice(2) };
  const spec = lookUp(gitReadTable, first.text);
  // A word after `reflog` or `remote` is another subcommand, not an operand.
  const isOther = /^(reflog|remote)$/.test(first.text) && second !== undefined && !second.text.startsWith("-");
  return spec && !isOther ? { spec, name: first.text, args: words.slice(1) } : undefined;
}

/** `HEAD:.env` shows a file; what counts is its path. */
function pathOfRevision(word: Value): Value {
  const colon = isStatic(word) && !word.text.startsWith("-") ? word.text.indexOf(":") : -1;
  return colon < 0 ? word : { ...word, text: word.text.slice(colon + 1) || "." };
}

function foldersFrom(folder: Value, call: Call): readonly string[] | undefined {
  if (!isStatic(folder)) return undefined;
  return folder.text.startsWith("/") ? [folder.text] : call.state.folders?.map((from) => `${from}/${folder.text}`);
}

/** Does this push replace or delete history on the remote? Options may stand anywhere, also before `push`. */
function rewritesRemote(args: readonly Value[]): string | undefined {
  const push = args.findIndex(({ text }) => text === "push");
  const isPush =
    push >= 0 &&
    args.slice(0, push).every((word, at) => word.text.startsWith("-") || takesGitValue(args[at - 1]?.text ?? ""));
  if (!isPush) return undefined;
  const words = args.slice(push + 1).map(({ text }) => text);
  const force = words.find(
    (word) =>
      /^-[a-zA-Z]*[fd]/.test(word) ||
      word === "--force" ||
      ["--mirror", "--delete", "--prune"].some((name) => word.length > 3 && name.startsWith(word)),
  );
  if (force) return `git push ${force} replaces or deletes history on the remote`;
  const refspec = words.slice(0).find((word) => /^(\+|:).+/.test(word));
  return refspec && `git push ${refspec} replaces or deletes history on the remote`;
}
