import { type Message, textOf } from "../contracts/message.ts";
import { type FileLedger, fileLedger, type LedgerUse } from "./file-ledger.ts";
import { firstErrorLine, subjectOf } from "./placeholder.ts";
import type { Entry, Estimate, ResultEntry, Transcript } from "./transcript.ts";

export type NoteLimits = {
  readonly userTokens: number;
  readonly proseTokens: number;
  readonly indexTokens: number;
};

export type NoteInput = {
  readonly transcript: Transcript;
  readonly estimate: Estimate;
  /** Last message of the history that is folded. */
  readonly through: number;
  readonly summary: string;
  readonly limits: NoteLimits;
  /** Lines that must survive, such as open tasks. */
  readonly pinned: readonly string[];
  /** Messages that stay in the view as they are, and so need not be quoted. */
  readonly kept: ReadonlySet<string>;
};

/**
 * What stands for the folded part of a conversation. The summary is a model's; everything else is written by code, because what must
 * survive cannot depend on a model remembering it: what the person said, which files were touched, what failed, where the rest is.
 */
export function foldNote({ transcript, estimate, through, summary, limits, pinned, kept }: NoteInput): string {
  const folded = transcript.entries.slice(0, through + 1);
  const users = folded.filter(({ message }) => message.role === "user" && !message.synthetic && !kept.has(message.id));
  const prose = folded.filter(({ message }) => message.role === "assistant" && textOf(message).trim() !== "");
  const results = transcript.results.filter(({ entry }) => entry.index <= through);
  return [
    '[The conversation up to here was folded to save space. Everything in it can be had back: recall("#handle") for a result, recall with a query for anything else. What follows is a record, not a new request.]',
    section("Summary", summary),
    section("Open tasks", pinned.map((line) => `- ${line}`).join("\n")),
    section(
      "What the user said",
      newest(users, limits.userTokens, estimate, ({ message }) => `- ${quoted(textOf(message), estimate)}`),
    ),
    section(
      "What you said",
      newest(prose, limits.proseTokens, estimate, ({ message }) => `- ${textOf(message).trim()}`),
    ),
    section("Files", filesText(fileLedger(transcript, through))),
    section("Errors seen last", errorsText(results)),
    section("Archived results, newest first", indexText(results, limits.indexTokens, estimate)),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Paths of the ledger that the summary itself does not name: without the ledger they would be gone. */
export function pathsOnlyInLedger(note: string, transcript: Transcript, through: number): string[] {
  const [, summary = ""] =
    /## Summary\n([\s\S]*?)(?=\n\n## (?:Open tasks|What the user said|What you said|Files)\n|$)/.exec(note) ?? [];
  return [...fileLedger(transcript, through).keys()].filter(
    (path) => !summary.includes(path.split("/").at(-1) ?? path),
  );
}

/** A message longer than this is mostly pasted. */
const quoteTokens = 1_000;

/** Cutting must save something. */
const quoteSlack = 1.5;

/** What a person said as a note quotes it: word for word, but of a long message its beginning and its end. */
function quoted(text: string, estimate: Estimate): string {
  const tokens = estimate(text);
  if (tokens <= quoteSlack * quoteTokens) return text;
  const characters = Math.floor((text.length * quoteTokens) / tokens);
  const head = text.slice(0, Math.floor(characters * 0.7));
  const tail = text.slice(text.length - Math.floor(characters * 0.3));
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out; recall with a query finds them …]\n${tail}`;
}

/** About how long that is. */
export function quotedTokens(text: string, estimate: Estimate): number {
  const tokens = estimate(text);
  return tokens <= quoteSlack * quoteTokens ? tokens : quoteTokens;
}

function section(title: string, text: string): string {
  return text === "" ? "" : `## ${title}\n${text}`;
}

/** As many of the newest as fit, in their order. */
function newest(entries: readonly Entry[], budget: number, estimate: Estimate, show: (entry: Entry) => string): string {
  const shown: string[] = [];
  let left = budget;
  for (const entry of entries.toReversed()) {
    const text = show(entry);
    left -= estimate(text);
    if (left < 0) break;
    shown.unshift(text);
  }
  const missing = entries.length - shown.length;
  return [...(missing > 0 ? [`(${missing} older left out; recall finds them)`] : []), ...shown].join("\n");
}

function filesText(ledger: FileLedger): string {
  const of = (use: LedgerUse) => [...ledger].filter(([, found]) => found === use).map(([path]) => path);
  return (["edited", "created", "deleted", "read"] as const)
    .map((use) => ({ use, paths: of(use) }))
    .filter(({ paths }) => paths.length > 0)
    .map(({ use, paths }) => `${use}: ${paths.slice(-80).join(", ")}`)
    .join("\n");
}

function errorsText(results: readonly ResultEntry[]): string {
  const lines = results.filter(({ part }) => part.isError).flatMap(({ part }) => firstErrorLine(part.text) ?? []);
  return [...new Set(lines)]
    .slice(-8)
    .map((line) => `- ${line}`)
    .join("\n");
}

function indexText(results: readonly ResultEntry[], budget: number, estimate: Estimate): string {
  const lines: string[] = [];
  let left = budget;
  for (const result of results.toReversed()) {
    const line = `${result.part.handle} ${result.part.tool} ${subjectOf(result)}`;
    left -= estimate(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.join("\n");
}

/** The first request of a conversation and the latest one: they are never touched. */
export function spineOf(transcript: Transcript): {
  readonly first: Message | undefined;
  readonly latest: Message | undefined;
} {
  const requests = transcript.entries.filter(({ message }) => message.role === "user" && !message.synthetic);
  return { first: requests[0]?.message, latest: requests.at(-1)?.message };
}
