import { asks, denies, type Finding, reads, worse } from "../shell/finding.ts";
import type { Call, Judge, ProgramJudge } from "../shell/judge.ts";
import { denialOf } from "./denial-table.ts";
import { judgeCommandBuiltin, judgeFolderChange, judgeReadLine, judgeSet, judgeTest } from "./judge-builtins.ts";
import { judgeAwk, judgeDd, judgeSed } from "./judge-editors.ts";
import { judgeFd, judgeFind } from "./judge-find.ts";
import { judgeGit } from "./judge-git.ts";
import { judgeReader } from "./judge-reader.ts";
import { judgeShell } from "./judge-shell.ts";
import { judgeHandedScript, judgeWrapper } from "./judge-wrapper.ts";
import { judgeWriter } from "./judge-writer.ts";
import { judgeXargs } from "./judge-xargs.ts";
import { lookUp } from "./look-up.ts";
import { namesSecret, sendsSecret } from "./network-table.ts";
import { asksForVersion, readPrograms } from "./program-table.ts";
import { shellPrograms, wrapperTable } from "./wrapper-table.ts";
import { writeTable } from "./write-table.ts";

/** Programs whose arguments have a language of their own. */
const judges: Readonly<Record<string, ProgramJudge>> = {
  find: judgeFind,
  fd: judgeFd,
  fdfind: judgeFd,
  xargs: judgeXargs,
  git: judgeGit,
  sed: judgeSed,
  gsed: judgeSed,
  awk: judgeAwk,
  gawk: judgeAwk,
  mawk: judgeAwk,
  nawk: judgeAwk,
  dd: judgeDd,
  test: judgeTest,
  "[": judgeTest,
  read: judgeReadLine,
  set: judgeSet,
  cd: judgeFolderChange,
  pushd: judgeFolderChange,
  popd: judgeFolderChange,
  command: judgeCommandBuiltin,
};

/** Known here, and not told what to do by files of the folder it runs in. */
export function isSelfContained(program: string): boolean {
  if (program === "git" || program === "npm") return false;
  const known = [judges, writeTable, readPrograms, wrapperTable].some((table) => lookUp<unknown>(table, program));
  return known || shellPrograms.has(program);
}

/** Folders whose programs are what their name says; elsewhere `./ls` may be anything. */
const systemFolders = /^\/(usr\/)?(local\/)?s?bin\/(?=[^/]+$)/;

export function nameOfProgram(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Enough to find a secret among the words of a program that is asked about anyway. */
const maximumWords = 32;

/** Judges one program with its arguments: first what must be refused, then what is known, and the rest is asked about. */
export function judgeCall(given: Call, judge: Judge): Finding {
  const program = nameOfProgram(given.program);
  const call = program === given.program ? given : { ...given, program };
  const refused = denialOf(call, judge) ?? sendsSecret(call, judge);
  if (refused !== undefined) return denies(refused);
  const finding = judgeByTables(call, judge);
  const isNamesake = given.program.replace(systemFolders, "") !== program && finding?.verdict !== "deny";
  const known = isNamesake ? undefined : finding;
  if (known && (known.verdict !== "ask" || known.effect !== "other")) return known;
  const asked = known ?? asks(`${given.program} is not a program known to only read`);
  return touchesSecret(call, judge) ? { ...asked, secret: true } : asked;
}

/** What it does with them is not understood, but they may go wherever its output goes. A word such as `test` is not looked up as a file. */
function touchesSecret(call: Call, judge: Judge): boolean {
  if (call.stdin.secret) return true;
  const words = call.args.length > maximumWords ? call.args.slice(0, maximumWords) : call.args;
  return words.some((word) => looksLikePath.test(word.text) && namesSecret(word, call, judge));
}

const looksLikePath = /[^a-zA-Z0-9-]/;

function judgeByTables(call: Call, judge: Judge): Finding | undefined {
  const { program } = call;
  if (asksForVersion(program, call.args)) return reads(`${program} only tells its version`);
  const script = judgeHandedScript(call, judge);
  const wrapper = lookUp(wrapperTable, program);
  if (wrapper) {
    const wrapped = judgeWrapper(wrapper, call, judge);
    return script ? worse(script, wrapped) : wrapped;
  }
  if (script) return script;
  if (shellPrograms.has(program)) return judgeShell(call, judge);
  const special = lookUp(judges, program);
  if (special) return special(call, judge);
  const writer = lookUp(writeTable, program);
  if (writer) return judgeWriter(writer, call, judge);
  const reader = lookUp(readPrograms, program);
  return reader && judgeReader(reader, call, judge);
}
