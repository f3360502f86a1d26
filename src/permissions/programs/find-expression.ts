import { isStatic, startsKnown, type Value } from "../shell/value.ts";

const plainTests = new Set([
  ...["-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-readable", "-writable", "-executable", "-nouser"],
  ...["-nogroup", "-depth", "-d", "-xdev", "-mount", "-follow", "-daystart", "-noleaf", "-true", "-false", "-warn"],
  ...["-nowarn", "-ignore_readdir_race", "-not", "!", "-a", "-and", "-o", "-or", "(", ")", ","],
]);

const testsWithValue = new Set([
  ...["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname"],
  ...["-type", "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-anewer"],
  ...["-cnewer", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-uid", "-gid", "-links", "-inum", "-samefile"],
  ...["-fstype", "-regextype", "-used", "-printf"],
]);

const runners = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

export type FindExpression = {
  /** Where the search starts. */
  readonly roots: readonly Value[];
  readonly deletes: boolean;
  /** The words of each program that is run for what is found. */
  readonly runs: readonly (readonly Value[])[];
  /** The first thing that is not known to be harmless. */
  readonly problem: string | undefined;
};

export function readFindExpression(args: readonly Value[]): FindExpression {
  const start = args.findIndex((word) => startsKnown(word) && /^(-[^HLPO]|-.{2,}|[!(),])/.test(word.text));
  const leading = start < 0 ? args : args.slice(0, start);
  const roots = leading.filter((word) => !/^-[HLPO]\d?$/.test(word.text));
  const expression = start < 0 ? [] : args.slice(start);
  const runs: Value[][] = [];
  let deletes = false;
  const areFixed = roots.every((root) => startsKnown(root) && !root.maySplit);
  let problem = areFixed ? undefined : "a starting point could turn out to be an action";
  for (let at = 0; at < expression.length; at++) {
    const word = expression[at];
    if (word === undefined) break;
    if (runners.has(word.text)) {
      const end = expression.findIndex((other, index) => index > at && /^[;+]$/.test(other.text));
      runs.push(expression.slice(at + 1, end < 0 ? undefined : end));
      at = end < 0 ? expression.length : end;
    } else if (word.text === "-delete") deletes = true;
    else if (testsWithValue.has(word.text) || /^-newer[aBcmt]{2}$/.test(word.text)) {
      const value = expression[++at];
      if (value && !isSafePattern(value)) problem ??= `the pattern ${value.text} is known only when it runs`;
    } else if (!isStatic(word) || !plainTests.has(word.text))
      problem ??= `${word.text} is not a test known to be harmless`;
  }
  return { roots, deletes, runs, problem };
}

/** An unquoted `*.ts` becomes file names; none that ends so is an action of find. */
function isSafePattern(value: Value): boolean {
  return isStatic(value) || (value.unknownAt < 0 && /\.\w+$/.test(value.text));
}
