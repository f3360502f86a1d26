import { takesGitValue } from "./git-table.ts";

type Loss = (words: readonly string[]) => boolean;

const has =
  (...shapes: readonly RegExp[]): Loss =>
  (words) =>
    shapes.some((shape) => words.some((word) => shape.test(word)));

/** Subcommands that throw work away which no commit holds, or the way back to commits. */
const losses: Readonly<Record<string, Loss>> = {
  clean: (words) => !words.some((word) => /^(-[a-z]*n[a-z]*|--dry-run)$/.test(word)),
  reset: has(/^--(hard|merge|keep)$/),
  checkout: has(/^(-[a-zA-Z]*f|--force|--|\.|:\/)$/),
  switch: has(/^(-f|--force|--discard-changes)$/),
  restore: (words) => !words.includes("--staged") || words.includes("--worktree"),
  stash: has(/^(drop|clear)$/),
  branch: has(/^(-D|-[a-zA-Z]*f|--force)$/),
  reflog: has(/^(expire|delete)$/),
  "update-ref": has(/^(-d|--delete)$/),
  "filter-branch": () => true,
  gc: has(/^--prune/),
  rm: has(/^(-[a-z]*f|--force)$/),
};

/** The subcommand that loses work; undefined when none does. */
export function gitLoss(words: readonly string[]): string | undefined {
  const at = words.findIndex((word, index) => !word.startsWith("-") && !takesGitValue(words[index - 1] ?? ""));
  const name = words[at];
  if (name === undefined || !Object.hasOwn(losses, name)) return undefined;
  return losses[name]?.(words.slice(at + 1)) ? name : undefined;
}
