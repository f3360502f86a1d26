/** What charts over the calls of a session have in common. */

/** Longer series are thinned out. */
const maxPoints = 1_200;

export const at = (value: number) => Number(value.toFixed(1)).toString();

/** The points that are drawn: evenly spaced, the last one, and every one that must not be missed with the one before it. */
export function shownIndexes(length: number, mustShow: (index: number) => boolean): readonly number[] {
  const every = Math.ceil(length / maxPoints);
  return Array.from({ length }, (_, index) => index).filter(
    (index) => index % every === 0 || index === length - 1 || mustShow(index) || mustShow(index + 1),
  );
}

export function gridLine(height: number, text: string, { left, right }: { left: number; right: number }): string {
  return `<line class="grid" x1="${left}" x2="${right}" y1="${at(height)}" y2="${at(height)}"/><text class="tick" x="${left - 6}" y="${at(height + 3.5)}" text-anchor="end">${text}</text>`;
}

/** Round numbers from 0 to `most`, about `count` steps. */
export function ticks(most: number, count: number): number[] {
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

export type AxisPlace = {
  readonly x: (index: number) => number;
  readonly bottom: number;
  readonly left: number;
};

export function callAxis(calls: number, { x, bottom, left }: AxisPlace): string {
  const marks = ticks(calls, 6).filter((tick) => tick > 1 && Number.isInteger(tick));
  return [
    `<text class="tick" x="${left}" y="${bottom}">call 1</text>`,
    ...marks.map(
      (tick) => `<text class="tick" x="${at(x(tick - 1))}" y="${bottom}" text-anchor="middle">${tick}</text>`,
    ),
  ].join("");
}
