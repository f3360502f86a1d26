/**
 * How full the window is. What the vendor counted for the last request is exact; only what came since is estimated, and the estimate is
 * corrected by how far it was off before.
 */
export type TokenMeter = {
  /** Tokens of a request whose estimate is this. */
  scaled(estimatedTokens: number): number;
  /** The vendor counted `reported` where we estimated `estimated`. */
  observe(estimated: number, reported: number): void;
};

/** A single odd count (a vendor that leaves out cached tokens, a proxy) must not turn the meter upside down. */
const lowest = 0.5;
const highest = 3;

export function createTokenMeter(): TokenMeter {
  let factor = 1;
  return {
    scaled: (estimated) => Math.round(estimated * factor),
    observe(estimated, reported) {
      if (estimated < 500 || reported <= 0) return;
      factor = Math.min(Math.max(reported / estimated, lowest), highest);
    },
  };
}
