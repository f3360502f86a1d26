/** `3, 7-9, 12 and 40 more`: rising line numbers for a reader, shortened. */
export function lineRanges(numbers: readonly number[], most = 10): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const open = ranges.at(-1);
    if (open && number <= open.last + 1) open.last = number;
    else ranges.push({ first: number, last: number });
  }
  const shown = ranges.slice(0, most).map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const rest = ranges.slice(most).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return shown.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
