import { compareTexts, countLines, type FileDiff, type Hunk } from "../files/unified-diff.ts";
import type { Place } from "./apply-edit.ts";

export type EditedText = {
  /** The text before, line ends folded. */
  readonly folded: string;
  readonly replacement: string;
  /** Rising, not overlapping. */
  readonly places: readonly Place[];
};

const contextLines = 3;
const mostBlocks = 50;
const mostBlockLines = 400;
const mostBlockPlaces = 1000;

/** Whole lines touched by one place, `first` to before `next`, counted from 1 before the edit. */
type Span = { readonly start: number; readonly end: number; readonly first: number; readonly next: number };
type Block = { start: number; end: number; first: number; next: number; places: Place[] };

/** The diff of an edit, built from the places it touched: comparing two versions of a huge file would take seconds. */
export async function editDiff(edit: EditedText): Promise<FileDiff> {
  const { blocks, leftOut, touchedLines } = blocksOf(edit);
  const hunks: Hunk[] = [];
  let shift = 0;
  for (const block of blocks) {
    const found = await hunksOf(edit, block, shift);
    hunks.push(...found);
    shift += countLines(found, "+") - countLines(found, "-");
  }
  if (leftOut === 0) return { hunks, added: countLines(hunks, "+"), removed: countLines(hunks, "-"), leftOut };
  const first = edit.places[0] as Place;
  const growth = lineEndsIn(edit.replacement) - lineEndsIn(edit.folded.slice(first.start, first.end));
  return { hunks, added: touchedLines + growth * edit.places.length, removed: touchedLines, leftOut };
}

/** Places near each other share a block. Beyond some size nobody reads on: the rest is counted. */
function blocksOf(edit: EditedText): { blocks: Block[]; leftOut: number; touchedLines: number } {
  const blocks: Block[] = [];
  let leftOut = 0;
  let touchedLines = 0;
  let lastLine = 0;
  let index = 0;
  for (const span of touchedSpans(edit)) {
    const place = edit.places[index++] as Place;
    touchedLines += Math.max(0, span.next - Math.max(span.first, lastLine));
    lastLine = span.next;
    const open = blocks.at(-1);
    const isNear = open !== undefined && span.first - open.next <= 2 * contextLines;
    const fits = isNear
      ? span.next - open.first <= mostBlockLines && open.places.length < mostBlockPlaces
      : blocks.length < mostBlocks;
    if (leftOut > 0 || !fits) {
      leftOut++;
    } else if (isNear) {
      open.end = span.end;
      open.next = span.next;
      open.places.push(place);
    } else {
      blocks.push({ ...span, places: [place] });
    }
  }
  return { blocks, leftOut, touchedLines };
}

/** Walks forward only, because looking back from every place would be quadratic in a file of one long line. */
function* touchedSpans({ folded, replacement, places }: EditedText): Generator<Span> {
  let lineStart = 0;
  let line = 1;
  let lineEnd = folded.indexOf("\n");
  const walkTo = (position: number) => {
    while (lineEnd >= 0 && lineEnd < position) {
      lineStart = lineEnd + 1;
      lineEnd = folded.indexOf("\n", lineStart);
      line++;
    }
  };
  for (const place of places) {
    walkTo(place.start);
    const start = lineStart;
    const first = line;
    walkTo(place.end);
    const joinsNextLine = !replacement.endsWith("\n") && !(replacement === "" && place.start === start);
    if (place.end === lineStart && place.end > place.start && !joinsNextLine)
      yield { start, end: lineStart, first, next: line };
    else yield { start, end: lineEnd < 0 ? folded.length : lineEnd + 1, first, next: line + 1 };
  }
}

async function hunksOf({ folded, replacement }: EditedText, block: Block, shift: number): Promise<Hunk[]> {
  const start = linesBack(folded, block.start);
  const end = linesOn(folded, block.end);
  const firstLine = block.first - lineEndsIn(folded.slice(start, block.start));
  const parts: string[] = [];
  let done = start;
  for (const place of block.places) {
    parts.push(folded.slice(done, place.start), replacement);
    done = place.end;
  }
  const after = parts.join("") + folded.slice(done, end);
  const hunks = await compareTexts(folded.slice(start, end), after);
  const moved = firstLine - 1;
  return hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + moved, newStart: hunk.newStart + moved + shift }));
}

function linesBack(text: string, lineStart: number): number {
  let at = lineStart;
  for (let count = 0; count < contextLines && at > 0; count++) at = at === 1 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
  return at;
}

function linesOn(text: string, lineStart: number): number {
  let at = lineStart;
  for (let count = 0; count < contextLines && at < text.length; count++) {
    const end = text.indexOf("\n", at);
    at = end < 0 ? text.length : end + 1;
  }
  return at;
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
