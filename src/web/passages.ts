/** The parts of a long text that speak most about a question, in their order. */
export function passagesFor(question: string, text: string, limitChars: number): string {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== "");
  const wanted = new Set(wordsOf(question));
  const bags = paragraphs.map(wordsOf);
  const rarity = new Map(
    [...wanted].map((word) => {
      const holding = bags.filter((bag) => bag.includes(word)).length;
      return [word, holding === 0 ? 0 : Math.log(1 + paragraphs.length / holding)];
    }),
  );
  const scored = bags.map((bag, index) => {
    const hits = [...wanted].filter((word) => bag.includes(word));
    const sum = hits.reduce((total, word) => total + (rarity.get(word) ?? 0), 0);
    return { index, score: sum / Math.sqrt(1 + bag.length / 60) };
  });
  const kept = new Set<number>();
  let size = 0;
  for (const { index, score } of scored.toSorted((a, b) => b.score - a.score)) {
    const length = (paragraphs[index] ?? "").length;
    if (score === 0 || size + length > limitChars) continue;
    kept.add(index);
    size += length;
  }
  return withHeadings(paragraphs, kept);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
}

/** Each kept part below the heading it stands under; what was left out shows as a mark. */
function withHeadings(paragraphs: readonly string[], kept: ReadonlySet<number>): string {
  const shown: string[] = [];
  let heading: string | undefined;
  let last = -1;
  for (const [index, paragraph] of paragraphs.entries()) {
    if (/^#{1,6} /.test(paragraph)) heading = paragraph.split("\n")[0];
    if (!kept.has(index)) continue;
    if (last >= 0 && index > last + 1) shown.push("[…]");
    if (heading !== undefined && !paragraph.startsWith(heading)) shown.push(heading);
    heading = undefined;
    shown.push(paragraph);
    last = index;
  }
  return shown.join("\n\n");
}
