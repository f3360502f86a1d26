import { skeletonOf } from "./text-skeleton.ts";

const mostLines = 100_000;

/** Lines of the file, counted from 0, where text like `old` may begin; best first. */
export function nearestLines(fileLines: readonly string[], old: string, most: number): number[] {
  const wanted = old.split("\n").map((line) => skeletonOf(line).text);
  const lines = fileLines.slice(0, mostLines).map((line) => skeletonOf(line.slice(0, 1000)).text);
  const starts = alignedStarts(lines, wanted);
  return (starts.length > 0 ? starts : likeliestLines(fileLines.slice(0, mostLines), old)).slice(0, most);
}

/** Every line found again votes for the place where the whole would begin; a rare line counts more than a lone brace. */
function alignedStarts(lines: readonly string[], wanted: readonly string[]): number[] {
  const places = new Map<string, number[]>();
  const interesting = new Set(wanted.filter((line) => line.length >= 3));
  lines.forEach((line, index) => {
    if (!interesting.has(line)) return;
    const known = places.get(line);
    if (known) known.push(index);
    else places.set(line, [index]);
  });
  const votes = new Map<number, number>();
  wanted.forEach((line, index) => {
    const found = places.get(line) ?? [];
    for (const place of found.slice(0, 100)) {
      const start = Math.max(0, place - index);
      votes.set(start, (votes.get(start) ?? 0) + 1 / found.length);
    }
  });
  return [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([start]) => start);
}

/** By shared words with the longest line of `old`. */
function likeliestLines(lines: readonly string[], old: string): number[] {
  const longest = old.split("\n").reduce((a, b) => (b.trim().length > a.trim().length ? b : a));
  const wanted = wordsOf(longest);
  const scored = lines.map((line, index) => {
    const words = wordsOf(line.slice(0, 1000));
    const shared = [...words].filter((word) => wanted.has(word)).length;
    return { index, score: (2 * shared) / (words.size + wanted.size || 1) };
  });
  return scored
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score)
    .map(({ index }) => index);
}

function wordsOf(line: string): Set<string> {
  return new Set(line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}
