import { isStatic, type Value } from "../shell/value.ts";
import type { ReadProgram } from "./judge-reader.ts";
import { hasOption, type OptionGrammar, type ParsedArguments } from "./options.ts";

/** Options before the subcommand that change neither what runs nor where it is configured. */
export const gitGlobalOptions: OptionGrammar = {
  short: "PC:",
  long: "no-pager no-optional-locks literal-pathspecs no-replace-objects",
  leading: true,
};

const diffOptions =
  "abbrev=? binary break-rewrites=? check color=? color-moved=? color-words=? compact-summary cached cc combined-all-paths " +
  "diff-algorithm= diff-filter= dirstat=? dst-prefix= exit-code find-copies=? find-copies-harder find-renames=? full-index " +
  "function-context histogram ignore-all-space ignore-blank-lines ignore-cr-at-eol ignore-space-at-eol " +
  "ignore-space-change ignore-submodules=? indent-heuristic inter-hunk-context= irreversible-delete merge-base minimal " +
  "name-only name-status no-color no-ext-diff no-index no-patch no-prefix no-renames no-textconv numstat patch " +
  "patch-with-stat patience pickaxe-all pickaxe-regex quiet raw relative=? shortstat src-prefix= staged stat=? " +
  "submodule=? summary text unified= word-diff=? word-diff-regex=";

const historyOptions =
  "abbrev-commit after= all all-match author= author-date-order before= boundary branches=? cherry cherry-mark " +
  "cherry-pick children committer= count date= date-order decorate=? decorate-refs= dense exclude= first-parent follow " +
  "format= full-history glob= graph grep= left-only left-right log-size max-count= max-parents= merges min-parents= " +
  "no-abbrev-commit no-decorate no-merges no-min-parents no-notes no-walk=? notes=? oneline parents pretty=? reflog " +
  "regexp-ignore-case extended-regexp fixed-strings perl-regexp invert-grep remotes=? reverse right-only simplify-by-decoration " +
  "simplify-merges since= skip= source sparse tags=? topo-order until= walk-reflogs";

const diffLetters = "abpRsuwzM::C::B::D::U:G:S:l:";

const diff: ReadProgram = { options: { short: diffLetters, long: diffOptions, number: true }, operands: "files" };

/** Showing a signature runs the program that the repository's settings name for checking it. */
const checksSignature = ({ options, operands }: ParsedArguments) =>
  options.some(({ value }) => asksForSignature(value)) || operands.some(asksForSignature)
    ? "a format that shows signatures runs a program of the settings"
    : undefined;

const asksForSignature = (value: Value | undefined) => value !== undefined && /%G|%\(\*?signature/.test(value.text);

const log: ReadProgram = {
  options: { short: `${diffLetters}cEFPghimrtqL:n:`, long: `${historyOptions} ${diffOptions}`, number: true },
  operands: "files",
  complaint: checksSignature,
};

const grep: ReadProgram = {
  options: {
    short: "aEFGHhIilLncopPrvWwzqA:B:C:e:f:m:",
    long:
      "after-context= all-match and basic-regexp before-context= break cached color=? column context= count " +
      "extended-regexp files-with-matches files-without-match fixed-strings full-name function-context heading " +
      "ignore-case invert-match line-number max-count= max-depth= name-only no-color no-index no-recursive not null " +
      "only-matching or perl-regexp quiet recursive show-function text untracked word-regexp",
    number: true,
  },
  operands: "files",
  patternBefore: ["-e", "-f"],
};

const anyArguments: ReadProgram = { options: "any", operands: "text" };

const listing = ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];

const branch: ReadProgram = {
  options: {
    short: "ailqrv",
    long:
      "abbrev= all color=? column=? contains=? format= ignore-case list merged=? no-abbrev no-color no-column " +
      "no-contains=? no-merged=? points-at=? remotes show-current sort= verbose",
  },
  operands: "text",
  complaint: (parsed) =>
    parsed.operands.length > 0 && !hasOption(parsed, ...listing)
      ? "creates or changes a branch"
      : checksSignature(parsed),
};

const tag: ReadProgram = {
  options: {
    short: "iln::",
    long: "color=? column=? contains=? format= ignore-case list merged=? no-contains=? no-merged=? points-at=? sort=",
  },
  operands: "text",
  complaint: (parsed) =>
    parsed.operands.length > 0 && !hasOption(parsed, ...listing) ? "creates a tag" : checksSignature(parsed),
};

const harmlessKeys =
  /^(user\.(name|email)|(core|init|branch|pull|push|merge|diff|color|alias|rebase|commit|status|log)\..+)$/i;

const config: ReadProgram = {
  options: { short: "z", long: "get get-all global local system show-origin show-scope bool int type= null default=" },
  operands: "text",
  maximumOperands: 1,
  complaint: ({ operands: [key] }) =>
    key && isStatic(key) && harmlessKeys.test(key.text) ? undefined : "may show a token or change a setting",
};

/** Git subcommands that only read; `stash list` and the like by both words. */
export const gitReadTable: Readonly<Record<string, ReadProgram>> = {
  status: {
    options: {
      short: "bsvzu::",
      long:
        "ahead-behind branch column=? find-renames=? ignore-submodules=? ignored=? long no-ahead-behind no-column " +
        "no-renames null porcelain=? renames short show-stash untracked-files=? verbose",
    },
    operands: "text",
  },
  log,
  show: log,
  whatchanged: log,
  reflog: log,
  "reflog show": log,
  "stash list": log,
  "stash show": log,
  "rev-list": log,
  shortlog: {
    ...log,
    options: { short: `${diffLetters}censL:n:w::`, long: `${historyOptions} email numbered summary` },
  },
  diff,
  "diff-tree": {
    ...diff,
    options: { short: `${diffLetters}crtm`, long: `${diffOptions} no-commit-id root`, number: true },
  },
  "diff-index": diff,
  "diff-files": diff,
  "range-diff": diff,
  grep,
  branch,
  tag,
  config,
  blame: {
    options: {
      short: "bcCefhlMnpstwL:",
      long: "abbrev= color-by-age color-lines date= incremental line-porcelain porcelain root show-email show-name show-number",
    },
    operands: "files",
  },
  "cat-file": { options: { short: "epstZ" }, operands: "files" },
  "symbolic-ref": { options: { short: "q", long: "quiet short" }, operands: "text", maximumOperands: 1 },
  remote: { options: { short: "v", long: "verbose" }, operands: "none" },
  "remote get-url": { options: { long: "all push" }, operands: "text" },
  "worktree list": anyArguments,
  "notes list": anyArguments,
  "bisect log": anyArguments,
  "submodule status": { options: { long: "cached" }, operands: "none" },
  "rev-parse": anyArguments,
  "ls-files": { ...anyArguments, listsFiles: true },
  "ls-tree": { ...anyArguments, listsFiles: true },
  "show-ref": {
    options: { short: "dhqs::", long: "abbrev=? branches dereference hash=? head heads quiet tags verify" },
    operands: "text",
  },
  "for-each-ref": { ...anyArguments, complaint: checksSignature },
  "merge-base": anyArguments,
  "name-rev": anyArguments,
  "count-objects": anyArguments,
  "check-ignore": anyArguments,
  "check-attr": anyArguments,
  cherry: anyArguments,
  describe: anyArguments,
  version: anyArguments,
};

/** Global options whose value is a word of its own. */
export function takesGitValue(option: string): boolean {
  return /^(-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(option);
}
