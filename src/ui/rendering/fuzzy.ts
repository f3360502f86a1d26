/** Items whose text has all characters of the query in order, the best first. Without a query all of them, as they are. */
export function fuzzyFilter<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  const wanted = query.replace(/\s+/g, "").toLowerCase();
  if (wanted === "") return [...items];
  const found: { item: T; score: number; length: number; at: number }[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as T;
    const text = textOf(item);
    const score = fuzzyScore(text, text.toLowerCase(), wanted);
    if (score !== undefined) found.push({ item, score, length: text.length, at });
  }
  found.sort((a, b) => b.score - a.score || a.length - b.length || a.at - b.at);
  return found.map(({ item }) => item);
}

const perCharacter = 4;
const consecutive = 6;
const wordStart = 8;
const inBasename = 3;
const wholeBasename = 40;
const startOfBasename = 16;
const missed = 1;

/**
 * How well a text, given also in small letters, answers a query in small letters; undefined when it does not. Counts: characters in a row, beginnings of words and of path
 * segments, and being in the last segment, which is looked at by itself first.
 */
export function fuzzyScore(text: string, lower: string, query: string): number | undefined {
  if (!hasInOrder(lower, query)) return undefined;
  const base = baseStart(text);
  const inName = query.includes("/") ? undefined : scoreFrom(text, lower, query, base);
  const named = inName === undefined ? 0 : inName + nameBonus(lower, query, base) + inBasename * query.length;
  // nothing further up can be better than a run in the name
  return named > query.length * (perCharacter + consecutive)
    ? named
    : Math.max(named, scoreFrom(text, lower, query, 0) ?? 0);
}

function hasInOrder(lower: string, query: string): boolean {
  let at = 0;
  for (let place = 0; place < query.length; place++) {
    at = lower.indexOf(query[place] as string, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** A folder's own name ends in `/`. */
function baseStart(text: string): number {
  return text.lastIndexOf("/", text.length - 2) + 1;
}

function nameBonus(lower: string, query: string, base: number): number {
  if (!lower.startsWith(query, base)) return 0;
  const rest = lower.slice(base + query.length);
  return rest === "" || rest === "/" || /^\.[^.]*$/.test(rest) ? wholeBasename : startOfBasename;
}

/** A whole run is tried first: that is what people type most. Otherwise each character at the next beginning of a word, else where it comes. */
function scoreFrom(text: string, lower: string, query: string, from: number): number | undefined {
  const run = bestRun(text, lower, query, from);
  if (run >= 0) return query.length * (perCharacter + consecutive) + (isWordStart(text, run) ? wordStart : 0);
  let score = 0;
  let at = from;
  let last = -2;
  for (let place = 0; place < query.length; place++) {
    const character = query[place] as string;
    const next = lower.indexOf(character, at);
    if (next < 0) return undefined;
    const start = next === last + 1 ? next : startOfWord(text, lower, { character, from: next, rest: query, place });
    score += perCharacter - Math.min(missed * (start - at), perCharacter - 1);
    if (start === last + 1) score += consecutive;
    if (isWordStart(text, start)) score += wordStart;
    last = start;
    at = start + 1;
  }
  return score;
}

/** The first run that begins a word, else the first one; -1 when there is none. */
function bestRun(text: string, lower: string, query: string, from: number): number {
  const first = lower.indexOf(query, from);
  for (let at = first; at >= 0; at = lower.indexOf(query, at + 1)) if (isWordStart(text, at)) return at;
  return first;
}

type Wanted = { readonly character: string; readonly from: number; readonly rest: string; readonly place: number };

/** A later place that begins a word is better, as long as the rest of the query still fits behind it. */
function startOfWord(text: string, lower: string, { character, from, rest, place }: Wanted): number {
  for (let at = from; at >= 0 && at < from + 40; at = lower.indexOf(character, at + 1))
    if (isWordStart(text, at)) return at === from || hasInOrder(lower.slice(at + 1), rest.slice(place + 1)) ? at : from;
  return from;
}

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (!isLetterOrDigit(before)) return true;
  const code = text.charCodeAt(at);
  return code >= 0x41 && code <= 0x5a && !(before >= 0x41 && before <= 0x5a);
}

function isLetterOrDigit(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code > 0x7f
  );
}
