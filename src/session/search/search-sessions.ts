import type { FoundSession, ListedSession, SearchHit } from "../../contracts/saved-session.ts";
import { openRandomAccess, type RandomAccess } from "../../platform/random-access.ts";
import { removeAll } from "../../platform/remove-files.ts";
import { DamagedSegment } from "./open-segment.ts";
import { type RankedSession, rankSessions } from "./rank-sessions.ts";
import { recordsIn } from "./records-in.ts";
import { openSearchIndex, type SearchIndex, type SearchIndexOptions } from "./search-index.ts";
import { createMatcher, type Matcher, parseQuery, type SearchTerm } from "./search-query.ts";
import { snippetAround } from "./search-snippet.ts";
import { searchableTexts } from "./searchable-text.ts";

export type SearchOptions = SearchIndexOptions & {
  readonly query: string;
  readonly sessionAt: (path: string) => ListedSession | undefined;
  /** How many sessions are given back. */
  readonly limit: number;
};

export type SearchAnswer = {
  readonly found: readonly FoundSession[];
  /** Are there more than were given back? */
  readonly hasMore: boolean;
};

const hitsShown = 3;
const attempts = 3;

/** Full-text search over all logs. Throws as parseQuery does. The index says where to look; what is given back was read from the logs themselves. */
export function searchSessions(options: SearchOptions): SearchAnswer {
  const terms = parseQuery(options.query);
  for (let attempt = 1; ; attempt++) {
    const index = openSearchIndex(options);
    try {
      return answer(index, terms, options);
    } catch (error) {
      if (!(error instanceof DamagedSegment) || attempt === attempts) throw error;
      removeAll(error.path);
    } finally {
      index.close();
    }
  }
}

function answer(index: SearchIndex, terms: readonly SearchTerm[], { sessionAt, limit }: SearchOptions): SearchAnswer {
  const matchers = terms.map(createMatcher);
  const found: FoundSession[] = [];
  for (const ranked of rankSessions(index, terms)) {
    const hits = hitsIn(ranked, { terms, matchers });
    if (hits === undefined) continue;
    if (found.length === limit) return { found, hasMore: true };
    const session = sessionAt(ranked.path);
    if (session) found.push({ session, score: ranked.score, hits });
  }
  return { found, hasMore: false };
}

type Candidate = { readonly hit: SearchHit; readonly worth: number; readonly terms: readonly number[] };
type Looking = { readonly terms: readonly SearchTerm[]; readonly matchers: readonly Matcher[] };

/** The best places in one session; undefined when the words are not all there as they were asked for. */
function hitsIn({ path, documents }: RankedSession, looking: Looking): readonly SearchHit[] | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  const candidates: Candidate[] = [];
  const missing = new Set(looking.terms.keys());
  const mayHold = (scores: readonly number[]) =>
    [...missing].some((term) => scores[term] !== 0 || looking.terms[term]?.words.length === 0);
  try {
    for (const { offset, bytes, scores } of documents()) {
      if (candidates.length >= hitsShown && !mayHold(scores)) continue;
      for (const candidate of candidatesIn(file.read(offset, bytes), looking.matchers)) {
        candidates.push(candidate);
        for (const term of candidate.terms) missing.delete(term);
      }
    }
  } finally {
    file.close();
  }
  return missing.size > 0 ? undefined : choose(candidates, looking.terms.length);
}

function openIfThere(path: string): RandomAccess | undefined {
  try {
    return openRandomAccess(path);
  } catch {
    return undefined;
  }
}

function* candidatesIn(bytes: Buffer, matchers: readonly Matcher[]): Generator<Candidate> {
  for (const { entry, time } of recordsIn(bytes))
    for (const { role, tool, text, weight } of searchableTexts(entry)) {
      const found = matchers.map((matcher) => matcher(text));
      const terms = [...found.keys()].filter((term) => found[term]?.length !== 0);
      if (terms.length === 0) continue;
      // the first of each word, then the others, so that one frequent word does not fill the snippet
      const matches = [...found.flatMap((each) => each.slice(0, 1)), ...found.flatMap((each) => each.slice(1, 20))];
      const worth = terms.length * 100 + weight * 10 + Math.min(matches.length, 9);
      yield { hit: { time, role, tool, ...snippetAround(text, matches) }, worth, terms };
    }
}

/** The best ones that together hold every word, in the order in which they were said. */
function choose(candidates: readonly Candidate[], terms: number): readonly SearchHit[] {
  const missing = new Set(Array.from({ length: terms }, (_, term) => term));
  const seen = new Set<string>();
  const rest = candidates
    .toSorted((a, b) => b.worth - a.worth)
    // the same output of the same command says nothing new
    .filter(({ hit }) => !seen.has(hit.snippet) && seen.add(hit.snippet));
  const chosen: Candidate[] = [];
  while (rest.length > 0 && (chosen.length < hitsShown || missing.size > 0)) {
    const useful = rest.findIndex(
      (candidate) => missing.size === 0 || candidate.terms.some((term) => missing.has(term)),
    );
    const [next] = rest.splice(Math.max(useful, 0), 1) as [Candidate];
    chosen.push(next);
    for (const term of next.terms) missing.delete(term);
  }
  return chosen.map(({ hit }) => hit).sort((a, b) => a.time - b.time);
}
