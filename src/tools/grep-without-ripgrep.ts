import { basename } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { listByWalking } from "../platform/list-files.ts";
import { searchText } from "../platform/search-text.ts";
import { selectWith } from "./glob-pattern.ts";
import { type GrepInput, type GrepSearch, type SearchEnding, spansLines } from "./grep-search.ts";

/** ECMAScript instead of ripgrep's syntax: they differ in corners only, such as a flag at the front. */
function toRegExp({ pattern, case_insensitive }: GrepInput): RegExp {
  if (spansLines(pattern))
    throw new ToolError(
      "Patterns over several lines need ripgrep, which is not installed. Search for one of the lines.",
    );
  const inline = /^\(\?i\)/.exec(pattern);
  try {
    return new RegExp(inline ? pattern.slice(4) : pattern, inline || case_insensitive ? "i" : "");
  } catch (error) {
    throw new ToolError(
      `Invalid regex ${pattern}\n${(error as Error).message}\nTo search for the characters themselves, escape them with a backslash.`,
    );
  }
}

export async function grepWithoutRipgrep(search: GrepSearch): Promise<SearchEnding> {
  const { given, base, scope, signal, accepts, results } = search;
  const pattern = toRegExp(given);
  const giveUp = performance.now() + search.timeLimitMs;
  const listing =
    base.kind === "file"
      ? { paths: [basename(base.path)], complete: true }
      : await listByWalking({
          scope,
          select: selectWith(given.include ?? "", accepts),
          signal,
          timeLimitMs: search.timeLimitMs,
        });
  const isContent = (given.output ?? "content") === "content";
  const ending = await searchText({
    base: scope.base,
    paths: listing.paths,
    pattern,
    context: isContent ? (given.context ?? 0) : 0,
    signal,
    timeLimitMs: Math.max(1, giveUp - performance.now()),
    onFile(path, found) {
      if (!isContent) return results.addCount(path, found.length);
      return found.map((line) => results.add(path, line)).includes("enough") ? "enough" : "more";
    },
  });
  return ending === "finished" && !listing.complete ? "time-limit" : ending;
}
