/** A piece of a line, and whether the other line has it too. */
export type MarkedPiece = { readonly text: string; readonly isChanged: boolean };

const mostWords = 150;
/** Lines that share less than this are two different lines: marks would only be noise. */
const leastShared = 0.35;

/** Which words of two lines differ; undefined when the lines have too little in common. */
export function markWords(before: string, after: string): { before: MarkedPiece[]; after: MarkedPiece[] } | undefined {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [oldMiddle, newMiddle] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const shared = oldMiddle.length > mostWords || newMiddle.length > mostWords ? [] : sharedWords(oldMiddle, newMiddle);
  const kept = (words: readonly string[], side: 0 | 1) => {
    const same = new Set(shared.map((pair) => pair[side] + start));
    return words.map((text, at) => ({
      text,
      isChanged: !(at < start || at >= words.length - end || same.has(at)),
    }));
  };
  const result = { before: joined(kept(old, 0)), after: joined(kept(now, 1)) };
  return sharedPart(result.before, before) >= leastShared && sharedPart(result.after, after) >= leastShared
    ? result
    : undefined;
}

const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

function sharedPart(pieces: readonly MarkedPiece[], line: string): number {
  const letters = (text: string) => text.replace(/\s/g, "").length;
  const whole = letters(line);
  if (whole === 0) return 0;
  return pieces.reduce((sum, { text, isChanged }) => sum + (isChanged ? 0 : letters(text)), 0) / whole;
}

/** The longest common series, as pairs of places. */
function sharedWords(old: readonly string[], now: readonly string[]): [number, number][] {
  const columns = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * columns);
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      lengths[row * columns + column] =
        old[row] === now[column]
          ? (lengths[(row + 1) * columns + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * columns + column] ?? 0, lengths[row * columns + column + 1] ?? 0);
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < old.length && column < now.length; ) {
    if (old[row] === now[column]) pairs.push([row++, column++]);
    else if ((lengths[(row + 1) * columns + column] ?? 0) >= (lengths[row * columns + column + 1] ?? 0)) row++;
    else column++;
  }
  return pairs;
}

/** Neighbours alike become one, and a lone space between two changes belongs to them. */
function joined(pieces: readonly MarkedPiece[]): MarkedPiece[] {
  const done: { text: string; isChanged: boolean }[] = [];
  for (const [at, piece] of pieces.entries()) {
    const isBetween =
      /^\s+$/.test(piece.text) && pieces[at - 1]?.isChanged === true && pieces[at + 1]?.isChanged === true;
    const isChanged = piece.isChanged || isBetween;
    const last = done.at(-1);
    if (last?.isChanged === isChanged) last.text += piece.text;
    else done.push({ text: piece.text, isChanged });
  }
  return done;
}
