import type { Segment } from "./open-segment.ts";
import { pairsOf } from "./pair-filter.ts";
import type { SearchIndex } from "./search-index.ts";
import type { SearchTerm } from "./search-query.ts";

export type RankedDocument = {
  readonly offset: number;
  readonly bytes: number;
  /** For each term what it adds; 0 where it is missing. */
  readonly scores: readonly number[];
};

export type RankedSession = {
  readonly path: string;
  readonly score: number;
  /** Best first. */
  documents(): readonly RankedDocument[];
};

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthShare = 0.75;

/** One segment with the paths of the logs that still count, and what each term found in it: document to score. */
type Searched = {
  readonly segment: Segment;
  readonly paths: readonly (string | undefined)[];
  readonly scores: Map<number, number>[];
};

type Standing = { readonly best: number[]; together: number };

/** Sessions that hold every term, best first: rare words count more, and words that stand together. */
export function rankSessions(index: SearchIndex, terms: readonly SearchTerm[]): readonly RankedSession[] {
  const searched = index.segments.map((segment): Searched => {
    return { segment, paths: segment.logs.map((_, log) => index.fileOf(segment, log)?.path), scores: [] };
  });
  const size = sizeOf(searched);
  for (const term of terms) scoreTerm(term, searched, size);
  const standings = new Map<string, Standing>();
  for (const { segment, paths, scores } of searched) {
    for (const document of documentsIn(scores)) {
      const path = paths[segment.documents.log[document] as number] as string;
      const standing = standings.get(path) ?? { best: terms.map(() => 0), together: 0 };
      standings.set(path, standing);
      let together = 0;
      for (const [term, found] of scores.entries()) {
        const score = found.get(document) ?? 0;
        together += score;
        standing.best[term] = Math.max(standing.best[term] as number, score);
      }
      standing.together = Math.max(standing.together, together);
    }
  }
  return [...standings]
    .filter(([, { best }]) => terms.every(({ words }, term) => words.length === 0 || best[term] !== 0))
    .map(([path, { best, together }]): RankedSession => {
      return { path, score: sum(best) + together, documents: () => documentsOf(path, searched) };
    })
    .sort((a, b) => b.score - a.score);
}

/** All that any term found. */
function documentsIn(scores: readonly ReadonlyMap<number, number>[]): Iterable<number> {
  const [only = new Map<number, number>()] = scores;
  return scores.length < 2 ? only.keys() : new Set(scores.flatMap((found) => [...found.keys()]));
}

function documentsOf(path: string, searched: readonly Searched[]): readonly RankedDocument[] {
  const found: RankedDocument[] = [];
  for (const { segment, paths, scores: byTerm } of searched) {
    const log = paths.indexOf(path);
    if (log < 0) continue;
    const { documents } = segment;
    // the documents of a log follow each other
    for (let document = firstDocument(documents.log, log); documents.log[document] === log; document++) {
      const scores = byTerm.map((scored) => scored.get(document) ?? 0);
      const [offset, bytes] = [documents.offset[document] as number, documents.bytes[document] as number];
      if (scores.some((score) => score > 0)) found.push({ offset, bytes, scores });
    }
  }
  return found.sort((a, b) => sum(b.scores) - sum(a.scores));
}

function firstDocument(logs: Uint32Array, log: number): number {
  let low = 0;
  let high = logs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((logs[middle] as number) < log) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Of what still counts. */
function sizeOf(searched: readonly Searched[]): { readonly documents: number; readonly averageWords: number } {
  let documents = 0;
  let words = 0;
  for (const { segment, paths } of searched) {
    const { count, log, words: counts } = segment.documents;
    for (let document = 0; document < count; document++) {
      if (paths[log[document] as number] === undefined) continue;
      documents++;
      words += counts[document] as number;
    }
  }
  return { documents, averageWords: Math.max(words / Math.max(documents, 1), 1) };
}

/** A term stands in a document when all its words do, side by side as far as the index can tell. */
function scoreTerm(term: SearchTerm, searched: readonly Searched[], size: ReturnType<typeof sizeOf>): void {
  const match = term.isOpen ? "beginning" : "whole";
  const words = term.words.map((word) => {
    const found = searched.map(({ segment, paths }) => {
      const counts = segment.find(word, match);
      for (const document of counts.keys())
        if (paths[segment.documents.log[document] as number] === undefined) counts.delete(document);
      return counts;
    });
    const holders = sum(found.map((counts) => counts.size));
    return { found, weight: Math.log(1 + (size.documents - holders + 0.5) / (holders + 0.5)) };
  });
  const pairs = pairsOf(term.words);
  for (const [at, { segment, scores }] of searched.entries()) {
    const scored = new Map<number, number>();
    scores.push(scored);
    for (const document of words[0]?.found[at]?.keys() ?? []) {
      const isThere = words.every(({ found }) => found[at]?.has(document));
      if (!isThere || (pairs.length > 0 && !segment.mayHold(document, pairs))) continue;
      const length = (segment.documents.words[document] as number) / size.averageWords;
      const slack = saturation * (1 - lengthShare + lengthShare * length);
      const score = words.reduce((total, { found, weight }) => {
        const count = found[at]?.get(document) ?? 0;
        return total + (weight * count * (saturation + 1)) / (count + slack);
      }, 0);
      scored.set(document, score);
    }
  }
}
