import type { NoteLimits } from "../fold-note.ts";
import type { StageContext } from "../stage.ts";

export type FoldLimits = NoteLimits & {
  /** The newest tokens stay as they are. */
  readonly tailTokens: number;
};

/** Small windows keep small notes: each part has its share at most. */
export function fitted(limits: FoldLimits, windowTokens: number): FoldLimits {
  const share = (most: number, part: number) => Math.min(most, Math.floor(windowTokens * part));
  return {
    tailTokens: share(limits.tailTokens, 0.2),
    userTokens: share(limits.userTokens, 0.15),
    proseTokens: share(limits.proseTokens, 0.06),
    indexTokens: share(limits.indexTokens, 0.05),
  };
}

/** Here something has to go, whatever it costs: the window is nearly full, or every call is about to get dearer. */
export function hardLimit(
  { windowTokens, prices }: Pick<StageContext, "windowTokens" | "prices">,
  atShare: number,
): number {
  return Math.min(atShare * windowTokens, 0.97 * (prices.tierAt ?? Number.POSITIVE_INFINITY));
}
