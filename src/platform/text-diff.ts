/** `lines` begin with ` `, `-`, `+` or `\`, as in every unified diff. */
export type Hunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
};

/** Beyond this many characters comparing takes longer than anybody waits. */
const mostCompared = 8_000_000;
const timeLimitMs = 300;

export async function compareTexts(before: string, after: string): Promise<readonly Hunk[]> {
  if (before.length + after.length > mostCompared) return [everythingReplaced(before, after)];
  const { structuredPatch } = await import("diff");
  const options = { context: 3, timeout: timeLimitMs };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  return patch?.hunks ?? [everythingReplaced(before, after)];
}

/** For texts so different that comparing them takes too long. */
function everythingReplaced(before: string, after: string): Hunk {
  const old = linesOf(before);
  const now = linesOf(after);
  const lines = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

export function countLines(hunks: readonly Hunk[], sign: "+" | "-"): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
}

export function hunkHeading({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  const range = (start: number, count: number) =>
    count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}
