/**
 * A text with every line end as `\n`, so that line ends compare as equal, and the way back to the original.
 * Carriage returns are line ends only before `\n`, or alone in a text that has no `\n` at all.
 */
export type FoldedText = {
  readonly text: string;
  /** Folds a text of the model's the same way. */
  fold(other: string): string;
  /** Position in the original of a position in `text`. */
  original(position: number): number;
  /** `replacement` with the line ends that belong between `start` and `end` of `text`. */
  unfold(replacement: string, start: number, end: number): string;
};

const foldPairs = (text: string) => text.replaceAll("\r\n", "\n");

export function foldLineEnds(raw: string): FoldedText {
  if (!raw.includes("\r")) return plainText(raw);
  return raw.includes("\n") ? pairedText(raw) : carriageReturnText(raw);
}

function plainText(raw: string): FoldedText {
  const hasLineEnds = raw.includes("\n");
  // A text of a single line has no line ends of its own to keep: new ones come as the model wrote them.
  return {
    text: raw,
    fold: foldPairs,
    original: (position) => position,
    unfold: (text) => (hasLineEnds ? foldPairs(text) : text),
  };
}

function carriageReturnText(raw: string): FoldedText {
  const fold = (other: string) => foldPairs(other).replaceAll("\r", "\n");
  return {
    text: fold(raw),
    fold,
    original: (position) => position,
    unfold: (text) => fold(text).replaceAll("\n", "\r"),
  };
}

function pairedText(raw: string): FoldedText {
  const text = foldPairs(raw);
  const pairs = pairPositions(raw);
  const isUniform = pairs.length === countLineEnds(text);
  const endAt = (position: number) => (pairs[pairsBefore(pairs, position)] === position ? "\r\n" : "\n");
  return {
    text,
    fold: foldPairs,
    original: (position) => position + pairsBefore(pairs, position),
    unfold(replacement, start, end) {
      const folded = foldPairs(replacement);
      return isUniform ? folded.replaceAll("\n", "\r\n") : mixedEnds({ text, endAt, folded, start, end });
    },
  };
}

/** Positions in the folded text of the line ends that are `\r\n` in the original. */
function pairPositions(raw: string): number[] {
  const found: number[] = [];
  for (let at = raw.indexOf("\r\n"); at >= 0; at = raw.indexOf("\r\n", at + 2)) found.push(at - found.length);
  return found;
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function pairsBefore(pairs: readonly number[], position: number): number {
  let low = 0;
  let high = pairs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pairs[middle] as number) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

type MixedPlace = {
  readonly text: string;
  readonly endAt: (position: number) => string;
  readonly folded: string;
  readonly start: number;
  readonly end: number;
};

/** Lines that stay keep their own line end; new ones take that of the line they stand in for, else of their neighbour. */
function mixedEnds({ text, endAt, folded, start, end }: MixedPlace): string {
  const before = text.slice(start, end).split("\n");
  const after = folded.split("\n");
  const ends: string[] = [];
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) ends.push(endAt(at));
  const following = text.indexOf("\n", end);
  const neighbour = ends.at(-1) ?? endAt(following >= 0 ? following : text.lastIndexOf("\n", start));
  const sameHead = countSame(before, after);
  const sameTail = countSame(before.toReversed(), after.toReversed());
  const endAfter = (index: number) => {
    const fromBack = after.length - 1 - index;
    if (index < sameHead) return ends[index];
    if (fromBack <= sameTail) return ends[ends.length - fromBack];
    return ends[Math.max(0, Math.min(index, ends.length - 1 - sameTail))];
  };
  return after
    .map((line, index) => (index === after.length - 1 ? line : line + (endAfter(index) ?? neighbour)))
    .join("");
}

/** How many lines at the beginning are the same; the shorter text's last line is none of them. */
function countSame(before: readonly string[], after: readonly string[]): number {
  const most = Math.min(before.length, after.length) - 1;
  let same = 0;
  while (same < most && before[same] === after[same]) same++;
  return same;
}
