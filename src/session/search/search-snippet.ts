import type { SearchHit } from "../../contracts/saved-session.ts";
import type { Match } from "./search-query.ts";

const before = 60;
const longest = 220;

/** The surroundings of the first match as one line, with all matches in it marked. */
export function snippetAround(text: string, matches: readonly Match[]): Pick<SearchHit, "snippet" | "marks"> {
  const sorted = matches.toSorted((a, b) => a.start - b.start);
  const first = sorted[0] ?? { start: 0, end: 0 };
  const start = wordBreak(text, Math.max(0, first.start - before), first.start);
  const end = Math.min(text.length, Math.max(start + longest, first.end));
  const marks: { start: number; end: number }[] = [];
  let snippet = start > 0 ? "…" : "";
  let at = start;
  const add = (to: number) => {
    const piece = text.slice(at, to).replace(/\s+/g, " ");
    snippet += snippet.endsWith(" ") ? piece.trimStart() : piece;
    at = Math.max(at, to);
  };
  for (const match of sorted) {
    if (match.start < at || match.end > end) continue;
    add(match.start);
    const from = snippet.length;
    add(match.end);
    marks.push({ start: from, end: snippet.length });
  }
  add(end);
  return { snippet: snippet.trimEnd() + (end < text.length ? "…" : ""), marks };
}

/** The first blank from a place on, so that no word is cut at its beginning; the place itself when there is none near. */
function wordBreak(text: string, from: number, to: number): number {
  if (from === 0) return 0;
  const blank = text.slice(from, to).search(/\s/);
  return blank < 0 || blank > before / 2 ? from : from + blank + 1;
}
