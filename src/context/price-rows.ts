import type { PriceRow } from "../contracts/context.ts";

const minute = 60_000;

const gptSol: PriceRow = { input: 2, output: 10, cacheRead: 0.05, cacheWrite: 1.25, cacheMs: 30 * minute };
const deepseekFlash: PriceRow = { input: 0.15, output: 0.6, cacheRead: 0.02, cacheWrite: 1, cacheMs: 120 * minute };

/** Prices to compare policies by: what vendors ask and how long they keep a prefix decides which policy is the cheapest. */
export const priceRows: Readonly<Record<string, PriceRow>> = {
  "sonnet-5.5": { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 1.25, cacheMs: 5 * minute },
  "sonnet-5.5-1h": { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2, cacheMs: 60 * minute },
  "opus-5.5": { input: 4, output: 20, cacheRead: 0.05, cacheWrite: 1.25, cacheMs: 5 * minute },
  "haiku-5.5": {
    input: 0.1,
    output: 0.5,
    cacheRead: 0.1,
    cacheWrite: 1.25,
    cacheMs: 5 * minute,
    tierAt: 100_000,
    tierFactor: 5,
  },
  "gpt-6.1": gptSol,
  "gpt-6.1-sol": gptSol,
  "gpt-5.4": { input: 2.5, output: 15, cacheRead: 0.1, cacheWrite: 1, cacheMs: 10 * minute },
  "deepseek-flash": deepseekFlash,
  "deepseek-v4-flash": deepseekFlash,
  "deepseek-v4-pro": { input: 0.66, output: 1.98, cacheRead: 0.0333, cacheWrite: 1, cacheMs: 120 * minute },
  /** A server that caches nothing, or whose vendor asks the same for what it has cached. */
  "no-cache": { input: 2, output: 10, cacheRead: 1, cacheWrite: 1, cacheMs: 0 },
};
