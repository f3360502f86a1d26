import type { ToolDisplay } from "../../contracts/tool-view.ts";
import { type Hunk, hunkHeading } from "../../platform/text-diff.ts";

export { compareTexts, countLines, type Hunk } from "../../platform/text-diff.ts";

export type FileDiff = {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
  /** Changed places that have no hunk here. */
  readonly leftOut: number;
};

/** The model knows what it sent; the person wants to see it. */
const charactersForModel = 4000;
const charactersForPerson = 16_000;

const longestLine = 400;
const shownBeforeChange = 120;

export function diffOutput(path: string, diff: FileDiff): { readonly text: string; readonly display: ToolDisplay } {
  const { added, removed } = diff;
  return {
    text: renderDiff(path, diff, charactersForModel),
    display: { type: "diff", path, diff: renderDiff(path, diff, charactersForPerson), added, removed },
  };
}

const cutMark = "[diff cut here]";

/** Is there more than a rendered diff shows? */
export function isCut(text: string): boolean {
  return text.endsWith(cutMark) || /… \[\d+ characters cut\]$/m.test(text);
}

/** A unified diff of about `most` characters at the most; a cut is said. */
function renderDiff(path: string, diff: FileDiff, most: number): string {
  const isRelative = !path.startsWith("/") && !path.startsWith("~");
  const header = isRelative ? [`--- a/${path}`, `+++ b/${path}`] : [`--- ${path}`, `+++ ${path}`];
  const body = diff.hunks.flatMap((hunk) => [hunkHeading(hunk), ...shortLines(hunk.lines)]);
  let room = most - header.join("\n").length;
  const overflow = body.findIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  const rest = diff.leftOut > 0 ? [`[${diff.leftOut} more changed places not shown]`] : [];
  const shown = overflow < 0 ? [...body, ...rest] : [...body.slice(0, overflow), cutMark];
  return [...header, ...shown].join("\n");
}

/** Long lines are cut; a long line that took the place of another is shown around the first difference. */
function shortLines(lines: readonly string[]): string[] {
  const short = lines.map(cutLine);
  let removed: number[] = [];
  lines.forEach((line, now) => {
    if (line.startsWith("-")) removed.push(now);
    if (line.startsWith(" ")) removed = [];
    const old = line.startsWith("+") ? removed.shift() : undefined;
    const before = old === undefined ? undefined : lines[old];
    if (old === undefined || before === undefined || Math.max(before.length, line.length) <= longestLine) return;
    const from = Math.max(1, firstDifference(before, line) - shownBeforeChange);
    if (from === 1) return;
    short[old] = cutLine(`-…${before.slice(from)}`);
    short[now] = cutLine(`+…${line.slice(from)}`);
  });
  return short;
}

function firstDifference(a: string, b: string): number {
  let at = 1;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

function cutLine(line: string): string {
  return line.length > longestLine
    ? `${line.slice(0, longestLine)}… [${line.length - longestLine} characters cut]`
    : line;
}
