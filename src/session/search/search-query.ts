import { exitCode, UserError } from "../../contracts/errors.ts";
import { forEachWord, isWordEnd, isWordStart } from "../../platform/search-words.ts";

/** A word or a phrase that is looked for. */
export type SearchTerm = {
  readonly text: string;
  /** By which the index knows it; none for signs alone. */
  readonly words: readonly string[];
  /** A single word may go on: `sess` finds `session`. */
  readonly isOpen: boolean;
};

export type Match = { readonly start: number; readonly end: number };

export type Matcher = (searched: string) => Match[];

/** Fewer letters begin too many words. */
const shortestBeginning = 3;

/** Words, and phrases in quotes. All have to be found. Throws UserError 42 when there is nothing to look for. */
export function parseQuery(query: string): readonly SearchTerm[] {
  const terms = [...query.normalize("NFC").matchAll(/"([^"]*)"|“([^”]*)”|([^\s"]+)/g)]
    .map(([, straight, curly, bare]) => termOf(straight ?? curly ?? bare ?? "", { isQuoted: bare === undefined }))
    .filter(({ text }) => text !== "");
  if (!terms.some(({ words }) => words.length > 0))
    throw new UserError(
      exitCode.usage,
      `There is no word to look for in ${JSON.stringify(query)}. Give words, or a phrase in quotes: corecoder sessions search 'retry "rate limit"'.`,
    );
  return terms;
}

function termOf(given: string, { isQuoted }: { isQuoted: boolean }): SearchTerm {
  const text = given.trim();
  const words: string[] = [];
  // pieces of a compound word are found with it
  forEachWord(text.toLowerCase(), (word) => words.push(word));
  return { text, words, isOpen: !isQuoted && words.length === 1 && (words[0]?.length ?? 0) >= shortestBeginning };
}

/** Where a term stands in a text, capitals or not, blanks of any kind and number. Linear in the text for each term. */
export function createMatcher({ text, isOpen }: SearchTerm): Matcher {
  const pattern = text
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("\\s+");
  const anywhere = new RegExp(pattern, "giu");
  return (searched) => {
    const matches: Match[] = [];
    for (const { index, 0: found } of searched.matchAll(anywhere)) {
      const end = index + found.length;
      if (isWordStart(searched, index) && (isOpen || isWordEnd(searched, end))) matches.push({ start: index, end });
    }
    return matches;
  };
}
