import { forEachWord } from "../platform/search-words.ts";
import type { Entry } from "./entry.ts";

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthShare = 0.75;
/** With few notes every word is rare; they are weighed as if there were at least so many. */
const assumedEntries = 20;
/** A word of the title counts as often. */
const titleWeight = 2;
/** Below this an entry is not clearly about the prompt: one word in passing is not enough. */
const clearScore = 3.5;
const shareOfBest = 0.5;
const promptCharacters = 8_000;

/** Words that stand in every prompt. */
const common = new Set(
  "a about add all also an and any are as at be but by can change could do does done file files fix for from get give go has have help here how i if in into is it its just like look make me more my need new no not now of on one only or our out over please put run see should show so some than that the their them then there these they this to up us use want was way we what when where which who why will with work would write you your code test tests".split(
    " ",
  ),
);

/** Entries that are clearly about the prompt, best first. */
export function rankEntries(prompt: string, entries: readonly Entry[]): readonly Entry[] {
  const wanted = new Set([...countWords(prompt.slice(0, promptCharacters), 1).keys()]);
  const documents = entries.map((entry) => {
    const words = countWords(entry.text, 1);
    for (const [word, count] of countWords(entry.title, titleWeight)) words.set(word, (words.get(word) ?? 0) + count);
    return { entry, words, length: sum(words.values()) };
  });
  const average = Math.max(sum(documents.map(({ length }) => length)) / Math.max(documents.length, 1), 1);
  const size = Math.max(documents.length, assumedEntries);
  const weights = new Map(
    [...wanted].map((word) => [word, weightOf(documents.filter(({ words }) => words.has(word)).length, size)]),
  );
  const scored = documents.map(({ entry, words, length }) => {
    const slack = saturation * (1 - lengthShare + (lengthShare * length) / average);
    const score = sum(
      [...weights].map(([word, weight]) => {
        const count = words.get(word) ?? 0;
        return (weight * count * (saturation + 1)) / (count + slack);
      }),
    );
    return { entry, score };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score >= clearScore && score >= best * shareOfBest)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

function weightOf(holders: number, size: number): number {
  return Math.log(1 + (size - holders + 0.5) / (holders + 0.5));
}

function countWords(text: string, weight: number): Map<string, number> {
  const counts = new Map<string, number>();
  forEachWord(text, (word) => {
    if (/^\w$/.test(word) || common.has(word)) return;
    const stem = word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s)$/, "") : word;
    counts.set(stem, (counts.get(stem) ?? 0) + weight);
  });
  return counts;
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);
