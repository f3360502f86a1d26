import type { RecallAnswer, RecallRequest } from "../contracts/context.ts";
import { type Message, textOf } from "../contracts/message.ts";
import { subjectOf } from "./placeholder.ts";
import type { Estimate, Transcript } from "./transcript.ts";

/** What one recall brings back unless more is asked for. */
const answerTokens = 2_000;
const excerptCharacters = 600;
/** Characters of a line that are shown unasked, and when somebody asked for exactly these lines. */
const longLine = 6_000;
const longestLine = 200_000;
const excerpts = 6;

export type RecallSources = {
  readonly transcript: Transcript;
  readonly estimate: Estimate;
  /** The whole of a result that was too long for the conversation, by its handle. */
  readonly wholeText?: ((handle: string) => string | undefined) | undefined;
};

/** Everything that ever happened in the conversation is in the history; this finds it. */
export function recall(sources: RecallSources, request: RecallRequest): RecallAnswer {
  const { transcript } = sources;
  if (request.id !== undefined) return byHandle(sources, { ...request, id: request.id });
  if (request.query !== undefined && request.query.trim() !== "") return byWords(transcript, request.query);
  return { isFound: false, text: 'Say what to recall: id, such as "#12", or query, some words.' };
}

function byHandle(
  { transcript, estimate, wholeText }: RecallSources,
  request: RecallRequest & { readonly id: string },
): RecallAnswer {
  const handle = `#${request.id.trim().replace(/^#+/, "")}`;
  const result = transcript.results.find(({ part }) => part.handle === handle);
  if (result === undefined) return { isFound: false, text: unknownHandle(transcript, handle) };
  const lines = (wholeText?.(handle) ?? result.part.text).split("\n");
  const chosen = linesOf(lines, request);
  if ("problem" in chosen) return { isFound: false, text: chosen.problem };
  const { shown, next } = cutToSize(
    chosen.lines,
    request.limit === undefined ? answerTokens : Number.POSITIVE_INFINITY,
    estimate,
  );
  const head = `[${handle} ${result.part.tool} ${subjectOf(result)}: ${lines.length} lines]`;
  const rest = next === undefined ? "" : `\n[cut; go on with offset ${next}, or ask for lines with pattern]`;
  return { isFound: true, text: `${head}\n${shown}${rest}` };
}

type NumberedLine = { readonly number: number; readonly text: string };

function linesOf(
  lines: readonly string[],
  { offset = 1, limit, pattern }: RecallRequest,
): { lines: readonly NumberedLine[] } | { problem: string } {
  const numbered = lines.map((text, index) => ({ number: index + 1, text }));
  if (pattern === undefined)
    return { lines: numbered.slice(Math.max(offset, 1) - 1, limit === undefined ? undefined : offset - 1 + limit) };
  const words = pattern.toLowerCase();
  const matching = numbered.filter(({ text }) => text.toLowerCase().includes(words)).map((line) => around(line, words));
  return matching.length > 0
    ? { lines: matching.slice(0, limit ?? matching.length) }
    : { problem: `No line contains "${pattern}".` };
}

/** Of a line nobody could read whole, what surrounds the match. */
function around({ number, text }: NumberedLine, words: string): NumberedLine {
  if (text.length <= longLine) return { number, text };
  const at = text.toLowerCase().indexOf(words);
  return {
    number,
    text: `… ${text.slice(Math.max(0, at - 300), at + words.length + 300)} … [line of ${text.length} characters]`,
  };
}

function cutToSize(
  lines: readonly NumberedLine[],
  budget: number,
  estimate: Estimate,
): { shown: string; next: number | undefined } {
  const shown: string[] = [];
  const lineLimit = budget === Number.POSITIVE_INFINITY ? longestLine : longLine;
  let left = budget;
  for (const { number, text } of lines) {
    const whole = text.length <= lineLimit;
    const line = whole
      ? text
      : `${text.slice(0, lineLimit)}… [line of ${text.length} characters; use pattern to see inside]`;
    left -= estimate(line) + 1;
    if (left < 0 && shown.length > 0) return { shown: shown.join("\n"), next: number };
    shown.push(line);
  }
  return { shown: shown.join("\n"), next: undefined };
}

function unknownHandle(transcript: Transcript, handle: string): string {
  const last = transcript.results.at(-1)?.part.handle;
  return `There is no result ${handle} in this conversation.${last ? ` Handles go up to ${last}.` : ""} Use query to search by words.`;
}

type Hit = { readonly message: Message; readonly score: number; readonly at: number; readonly text: string };

/** Ranked by how rare the words are and how often they occur; nothing is indexed ahead, a scan of a million tokens takes milliseconds. */
function byWords(transcript: Transcript, query: string): RecallAnswer {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_./$-]{2,}/gu) ?? [])];
  const texts = transcript.entries.map(({ message }) => ({ message, text: searchable(message) }));
  const lowered = texts.map(({ text }) => text.toLowerCase());
  const rarity = words.map((word) =>
    Math.log(1 + texts.length / (1 + lowered.filter((text) => text.includes(word)).length)),
  );
  const hits = texts
    .map(({ message, text }, index): Hit => {
      const low = lowered[index] ?? "";
      const score = words.reduce(
        (sum, word, n) => sum + (rarity[n] ?? 0) * Math.min(occurrences(low, word), 3) ** 0.5,
        0,
      );
      const at = Math.max(
        0,
        ...words
          .map((word) => low.indexOf(word))
          .filter((place) => place >= 0)
          .slice(0, 1),
      );
      return { message, score, at, text };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, excerpts);
  if (hits.length === 0) return { isFound: false, text: `Nothing in this conversation matches "${query}".` };
  return { isFound: true, text: hits.map(excerpt).join("\n\n") };
}

function occurrences(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0 && count < 3; at = text.indexOf(word, at + word.length)) count++;
  return count;
}

function searchable(message: Message): string {
  const parts = message.parts.map((part) =>
    part.type === "tool-result" ? part.text : part.type === "tool-call" ? `${part.tool} ${part.rawInput}` : "",
  );
  return [textOf(message), ...parts].filter((text) => text !== "").join("\n");
}

function excerpt({ message, text, at }: Hit): string {
  const start = Math.max(0, at - excerptCharacters / 3);
  const result = message.parts.find((part) => part.type === "tool-result");
  const who = result ? `${result.handle} ${result.tool}` : message.role;
  const piece = text.slice(start, start + excerptCharacters);
  return `[${who}]\n${start > 0 ? "…" : ""}${piece}${start + excerptCharacters < text.length ? "…" : ""}`;
}
