import { meantTexts } from "./argument-slips.ts";
import { nameDifference } from "./name-difference.ts";
import { nearestLines } from "./nearest-lines.ts";
import { type Difference, differences, type Skeleton, skeletonOf } from "./text-skeleton.ts";
import { visibleCharacters, visibleWhitespace, whitespaceLegend } from "./visible-whitespace.ts";

export type NoMatch = {
  readonly folded: string;
  readonly old: string;
  readonly replacement: string;
  readonly shown: string;
};

/** A part of the file that old_string may have meant, and what keeps it from matching. */
type Candidate = {
  readonly start: number;
  readonly end: number;
  readonly reasons: readonly string[];
  readonly isWhitespace: boolean;
};

const mostCandidates = 3;
const mostShownLines = 8;
const mostHits = 200;
/** Beyond this only the surroundings of a line that or word that occurs literally are looked at. */
const mostExamined = 4_000_000;

const advice = "Send old_string exactly as the file has it.";

/** Why nothing matched and where the nearest text is, so that the next try succeeds. Never a reason to match anyway. */
export function explainNoMatch({ folded, old, replacement, shown }: NoMatch): string {
  const { text, firstLine } = examinedPart(folded, old);
  const candidates = findCandidates(text, old);
  const lines = [`old_string was not found in ${shown}; nothing was changed.`];
  if (candidates.length > 0) lines.push(...describeCandidates(text, candidates, firstLine));
  else lines.push(...describeNearest(text, old, firstLine));
  const already = replacement.trim().length > 2 ? folded.indexOf(replacement) : -1;
  if (already >= 0)
    lines.push(
      `new_string is already in the file, at line ${lineAt(folded, already)}: perhaps this edit was made before.`,
    );
  return lines.join("\n");
}

function examinedPart(folded: string, old: string): { text: string; firstLine: number } {
  if (folded.length <= mostExamined) return { text: folded, firstLine: 1 };
  const anchors = [longest(old.split("\n")).trim(), longest(old.split(/\s+/))].filter((anchor) => anchor !== "");
  const anchor = anchors.map((text) => folded.indexOf(text)).find((found) => found >= 0) ?? 0;
  const margin = old.length + 10_000;
  const start = folded.lastIndexOf("\n", Math.max(0, anchor - margin)) + 1;
  return { text: folded.slice(start, anchor + margin), firstLine: lineAt(folded, start) };
}

function longest(texts: readonly string[]): string {
  return texts.reduce((a, b) => (b.trim().length > a.trim().length ? b : a));
}

function findCandidates(text: string, old: string): Candidate[] {
  const skeleton = skeletonOf(text);
  const direct = candidatesFor({ text, skeleton, wanted: old, slip: [] });
  if (direct.length > 0) return direct;
  for (const { text: wanted, slip, because } of meantTexts(old)) {
    const found = candidatesFor({ text, skeleton, wanted, slip: [`${slip}: ${because}`] });
    if (found.length > 0) return found;
  }
  return [];
}

type Search = {
  readonly text: string;
  readonly skeleton: Skeleton;
  readonly wanted: string;
  readonly slip: readonly string[];
};

function candidatesFor({ text, skeleton, wanted, slip }: Search): Candidate[] {
  const bare = skeletonOf(wanted).text;
  if (bare === "") return [];
  const found: Candidate[] = [];
  for (
    let hit = skeleton.text.indexOf(bare);
    hit >= 0 && found.length < mostHits;
    hit = skeleton.text.indexOf(bare, hit + 1)
  ) {
    const start = skeleton.at[hit] as number;
    const last = skeleton.at[hit + bare.length - 1] as number;
    const end = last + ((text.codePointAt(last) as number) > 0xffff ? 2 : 1);
    const apart = differencesAt(text, { start, end }, wanted);
    const actual = withEdges(text, { start, end }, wanted);
    const reasons = apart.map((kind) => `${kind}: ${nameDifference(kind, actual, wanted)}`);
    found.push({ start, end, reasons: [...slip, ...reasons], isWhitespace: apart.includes("whitespace") });
  }
  const awkwardness = ({ start, end, reasons }: Candidate) =>
    reasons.length * 2 + (isWholeLines(text, start, end) ? 0 : 1);
  return found.sort((a, b) => awkwardness(a) - awkwardness(b) || a.start - b.start).slice(0, mostCandidates);
}

type Span = { readonly start: number; readonly end: number };

function differencesAt(text: string, { start, end }: Span, wanted: string): Difference[] {
  const actual = text.slice(start, end);
  const inner = wanted.trim();
  const lead = wanted.slice(0, wanted.indexOf(inner));
  const trail = wanted.slice(wanted.indexOf(inner) + inner.length);
  return differences.filter((kind) => {
    if (skeletonOf(actual, kind).text !== skeletonOf(inner, kind).text) return true;
    return kind === "whitespace" && !(text.slice(0, start).endsWith(lead) && text.startsWith(trail, end));
  });
}

/** Where `wanted` begins or ends with whitespace, the whitespace of the file there is part of the comparison. */
function withEdges(text: string, { start, end }: Span, wanted: string): string {
  const before = /^\s/.test(wanted) ? (/\s*$/.exec(text.slice(Math.max(0, start - 200), start))?.[0] ?? "") : "";
  const after = /\s$/.test(wanted) ? (/^[^\S\n]*\n?/.exec(text.slice(end, end + 200))?.[0] ?? "") : "";
  return before + text.slice(start, end) + after;
}

function isWholeLines(text: string, start: number, end: number): boolean {
  return (
    /(^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - 200), start)) &&
    /^[ \t]*(\n|$)/.test(text.slice(end, end + 200))
  );
}

function describeCandidates(text: string, candidates: readonly Candidate[], firstLine: number): string[] {
  const reasons = [...new Set(candidates.flatMap((candidate) => candidate.reasons))].slice(0, 4);
  const blocks = candidates.map(({ start, end, isWhitespace }) =>
    numbered({ lines: linesAround(text, start, end), first: firstLine + lineAt(text, start) - 1, isWhitespace }),
  );
  const legend = candidates.some(({ isWhitespace }) => isWhitespace) ? ` (${whitespaceLegend})` : "";
  const heading = `The file has${legend}:`;
  return [...reasons.map((reason) => `Reason: ${reason}.`), heading, blocks.join("\n…\n"), advice];
}

/** Whole lines, but of a very long line only what is near. */
function linesAround(text: string, start: number, end: number): string[] {
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const from = Math.max(lineStart, start - 100);
  const to = Math.min(lineEnd < 0 ? text.length : lineEnd, end + 200);
  return `${from > lineStart ? "…" : ""}${text.slice(from, to)}`.split("\n");
}

type Block = { readonly lines: readonly string[]; readonly first: number; readonly isWhitespace: boolean };

function numbered({ lines, first, isWhitespace }: Block): string {
  const shown = lines.slice(0, mostShownLines).map((line, index) => {
    const cut = visibleCharacters(line.length > 400 ? `${line.slice(0, 400)}…` : line);
    return `${first + index}\t${isWhitespace ? visibleWhitespace(cut) : cut}`;
  });
  return [...shown, ...(lines.length > mostShownLines ? [`… (${lines.length - mostShownLines} more lines)`] : [])].join(
    "\n",
  );
}

function describeNearest(text: string, old: string, firstLine: number): string[] {
  const lines = text.split("\n");
  const starts = nearestLines(lines, old, mostCandidates);
  if (starts.length === 0)
    return ["Nothing in the file resembles it. Read the file again with read_file and copy the text from there."];
  const height = old.split("\n").length;
  const blocks = starts.map((start) =>
    numbered({ lines: lines.slice(start, start + height), first: firstLine + start, isWhitespace: false }),
  );
  return [
    "Reason: the words differ. The nearest text in the file is:",
    blocks.join("\n…\n"),
    "Send old_string exactly as the file has it.",
  ];
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
