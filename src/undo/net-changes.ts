import type { FileChange, FileState } from "../contracts/file-change.ts";
import { isSameState } from "./file-states.ts";

/** All that happened to one path. */
export type NetChange = {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
  /** Somebody else changed it between two of these changes. */
  readonly isBroken: boolean;
};

type Chain = { readonly states: (FileState | undefined)[]; isBroken: boolean };

/** One a path, sorted by path; what came to nothing is left out. */
export function netChanges(changes: readonly FileChange[]): NetChange[] {
  const chains = new Map<string, Chain>();
  for (const change of changes) {
    const chain = chains.get(change.path);
    if (chain) extend(chain, change);
    else chains.set(change.path, { states: [change.before, change.after], isBroken: false });
  }
  return [...chains]
    .map(([path, { states, isBroken }]) => ({ path, before: states[0], after: states.at(-1), isBroken }))
    .filter(({ before, after }) => !isSameState(before, after))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function extend(chain: Chain, { before, after }: FileChange): void {
  const last = chain.states.at(-1);
  if (!isSameState(before, last)) {
    // Two pieces of work side by side may both have seen the same change.
    if (isSameState(after, last) && chain.states.some((state) => isSameState(state, before))) return;
    chain.isBroken = true;
  }
  chain.states.push(after);
}
