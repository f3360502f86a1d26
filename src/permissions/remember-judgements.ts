import type { CommandScope } from "./shell/command-scope.ts";

/** A judgement with a way to tell whether what it saw of the file system is still so. */
export type Checked<T> = { readonly judgement: T; stillHolds(): boolean };

const maximumKept = 500;
const maximumLength = 2000;

/**
 * The same command again is not judged again, as long as every path that was looked at still leads to where it led. Kept from the
 * second time on: most commands never come back, and keeping each would cost more than judging it.
 */
export function rememberJudgements<T>(
  judge: (command: string, scope: CommandScope) => Checked<T>,
): (command: string, scope: CommandScope) => T {
  const kept = new Map<string, Checked<T> & { readonly scope: CommandScope }>();
  let seen = new Set<string>();
  return (command, scope) => {
    const known = kept.get(command);
    if (known && isSameScope(known.scope, scope) && known.stillHolds()) return known.judgement;
    const judged = judge(command, scope);
    if (seen.has(command)) {
      kept.delete(command);
      kept.set(command, { ...judged, scope });
      if (kept.size > maximumKept) kept.delete(kept.keys().next().value ?? "");
    } else if (command.length <= maximumLength) {
      if (seen.size >= maximumKept) seen = new Set();
      seen.add(command);
    }
    return judged.judgement;
  };
}

function isSameScope(a: CommandScope, b: CommandScope): boolean {
  return (
    a === b ||
    (a.cwd === b.cwd &&
      a.root === b.root &&
      a.home === b.home &&
      a.stateFolder === b.stateFolder &&
      a.writableRoots.length === b.writableRoots.length &&
      a.writableRoots.every((root, at) => root === b.writableRoots[at]))
  );
}
