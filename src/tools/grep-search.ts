import type { Infer } from "../contracts/schema.ts";
import { boolean, integer, object, oneOf, optional, string } from "../contracts/schema.ts";
import type { SearchScope } from "../platform/search-scope.ts";
import type { GrepResults } from "./grep-results.ts";
import type { IncludeFilter } from "./include-filter.ts";
import type { SearchBase } from "./search-base.ts";

export const grepInput = object({
  pattern: string("regular expression"),
  path: optional(string("file or folder")),
  include: optional(string("glob, such as *.{ts,tsx}")),
  context: optional(integer("lines around each match", { min: 0, max: 20 })),
  output: optional(oneOf(["content", "files", "count"])),
  case_insensitive: optional(boolean()),
  limit: optional(integer("default 200", { min: 1, max: 1_000 })),
});

export type GrepInput = Infer<typeof grepInput>;

/** One search, the same for every engine that can do it. */
export type GrepSearch = {
  readonly given: GrepInput;
  readonly base: SearchBase;
  readonly scope: SearchScope;
  readonly filter: IncludeFilter | undefined;
  /** Is a path below the scope's folder wanted? */
  readonly accepts: (path: string) => boolean;
  readonly results: GrepResults;
  readonly signal: AbortSignal;
  readonly timeLimitMs: number;
};

export function spansLines(pattern: string): boolean {
  return /\n|\\n/.test(pattern);
}

export type SearchEnding = "finished" | "time-limit" | "enough" | "interrupted";
